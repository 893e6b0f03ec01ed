import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { OptionError } from '../index.js';
import { messageOf } from '../protocol/base/errors.js';

/** Writes texts by their paths into a folder that is empty or not there; overwrites nothing. */
export function writeNewFolder(given: string, files: Readonly<Record<string, string>>): void {
  const folder = resolve(given);
  checkEmpty(given, folder);
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      // `wx`: never overwrites a file that has appeared in the meantime.
      writeFileSync(path, text, { flag: 'wx' });
    }
  } catch (error) {
    throw new OptionError('folder', given, `cannot write to "${given}": ${messageOf(error)}`);
  }
}

/** A fresh repository counts as empty. */
function checkEmpty(given: string, folder: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new OptionError('folder', given, `"${given}" cannot be used: ${messageOf(error)}`);
  }
  const found = names.filter((name) => name !== '.git');
  if (found.length === 0) return;
  throw new OptionError(
    'folder',
    given,
    `"${given}" is not empty (${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}). Choose another folder.`,
  );
}
