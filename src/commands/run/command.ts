import { basename } from 'node:path';
import { OptionError } from '../../index.js';
import { type Arguments, defineCommand, type Values } from '../arguments/command.js';
import { consoleTo } from '../terminal/own-console.js';
import { Screen } from '../terminal/screen.js';
import { loadTools } from '../tools-file/load-tools.js';
import { addServers, allowedTools, recording } from './agent-options.js';
import { chooseRuntime, RUNTIMES } from './choose-runtime.js';
import { converse } from './conversation.js';
import type { Inspected } from './inspected.js';
import { oneTurn } from './one-turn.js';
import { PageQuestions } from './page-questions.js';
import { readPrompt } from './prompt.js';
import { readServers } from './server-option.js';

const options = {
  tools: { type: 'string', value: '<file>', multiple: true, help: 'a file that exports tools or servers' },
  server: {
    type: 'string',
    value: '<name>=<command or URL>',
    multiple: true,
    help: 'another MCP server',
  },
  runtime: {
    type: 'string',
    choices: RUNTIMES,
    help: 'the Claude Code CLI, or Tenon itself; default: the CLI if there is one',
  },
  model: { type: 'string', value: '<model>', help: 'for example opus, sonnet, or a full name' },
  system: { type: 'string', value: '<text>', help: 'the system prompt' },
  'max-turns': { type: 'string', value: '<number>', help: 'stop after this many turns' },
  allow: {
    type: 'string',
    value: '<tool>',
    multiple: true,
    help: 'run this tool without asking: add, mcp__shop__*, Read, "Bash(ls:*)"',
  },
  yes: { type: 'boolean', help: 'run all tools of --tools and --server without asking' },
  resume: { type: 'string', value: '<session>', help: 'go on with an earlier conversation' },
  continue: { type: 'boolean', help: 'go on with the last conversation of this folder' },
  inspect: {
    type: 'optional',
    choices: ['control'],
    help: 'show the run in a browser; with =control questions can be answered there, too',
  },
  force: { type: 'boolean', help: 'with --inspect: also where NODE_ENV is production' },
  record: { type: 'string', value: '<file>', help: 'record the run, for tenon replay; without secrets' },
  json: { type: 'boolean', help: 'print every message as a line of JSON' },
} as const;

export const runCommand = defineCommand({
  name: 'run',
  usage: '["<prompt>"] [--tools <file>] [options]',
  summary: 'Runs an agent in the terminal, with tools from a file. Without a prompt it is a conversation.',
  details: [
    'The answer goes to stdout; calls, questions and the closing line go to stderr. Without a terminal nobody can be asked,',
    'so a tool that is not allowed is denied. Ctrl-C interrupts the turn; a second Ctrl-C quits. The prompt "-" is read',
    'from stdin. The embedded runtime needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL. In a conversation /help shows what',
    'can be typed, /exit or Ctrl-D leaves; what you typed is there again the next time (cursor up).',
  ].join('\n'),
  options,
  examples: [
    { command: 'tenon run "What is 15 + 27?" --tools ./tools.js', does: 'an agent with your tools' },
    { command: 'tenon run --tools ./tools.js', does: 'a conversation' },
    { command: 'tenon run --continue --tools ./tools.js', does: 'and the next day' },
    {
      command: 'tenon run "What is 15 + 27?" --tools ./tools.js --inspect=control',
      does: 'see it in a browser, and answer its questions there',
    },
    {
      command: 'tenon run "What is 15 + 27?" --tools ./tools.js --yes > answer.txt',
      does: 'write only the answer to a file',
    },
    {
      command:
        'tenon run "Which files are here?" --server "files=npx -y @modelcontextprotocol/server-filesystem ."',
      does: 'a server that is a program',
    },
    {
      command: 'tenon run "Summarize this" --runtime embedded --model sonnet - < notes.txt',
      does: 'no CLI; the text comes from stdin, after the prompt',
    },
    {
      command: 'tenon run "What is 15 + 27?" --tools ./tools.js --record run.tape',
      does: 'keep the run: tenon replay run.tape shows it again',
    },
    {
      command: `tenon run "What is 15 + 27?" --tools ./tools.js --yes --json | tail -n 1`,
      does: 'the result, for a script',
    },
  ],
  maxPositionals: 2,
  execute: run,
});

type RunValues = Values<typeof options>;

async function run({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const screen = new Screen();
  const isConversation = positionals.length === 0 && canConverse(values, screen);
  const prompt = isConversation ? undefined : await readPrompt(positionals);
  const maxTurns = readMaxTurns(values['max-turns']);
  checkResume(values);
  consoleTo((lines) => screen.note(lines));
  const found = await loadTools(values.tools ?? [], '--tools');
  const servers = addServers(found, readServers(values.server ?? []));
  const runtime = await chooseRuntime(values.runtime, process.env);
  const note = (text: string): void => {
    if (values.json !== true) screen.note(screen.paint.dim(text));
  };
  note(runtime.announcement);
  const page = values.inspect === 'control' ? new PageQuestions() : undefined;
  const inspected = values.inspect === undefined ? undefined : await inspect(values, page, screen);
  const given = {
    ...runtime.options,
    mcpServers: servers,
    allowedTools: allowedTools(values, found, Object.keys(servers)),
    model: values.model,
    maxTurns,
    resume: values.resume,
    continue: values.continue,
    systemPrompt: values.system,
    includePartialMessages: true,
    throwOnErrorResult: false,
    ...recording(values.record, screen, note),
  };
  const running = { screen, page, inspected, isJson: values.json === true };
  try {
    return prompt === undefined ? await converse(given, running) : await oneTurn(prompt, given, running);
  } finally {
    await inspected?.close();
  }
}

/** Loaded when it is wanted: a server is much for a command that needs none. */
async function inspect(
  values: RunValues,
  page: PageQuestions | undefined,
  screen: Screen,
): Promise<Inspected> {
  const { Inspected } = await import('./inspected.js');
  const inspected = await Inspected.start(titleOf(values), page, { force: values.force });
  screen.note(`Inspector: ${screen.paint.bold(inspected.url)}`);
  return inspected;
}

/** A person must be able to read and to type. */
function canConverse({ json }: RunValues, screen: Screen): boolean {
  return json !== true && process.stdin.isTTY === true && screen.isTerminal;
}

function titleOf({ tools: [file] = [] }: RunValues): string {
  return file === undefined ? 'tenon run' : basename(file);
}

function checkResume({ resume, continue: last }: RunValues): void {
  if (resume === undefined || last !== true) return;
  throw new OptionError('--resume', resume, 'choose one of --resume <session> and --continue, not both.');
}

function readMaxTurns(given: string | undefined): number | undefined {
  if (given === undefined || /^[1-9]\d*$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new OptionError(
    '--max-turns',
    given,
    `--max-turns must be a whole number of at least 1; it is "${given}".`,
  );
}
