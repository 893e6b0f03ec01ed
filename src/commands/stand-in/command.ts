import { relative, resolve } from 'node:path';
import { OptionError } from '../../index.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { writeNewFolder } from '../new-folder.js';
import { packageVersion } from '../own-package.js';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import { STAND_IN_VERSION, standInFiles } from './package-files.js';

const options = {
  json: { type: 'boolean', help: 'print what was written as a line of JSON' },
} as const;

export const standInCommand = defineCommand({
  name: 'stand-in',
  usage: '<folder>',
  summary: 'Writes a package that is Tenon under the name and version of the official SDK.',
  details:
    'For programs that check the version of @anthropic-ai/claude-agent-sdk, and tracers that patch it as it is loaded.\n' +
    'It is a few lines that pass everything on to tenon. Pack it and install it where the official SDK would be.',
  options,
  examples: [
    { command: 'npx tenon stand-in ./claude-agent-sdk', does: 'writes it, and says how to install it' },
  ],
  maxPositionals: 1,
  execute: writeStandIn,
});

async function writeStandIn({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const [given] = positionals;
  if (given === undefined) {
    throw new OptionError('folder', given, 'a folder is required: tenon stand-in ./claude-agent-sdk');
  }
  const files = standInFiles(packageVersion());
  writeNewFolder(given, files);
  const folder = resolve(given);
  if (values.json === true) {
    printJson({ type: 'created', folder, files: Object.keys(files) });
    return EXIT.ok;
  }
  const paint = palette(process.stdout);
  const path = relative(process.cwd(), folder) || '.';
  const steps = [`npm pack ./${path}`, `npm install ./anthropic-ai-claude-agent-sdk-${STAND_IN_VERSION}.tgz`];
  const written = `${paint.green('✓')} ${path}: ${Object.keys(files).join(', ')}`;
  print([written, '', ...steps.map((step) => `  ${paint.bold(step)}`), ''].join('\n'));
  return EXIT.ok;
}
