// @ts-check
/** `npm run example <name> [-- arguments]`: one of the examples; without a name, what there is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const examples = join(import.meta.dirname, '..', 'examples');
const manifest = (/** @type {string} */ folder) =>
  JSON.parse(readFileSync(join(examples, folder, 'package.json'), 'utf8'));
/** Those with a program; others are there to be copied. @type {string[]} */
const names = JSON.parse(readFileSync(join(examples, 'package.json'), 'utf8')).workspaces.filter(
  (/** @type {string} */ folder) => existsSync(join(examples, folder, 'main.mjs')),
);

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && names.includes(name)) {
  const program = join(examples, name, 'main.mjs');
  process.argv = [process.execPath, program, ...rest];
  await import(pathToFileURL(program).href);
} else {
  const say = name === undefined ? console.log : console.error;
  if (name !== undefined) say(`There is no example "${name}".\n`);
  say('npm run example <name> [-- --help]\n');
  for (const each of readdirSync(examples).filter((folder) => names.includes(folder))) {
    say(`  ${each.padEnd(18)} ${manifest(each).description}`);
  }
  if (name !== undefined) process.exitCode = 1;
}
