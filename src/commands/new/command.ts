import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { OptionError } from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { packageVersion } from '../own-package.js';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import { projectFiles } from './project-files.js';

const options = {
  json: { type: 'boolean', help: 'print what was written as a line of JSON' },
} as const;

export const newCommand = defineCommand({
  name: 'new',
  usage: '<folder>',
  summary: 'Creates a project with one tool, a test for it, and scripts to run both.',
  details:
    'npm test runs the agent with a scripted model, offline. npm start runs it with a real one. The project is plain\n' +
    'JavaScript with types in comments: it runs on every supported Node without a build.',
  options,
  examples: [
    {
      command: 'npx tenon new shop && cd shop && npm install && npm test',
      does: 'from nothing to a tested tool',
    },
    { command: 'tenon new .', does: 'in this folder, if it is empty' },
  ],
  maxPositionals: 1,
  execute: createProject,
});

async function createProject({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const [given] = positionals;
  if (given === undefined) throw new OptionError('folder', given, 'a folder is required: tenon new shop');
  const folder = resolve(given);
  checkEmpty(given, folder);
  const files = projectFiles(packageName(folder), packageVersion());
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
  show(folder, Object.keys(files), values.json === true);
  return EXIT.ok;
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

function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '');
  return name === '' ? 'my-agent' : name;
}

function show(folder: string, files: readonly string[], json: boolean): void {
  if (json) {
    printJson({ type: 'created', folder, files });
    return;
  }
  const paint = palette(process.stdout);
  const path = relative(process.cwd(), folder);
  const steps = [...(path === '' ? [] : [`cd ${path}`]), 'npm install', 'npm test'];
  print(
    [
      `${paint.green('✓')} ${path === '' ? 'This folder' : path}: ${files.join(', ')}`,
      '',
      ...steps.map((step) => `  ${paint.bold(step)}`),
      '',
    ].join('\n'),
  );
}
