import { basename } from 'node:path';
import { OptionError, type Options } from '../../index.js';
import { type Arguments, defineCommand, type Values } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { editorOf, type TypedCommand, typedTurns } from '../run/conversation.js';
import { Inspected, type InspectedOptions } from '../run/inspected.js';
import { Interruption } from '../run/interruption.js';
import { PageQuestions } from '../run/page-questions.js';
import { PermissionQuestions } from '../run/permission-questions.js';
import { Keyboard } from '../terminal/keyboard.js';
import type { LineEditor } from '../terminal/line-editor.js';
import { openInBrowser } from '../terminal/open-browser.js';
import { consoleTo } from '../terminal/own-console.js';
import { printJson } from '../terminal/print.js';
import { Screen } from '../terminal/screen.js';
import { FreshTools } from '../tools-file/fresh-tools.js';
import { agentRules, allowing } from './allowed.js';
import { ANSWERERS, type Answerer, chooseAnswerer } from './choose-answerer.js';
import { Playground } from './playground.js';
import { WatchedTools } from './watched-tools.js';

const options = {
  runtime: {
    type: 'string',
    choices: ANSWERERS,
    help: 'what answers; default: the Claude Code CLI, or a model with a key, or a rehearsal',
  },
  model: { type: 'string', value: '<model>', help: 'for example opus, sonnet, or a full name' },
  system: { type: 'string', value: '<text>', help: 'the system prompt' },
  allow: {
    type: 'string',
    value: '<tool>',
    multiple: true,
    help: 'run this tool without asking: add, mcp__shop__*, Read, "Bash(ls:*)"',
  },
  replay: { type: 'string', value: '<file>', help: 'take the answers of the model from a recording' },
  port: { type: 'string', value: '<port>', help: 'of the page; default: a free one' },
  open: { type: 'boolean', help: 'open the page in the browser' },
  force: { type: 'boolean', help: 'also where NODE_ENV is production' },
  json: { type: 'boolean', help: 'print the address of the page as a line of JSON' },
} as const;

export const devCommand = defineCommand({
  name: 'dev',
  usage: '<file> [options]',
  summary: 'Tries the tools of a file while you write it: a chat and a form for each tool, in the browser.',
  details: [
    'The file is loaded again whenever it changes, or something that it imports of its project; the conversation goes on. Prompts',
    'and permissions can be given in the page and in the terminal. Without a CLI and without a key a rehearsal model answers: it',
    'understands nothing, but a prompt such as "stock product=hammer" calls the tool. Ctrl-D ends it.',
  ].join('\n'),
  options,
  examples: [
    { command: 'tenon dev ./tools.js', does: 'with what is there: the CLI, a key, or a rehearsal' },
    {
      command: 'tenon dev ./tools.js --runtime rehearsal --open',
      does: 'without a model, in the browser at once',
    },
    { command: 'tenon dev ./tools.js --allow stock --model sonnet', does: 'one tool needs no permission' },
    { command: 'tenon dev ./tools.js --replay run.tape', does: 'with the recorded answers of a model' },
  ],
  maxPositionals: 1,
  execute: dev,
});

type DevValues = Values<typeof options>;

async function dev({ values, positionals: [file] }: Arguments<typeof options>): Promise<number> {
  if (file === undefined)
    throw new OptionError('file', file, 'a tools file is required: tenon dev ./tools.js');
  const port = readPort(values.port);
  const screen = new Screen();
  consoleTo((lines) => screen.note(lines));
  const answerer = await chooseAnswerer(values, process.env);
  const interruption = new Interruption(screen);
  const hasPerson = values.json !== true && process.stdin.isTTY === true && screen.isTerminal;
  const keyboard = hasPerson ? new Keyboard(process.stdin, () => interruption.press()) : undefined;
  try {
    return await play(file, values, { screen, answerer, port, interruption, keyboard });
  } finally {
    keyboard?.close();
  }
}

interface Stage {
  readonly screen: Screen;
  readonly answerer: Answerer;
  readonly port: number | undefined;
  readonly interruption: Interruption;
  /** Undefined: nobody is at a terminal. */
  readonly keyboard: Keyboard | undefined;
}

async function play(file: string, values: DevValues, stage: Stage): Promise<number> {
  const { screen, answerer, port, interruption, keyboard } = stage;
  const page = new PageQuestions();
  const questions = new PermissionQuestions(screen, { keyboard, page });
  const editor = keyboard === undefined ? undefined : editorOf(screen);
  const tools = new FreshTools(file);
  const playground = await Playground.load({
    file: basename(file),
    tools,
    answerer,
    options: agentOptions(values, answerer, questions),
    screen,
    questions,
    interruption,
    input: editor,
  });
  const inspected = await Inspected.start(basename(file), page, {
    source: 'playground',
    control: controlOf(playground),
    port,
    force: values.force,
  });
  const watched = new WatchedTools(playground, tools, screen);
  let forget = async (): Promise<void> => {};
  const close = async (): Promise<void> => {
    watched.close();
    screen.setInput(undefined);
    editor?.hide();
    await Promise.all([playground.close(), inspected.close(), forget()]);
  };
  interruption.alsoEnd(close);
  playground.begin((state) => inspected.inspector.playground(state));
  try {
    forget = await announce(inspected.url, stage, values);
    if (editor === undefined || keyboard === undefined) await stopped(interruption);
    else await atTerminal(editor, keyboard, playground, watched, stage);
  } finally {
    await close();
  }
  return interruption.exitCode ?? EXIT.ok;
}

/** What the page may do. Nothing in it names a file, a program or a server to start. */
function controlOf(playground: Playground): NonNullable<InspectedOptions['control']> {
  return {
    call: (body, signal) => playground.call(body, signal),
    prompt: (text) => void playground.prompt(text, { isTyped: false }),
    interrupt: () => playground.interrupt(),
  };
}

function agentOptions(
  { allow = [], model, system }: DevValues,
  answerer: Answerer,
  { canUseTool }: PermissionQuestions,
): Options {
  return {
    ...answerer.options,
    model,
    systemPrompt: system,
    allowedTools: agentRules(allow),
    canUseTool: allowing(allow, canUseTool),
    includePartialMessages: true,
    throwOnErrorResult: false,
  };
}

async function stopped(interruption: Interruption): Promise<void> {
  await new Promise<void>((resolve) => interruption.idle(resolve));
  interruption.leaves();
}

async function atTerminal(
  editor: LineEditor,
  keyboard: Keyboard,
  playground: Playground,
  watched: WatchedTools,
  { screen, interruption }: Stage,
): Promise<void> {
  keyboard.typeInto(editor);
  screen.setInput(editor);
  const turn = (text: string): Promise<void> => playground.prompt(text, { isTyped: true });
  const commands: Record<string, TypedCommand> = {
    '/reload': { does: 'load the file again, if a change was not seen', run: () => watched.reload() },
    '/tools': { does: 'the names of the tools', run: () => screen.note(playground.toolNames.join(', ')) },
  };
  await typedTurns(editor, screen, interruption, turn, commands);
}

/** Where the page is, and what answers. Returns a function that removes what was left for the browser. */
async function announce(
  url: string,
  { screen, answerer }: Stage,
  values: DevValues,
): Promise<() => Promise<void>> {
  const { paint } = screen;
  if (values.json === true)
    printJson({ type: 'listening', url, model: answerer.name, isReal: answerer.isReal });
  else {
    screen.note(
      answerer.isReal ? paint.dim(answerer.announcement) : paint.yellow(`! ${answerer.announcement}`),
    );
    screen.note(`Playground: ${paint.bold(url)}`);
    screen.note(paint.dim('/help shows what can be typed; Ctrl-D ends it.'));
  }
  return values.open === true
    ? openInBrowser(url, (text) => screen.note(paint.yellow(`! ${text}`)))
    : async () => {};
}

function readPort(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new OptionError('--port', given, `--port must be a port from 0 to 65535; it is "${given}".`);
}
