import { OptionError } from '../../index.js';
import { type Arguments, defineCommand, type Values } from '../arguments/command.js';
import { inspectProgram } from './program.js';
import { showTapes } from './show-tapes.js';

const options = {
  text: { type: 'boolean', help: 'with a file: print a summary instead of opening the page' },
  why: {
    type: 'string',
    value: '<tool>',
    help: 'with a file: print why the tool was, or was not, called; exit code 1 if a step is broken',
  },
  json: { type: 'boolean', help: 'for scripts: facts as JSON; with a program, its address on stderr' },
  html: { type: 'string', value: '<file>', help: 'with a file: write the page with its data to one file' },
  otlp: { type: 'string', value: '<file>', help: 'with a file: write its spans as OTLP/JSON' },
  record: { type: 'string', value: '<folder>', help: 'with a program: keep the recordings there' },
  exit: { type: 'boolean', help: 'with a program: end when it ends, not at Ctrl-C' },
  open: { type: 'boolean', help: 'open the page in the browser' },
  port: { type: 'string', value: '<port>', help: 'where the page is served; default: any free one' },
  host: { type: 'string', value: '<address>', help: 'with --allow-remote: listen there; default 127.0.0.1' },
  'allow-remote': {
    type: 'boolean',
    help: 'let others on the network reach the page, if they know its address',
  },
  force: { type: 'boolean', help: 'also where NODE_ENV is production' },
} as const;

export type InspectValues = Values<typeof options>;

export const inspectCommand = defineCommand({
  name: 'inspect',
  usage: '<file> [<file>] | -- <program>',
  summary: 'Shows what an agent does: a program while it runs, or a recording.',
  details: [
    'The program is not changed. The page is on this machine only, and its address, which goes to stderr, has a key in',
    'it: whoever knows it sees everything. The exit code is that of the program.',
  ].join('\n'),
  options,
  examples: [
    { command: 'tenon inspect -- node shop.mjs', does: 'watch a program' },
    { command: 'tenon inspect --open -- npx tsx shop.ts', does: 'in TypeScript, and open the browser' },
    { command: 'tenon inspect run.tape', does: 'look at a recording' },
    { command: 'tenon inspect before.tape after.tape', does: 'what differs between two' },
    { command: 'tenon inspect run.tape --why stock', does: 'why was the tool not called?' },
    { command: 'tenon inspect run.tape --html run.html', does: 'a file to send to somebody' },
  ],
  maxPositionals: 2,
  takesProgram: true,
  execute: inspect,
});

const [WITH_FILE, WITH_PROGRAM] = [
  ['text', 'why', 'html', 'otlp'],
  ['record', 'exit'],
] as const;

async function inspect({ values, positionals, program }: Arguments<typeof options>): Promise<number> {
  if (program !== undefined) {
    const [file] = positionals;
    if (file !== undefined) {
      throw new OptionError(
        'file',
        file,
        `Inspect either a recording or a program, not both: "${file}" stands before --.`,
      );
    }
    refuse(values, WITH_FILE, 'a recording: tenon inspect run.tape');
    return inspectProgram(program, values);
  }
  refuse(values, WITH_PROGRAM, 'a program: tenon inspect -- node app.mjs');
  if (positionals.length === 0) {
    throw new OptionError(
      'arguments',
      undefined,
      'What is to be inspected? A program: tenon inspect -- node app.mjs, or a recording: tenon inspect run.tape',
    );
  }
  return showTapes(positionals, values);
}

function refuse(values: InspectValues, names: readonly (keyof InspectValues)[], remedy: string): void {
  for (const name of names) {
    if (values[name] === undefined) continue;
    throw new OptionError(`--${name}`, values[name], `--${name} can be used only with ${remedy}`);
  }
}
