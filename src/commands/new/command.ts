import { basename, relative, resolve } from 'node:path';
import { OptionError } from '../../index.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { writeNewFolder } from '../new-folder.js';
import { packageVersion } from '../own-package.js';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import { projectFiles } from './project-files.js';

const options = {
  worker: {
    type: 'boolean',
    help: 'a Worker that answers requests with an agent, in place of a tool for the terminal',
  },
  json: { type: 'boolean', help: 'print what was written as a line of JSON' },
} as const;

export const newCommand = defineCommand({
  name: 'new',
  usage: '<folder>',
  summary: 'Creates a project with one tool, a test for it, and scripts to run both.',
  details:
    'npm test runs the agent with a scripted model, offline. npm start runs it with a real one. The project is plain\n' +
    'JavaScript with types in comments: it runs on every supported Node without a build.\n' +
    'With --worker, npm test bundles the worker and runs it under workerd, offline; npm start serves it on this machine.',
  options,
  examples: [
    {
      command: 'npx tenon new shop && cd shop && npm install && npm test',
      does: 'from nothing to a tested tool',
    },
    { command: 'tenon new shop --worker', does: 'an agent for platforms without processes and files' },
    { command: 'tenon new .', does: 'in this folder, if it is empty' },
  ],
  maxPositionals: 1,
  execute: createProject,
});

async function createProject({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const [given] = positionals;
  if (given === undefined) throw new OptionError('folder', given, 'a folder is required: tenon new shop');
  const folder = resolve(given);
  const files = projectFiles(
    values.worker === true ? 'worker' : 'tools',
    packageName(folder),
    packageVersion(),
  );
  writeNewFolder(given, files);
  show(folder, Object.keys(files), values.json === true);
  return EXIT.ok;
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
