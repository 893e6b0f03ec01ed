import {
  explainPermissions,
  isSuccess,
  type McpServerConfig,
  OptionError,
  type Options,
  query,
  type ToolPermission,
} from '../../index.js';
import { mcpToolName, mcpToolPrefix } from '../../mcp/tool-names.js';
import { type Arguments, defineCommand, type Values } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { Keyboard } from '../terminal/keyboard.js';
import { consoleTo } from '../terminal/own-console.js';
import { Screen } from '../terminal/screen.js';
import { type FoundServer, loadTools } from '../tools-file/load-tools.js';
import { chooseRuntime, RUNTIMES } from './choose-runtime.js';
import { Interruption } from './interruption.js';
import { PermissionQuestions } from './permission-questions.js';
import { readPrompt } from './prompt.js';
import { JsonReporter, type Reporter, ScreenReporter } from './reporter.js';
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
  record: { type: 'string', value: '<file>', help: 'record the run, for tenon replay; without secrets' },
  json: { type: 'boolean', help: 'print every message as a line of JSON' },
} as const;

export const runCommand = defineCommand({
  name: 'run',
  usage: '"<prompt>" [--tools <file>] [options]',
  summary: 'Runs an agent in the terminal, with tools from a file.',
  details: [
    'The answer goes to stdout; calls, questions and the closing line go to stderr. Without a terminal nobody can be asked,',
    'so a tool that is not allowed is denied. Ctrl-C interrupts the turn; a second Ctrl-C quits. The prompt "-" is read',
    'from stdin. The embedded runtime needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL.',
  ].join('\n'),
  options,
  examples: [
    { command: 'tenon run "What is 15 + 27?" --tools ./tools.js', does: 'an agent with your tools' },
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
  const prompt = await readPrompt(positionals);
  const maxTurns = readMaxTurns(values['max-turns']);
  const screen = new Screen();
  consoleTo((lines) => screen.note(lines));
  const found = await loadTools(values.tools ?? [], '--tools');
  const servers = addServers(found, readServers(values.server ?? []));
  const runtime = await chooseRuntime(values.runtime, process.env);
  if (values.json !== true) screen.note(screen.paint.dim(runtime.announcement));
  return converse(prompt, values, screen, {
    ...runtime.options,
    mcpServers: servers,
    allowedTools: allowedTools(values, found, Object.keys(servers)),
    model: values.model,
    maxTurns,
    systemPrompt: values.system,
    includePartialMessages: true,
    throwOnErrorResult: false,
    ...recording(values, screen),
  });
}

/** The file may be another one than was asked for: a recording never overwrites anything. */
function recording(
  { record, json }: RunValues,
  screen: Screen,
): Pick<Options, 'record' | 'onDebug' | 'stderr'> {
  if (record === undefined) return {};
  const note = (text: string): void => {
    if (json !== true) screen.note(screen.paint.dim(text));
  };
  return {
    record,
    onDebug: ({ kind, message }) => kind === 'record' && note(`${capitalised(message)}.`),
    // Warnings of Tenon itself; the agent's own words are not shown in a run.
    stderr: (text) => text.startsWith('tenon: ') && screen.note(screen.paint.yellow(text.trimEnd())),
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

async function converse(prompt: string, values: RunValues, screen: Screen, given: Options): Promise<number> {
  const interruption = new Interruption(screen);
  // A question needs a person to read it and press a key.
  const canAsk = values.json !== true && process.stdin.isTTY && screen.isTerminal;
  const keyboard = canAsk ? new Keyboard(process.stdin, () => interruption.press()) : undefined;
  const questions = new PermissionQuestions(screen, keyboard);
  const reporter: Reporter =
    values.json === true ? new JsonReporter() : new ScreenReporter(screen, { questions });
  try {
    const agent = query({ prompt, options: withQuestions(given, questions) });
    interruption.listen(agent);
    for await (const message of agent) reporter.message(message);
  } catch (error) {
    if (!interruption.hasQuit) throw error;
  } finally {
    reporter.end();
    keyboard?.close();
  }
  if (interruption.exitCode !== undefined) return interruption.exitCode;
  return reporter.result !== undefined && isSuccess(reporter.result) ? EXIT.ok : EXIT.failed;
}

/** Where rules decide about every tool there is nothing to ask, and a callback would be warned about. */
function withQuestions(given: Options, { canUseTool }: PermissionQuestions): Options {
  const asking: Options = { ...given, canUseTool };
  const isAsked = ({ decision }: ToolPermission): boolean => decision === 'ask';
  return given.runtime === undefined || explainPermissions(asking).tools.some(isAsked) ? asking : given;
}

function readMaxTurns(given: string | undefined): number | undefined {
  if (given === undefined || /^[1-9]\d*$/.test(given)) return given === undefined ? undefined : Number(given);
  throw new OptionError(
    '--max-turns',
    given,
    `--max-turns must be a whole number of at least 1; it is "${given}".`,
  );
}

function addServers(
  found: readonly FoundServer[],
  others: Record<string, McpServerConfig>,
): Record<string, McpServerConfig> {
  for (const { name } of found) {
    if (!Object.hasOwn(others, name)) continue;
    throw new OptionError(
      '--server',
      name,
      `--server ${name}=…: the tools file already has a server of that name. Choose another name.`,
    );
  }
  return { ...Object.fromEntries(found.map(({ name, config }) => [name, config])), ...others };
}

/** `add` is short for `mcp__tools__add` if a file has a tool of that name. */
function allowedTools(
  values: RunValues,
  found: readonly FoundServer[],
  servers: readonly string[],
): string[] {
  const fullNames = new Map(
    found.flatMap(({ name, tools }) => tools.map((tool) => [tool, mcpToolName(name, tool)] as const)),
  );
  return [
    ...(values.allow ?? []).map((rule) => fullNames.get(rule) ?? rule),
    ...(values.yes === true ? servers.map((name) => `${mcpToolPrefix(name)}__*`) : []),
  ];
}
