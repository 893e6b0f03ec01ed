import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../protocol/base/errors.js';
import { checkedSettings, type SettingsFile } from './given-layers.js';

export function readSettings(path: string): SettingsFile {
  let text: string;
  try {
    // Most are missing, in every conversation, and an error costs more than all of this.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return {};
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? {} : { problem: `cannot be read: ${messageOf(error)}` };
  }
  return parseSettings(text);
}

export function parseSettings(text: string): SettingsFile {
  try {
    return checkedSettings(JSON.parse(text.replace(/^\uFEFF/, '')));
  } catch (error) {
    return { problem: `is not valid JSON: ${messageOf(error)}` };
  }
}
