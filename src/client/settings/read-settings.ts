import { readFile } from 'node:fs/promises';
import { isRecord } from '../../protocol/kinds.js';
import type { Settings } from '../../protocol/settings.js';

/** undefined for a file that is not there or that the CLI would not take. */
export async function readSettings(path: string): Promise<Settings | undefined> {
  try {
    const settings: unknown = JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
    return isRecord(settings) && isWellFormed(settings) ? settings : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** One wrong value, and the CLI takes nothing of a file. These are the keys in which mistakes are made. */
function isWellFormed({ permissions, env, model, hooks }: Record<string, unknown>): boolean {
  if (model !== undefined && !isText(model)) return false;
  if (env !== undefined && !(isRecord(env) && Object.values(env).every(isText))) return false;
  if (hooks !== undefined && !isRecord(hooks)) return false;
  if (permissions === undefined) return true;
  if (!isRecord(permissions)) return false;
  return ['allow', 'deny', 'ask'].every((key) => permissions[key] === undefined || isTexts(permissions[key]));
}
