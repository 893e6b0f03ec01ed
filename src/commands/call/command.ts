import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CallToolResult, OptionError, TenonError } from '../../index.js';
import { isTimeout } from '../../mcp/in-process/object-client.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { type Arguments, defineCommand, type Values } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { readServers } from '../run/server-option.js';
import { timeText } from '../run/tool-text.js';
import { consoleTo } from '../terminal/own-console.js';
import { printJson } from '../terminal/print.js';
import { Screen } from '../terminal/screen.js';
import { ListedServers } from '../tools-file/listed-servers.js';
import { loadTools } from '../tools-file/load-tools.js';
import { type ChosenTool, chooseTool } from './choose-tool.js';
import { checkRequired, readCallArguments } from './read-arguments.js';
import { logLine, Progress, showResult } from './show-call.js';

const options = {
  'json-input': {
    type: 'string',
    value: '<JSON>',
    help: 'all arguments as one object; - reads it from stdin',
  },
  server: {
    type: 'string',
    value: '<name>',
    multiple: true,
    help: 'which server, if several have the tool; <name>=<command or URL> adds one',
  },
  timeout: { type: 'string', value: '<seconds>', help: 'give up after this time; default: never' },
  json: { type: 'boolean', help: 'print the whole result as JSON' },
} as const;

export const callCommand = defineCommand({
  name: 'call',
  usage: '<file> <tool> [name=value …] [options]',
  summary: 'Calls one tool of a file, without an agent.',
  details: [
    'The server is asked as an agent would ask it: its checks, limits and middleware count. The schema gives each value its',
    'type: a number, true or false, a text; tags=a tags=b is a list, address.city=Bonn a part of an object, and name:=<JSON>',
    'takes anything. The result goes to stdout, reports and logs to stderr. Ctrl-C cancels the call.',
  ].join('\n'),
  options,
  examples: [
    { command: 'tenon call ./tools.js stock product=hammer', does: 'one call' },
    { command: `tenon call ./tools.js order 'items:=[{"product":"hammer","count":2}]'`, does: 'with JSON' },
    {
      command: `tenon call ./tools.js stock --json-input '{"product":"hammer"}'`,
      does: 'all arguments as JSON',
    },
    { command: 'tenon call ./tools.js stock - < arguments.json', does: 'or from a file' },
    { command: 'tenon call ./tools.js stock product=hammer --json', does: 'the whole result, for a script' },
    {
      command: 'tenon call search query=hammer --server wiki=https://wiki.example.com/mcp',
      does: 'a tool of another server',
    },
  ],
  maxPositionals: Number.POSITIVE_INFINITY,
  execute: call,
});

type CallValues = Values<typeof options>;

async function call({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const timeoutMs = readTimeout(values.timeout);
  const given = values.server ?? [];
  const others = readServers(given.filter((each) => each.includes('=')));
  const [wanted, ...more] = given.filter((each) => !each.includes('='));
  if (more.length > 0)
    throw new OptionError('--server', more[0], '--server can name only one server to choose.');
  const { file, tool, words } = readPositionals(positionals, Object.keys(others).length > 0);
  const screen = new Screen();
  consoleTo((lines) => screen.note(lines));
  const input = await readInput(values, words);
  const found = await loadTools(file === undefined ? [] : [file], 'file');
  const listed = await ListedServers.open(found, others, (_, entry) => screen.note(logLine(entry, screen)));
  try {
    const chosen = chooseTool(listed.servers, tool, wanted);
    return await callTool(chosen, argumentsOf(chosen, input), { values, timeoutMs, screen });
  } finally {
    await listed[Symbol.asyncDispose]();
  }
}

/** What comes as one JSON value is the server's to check: its error is what an agent would read. */
function argumentsOf({ tool }: ChosenTool, { given, words }: GivenInput): Record<string, unknown> {
  const input = readCallArguments(words, tool.inputSchema, given ?? {});
  if (given === undefined) checkRequired(input, tool.inputSchema, tool.name);
  return input;
}

interface Calling {
  readonly values: CallValues;
  readonly timeoutMs: number;
  readonly screen: Screen;
}

async function callTool(
  { server, tool }: ChosenTool,
  input: Record<string, unknown>,
  { values, timeoutMs, screen }: Calling,
): Promise<number> {
  const name = `${server.name}.${tool.name}`;
  const stop = new AbortController();
  let interruptedBy: number | undefined;
  const interrupt = (code: number) => () => {
    if (interruptedBy !== undefined) process.exit(code);
    interruptedBy = code;
    stop.abort(new Error('The person at the terminal cancelled the call.'));
  };
  process.on('SIGINT', interrupt(EXIT.interrupted)).on('SIGTERM', interrupt(EXIT.terminated));
  const progress = new Progress(name, screen);
  try {
    const onProgress = progress.report;
    const result = await server.client.call(tool.name, input, { signal: stop.signal, timeoutMs, onProgress });
    progress.end();
    return report(name, result, values.json === true, screen);
  } catch (error) {
    progress.end();
    if (interruptedBy !== undefined) {
      // The handler hears of it before the process ends.
      await nextTurn();
      screen.note(screen.paint.yellow(`${name} was cancelled.`));
      return interruptedBy;
    }
    if (!isTimeout(error)) throw new TenonError('SERVER_FAILED', `${name}: ${messageOf(error)}`);
    const last = progress.last === undefined ? 'It reported nothing.' : `Its last report: ${progress.last}.`;
    throw new TenonError('CONTROL_TIMEOUT', `${name} did not answer within ${timeText(timeoutMs)}. ${last}`);
  }
}

function report(name: string, result: CallToolResult, isJson: boolean, screen: Screen): number {
  if (isJson) printJson(result, { indent: 2 });
  else showResult(name, result, screen);
  return result.isError === true ? EXIT.failed : EXIT.ok;
}

interface Positionals {
  readonly file: string | undefined;
  readonly tool: string | undefined;
  readonly words: string[];
}

/** With a server on the command line no file is needed; a file is known by its ending. */
function readPositionals(positionals: readonly string[], hasServers: boolean): Positionals {
  const [first, ...rest] = positionals;
  if (hasServers && (first === undefined || !/\.[mc]?[jt]s$/.test(first))) {
    return { file: undefined, tool: first, words: rest };
  }
  if (first === undefined) {
    throw new OptionError(
      'file',
      first,
      'a tools file is required: tenon call ./tools.js stock product=hammer',
    );
  }
  const [tool, ...words] = rest;
  return { file: first, tool, words };
}

interface GivenInput {
  /** The arguments as one value, if they were given so. */
  readonly given: Record<string, unknown> | undefined;
  readonly words: readonly string[];
}

async function readInput({ 'json-input': json }: CallValues, words: readonly string[]): Promise<GivenInput> {
  const rest = words.filter((word) => word !== '-');
  const isFromStdin = json === '-' || rest.length < words.length;
  if (json !== undefined && json !== '-' && isFromStdin) {
    throw new OptionError(
      '--json-input',
      json,
      'the arguments can come from --json-input or from stdin (-), not from both.',
    );
  }
  if (json === undefined && !isFromStdin) return { given: undefined, words: rest };
  return { given: parsed(isFromStdin ? await text(process.stdin) : (json ?? '')), words: rest };
}

function parsed(given: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (error) {
    throw new OptionError('--json-input', given, `the arguments are not JSON: ${messageOf(error)}.`);
  }
  if (isRecord(value)) return value;
  throw new OptionError('--json-input', given, `the arguments must be one object: '{"product":"hammer"}'.`);
}

function readTimeout(given: string | undefined): number {
  if (given === undefined) return 0;
  const seconds = Number(given);
  if (seconds > 0) return seconds * 1000;
  throw new OptionError(
    '--timeout',
    given,
    `--timeout must be a number of seconds above 0; it is "${given}".`,
  );
}
