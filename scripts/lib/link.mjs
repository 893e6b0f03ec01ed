// @ts-check
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * The examples import `tenon` by its name, as any program would. A dependency `file:..` would copy this package's own
 * dependencies into the examples' lock file, and every change of ours would make the two disagree; so it is a link.
 *
 * @param {string} examples
 */
export function needsLink(examples) {
  return existsSync(join(examples, 'package.json')) && !existsSync(join(linkIn(examples), 'package.json'));
}

/**
 * @param {string} examples
 * @param {string} root
 */
export async function link(examples, root) {
  const place = linkIn(examples);
  mkdirSync(join(examples, 'node_modules'), { recursive: true });
  // One that points nowhere: the checkout was moved.
  rmSync(place, { force: true });
  // On Windows a junction needs no privilege, and is absolute.
  if (process.platform === 'win32') symlinkSync(root, place, 'junction');
  else symlinkSync(relative(dirname(place), root), place);
}

/** @param {string} examples */
function linkIn(examples) {
  return join(examples, 'node_modules', 'tenon');
}
