import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Workspace } from '../../workspace/workspace.js';
import { isAbsolutePath, joinPath } from './files.js';
import { importsIn } from './imports.js';
import { reminder } from './memory-text.js';

export interface MentionRules {
  readonly workspace: Workspace;
  readonly cwd: string;
  /** Whether this file may be read without a question, by the path that was written and the one without links. */
  mayRead(path: string, real: string): boolean | Promise<boolean>;
  /** What the model is told with a file that it reads, by its path without links. */
  about(real: string): Promise<readonly { readonly text: string }[]>;
}

/** Files and directories that a text mentions as `@path`, as the model reads them. What is not there is no mention. */
export async function mentionedFiles(text: string, rules: MentionRules): Promise<string[]> {
  const found: string[] = [];
  for (const written of importsIn(text)) {
    if (found.length >= LIMITS.maxMentions) break;
    found.push(...(await mentioned(written.replace(/[.,;:!?)]+$/, ''), rules)));
  }
  return found;
}

async function mentioned(
  written: string,
  { workspace, cwd, mayRead, about }: MentionRules,
): Promise<string[]> {
  const { home } = workspace;
  const path =
    written.startsWith('~/') && home !== undefined
      ? joinPath(home, written.slice(2))
      : isAbsolutePath(written)
        ? joinPath(written)
        : joinPath(cwd, written);
  const { real, kind } = await workspace.locate(path);
  if (kind === undefined || kind === 'other' || !(await mayRead(path, real))) return [];
  try {
    if (kind === 'directory') {
      const names = await namesIn(real, path, { workspace, mayRead });
      return [reminder(`The directory ${path}, which was mentioned, has:\n${names.join('\n')}`)];
    }
    const content = await contentOf(workspace, path, real);
    return content === undefined ? [] : [reminder(content), ...(await about(real)).map(({ text }) => text)];
  } catch (error) {
    return [reminder(`${path}, which was mentioned, could not be read: ${messageOf(error)}`)];
  }
}

/** Sorted, without what must not be read: its name may say enough. */
async function namesIn(
  real: string,
  path: string,
  { workspace, mayRead }: Pick<MentionRules, 'workspace' | 'mayRead'>,
): Promise<string[]> {
  const names = (await workspace.list(real)).map(({ name }) => name).sort();
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length >= LIMITS.maxMentionLines) break;
    if (await mayRead(joinPath(path, name), joinPath(real, name))) shown.push(name);
  }
  return shown;
}

async function contentOf(workspace: Workspace, path: string, real: string): Promise<string | undefined> {
  const maxBytes = LIMITS.maxMentionBytes;
  const size = (await workspace.stat(real))?.size ?? 0;
  const bytes = await workspace.read(real, { maxBytes });
  const text = new TextDecoder().decode(bytes.subarray(0, maxBytes));
  if (text.includes('\0')) return undefined;
  const all = text.split(/\r?\n/);
  const lines = all.slice(0, LIMITS.maxMentionLines);
  const isCut = size > maxBytes || lines.length < all.length;
  const numbered = lines.map((line, index) => `${index + 1}\t${line}`).join('\n');
  return `The file ${path}, which was mentioned:\n${numbered}${isCut ? '\n(There is more of it.)' : ''}`;
}
