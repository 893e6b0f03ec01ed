import { createSession, type Options, type Session } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { History } from '../terminal/history.js';
import { Keyboard } from '../terminal/keyboard.js';
import { LineEditor } from '../terminal/line-editor.js';
import type { Screen } from '../terminal/screen.js';
import { Interruption } from './interruption.js';
import { type Running, withQuestions } from './one-turn.js';
import { PermissionQuestions } from './permission-questions.js';
import { ScreenReporter } from './reporter.js';

/** What can be typed besides prompts. */
export interface TypedCommand {
  readonly does: string;
  run(): Promise<void> | void;
}

function helpText(commands: Readonly<Record<string, TypedCommand>>): string {
  const rows = [
    ['/help', 'this'],
    ...Object.entries(commands).map(([name, { does }]) => [name, does]),
    ['/exit', 'leave; Ctrl-D does the same'],
    ['Ctrl-C', 'interrupts a turn; between turns it clears the line, and twice leaves'],
    ['\\', 'at the end of a line: the prompt goes on in the next one'],
  ];
  const lines = rows.map(([name = '', does]) => `${name.padEnd(8)} ${does}`);
  return [...lines, 'Everything else goes to the agent, its own commands (/compact) included.'].join('\n');
}

/** Prompts from the terminal and their answers, one after the other in one session; resolves with the exit code. */
export async function converse(given: Options, { screen, page, inspected }: Running): Promise<number> {
  const interruption = new Interruption(screen);
  const keyboard = new Keyboard(process.stdin, () => interruption.press());
  const editor = editorOf(screen);
  keyboard.typeInto(editor);
  screen.setInput(editor);
  const questions = new PermissionQuestions(screen, { keyboard, page });
  const session = createSession(withQuestions(given, questions));
  interruption.alsoEnd(async () => {
    screen.setInput(undefined);
    editor.hide();
    await inspected?.close();
  });
  interruption.listen(session.query);
  const talk = new Talk(session, screen, questions, interruption);
  try {
    screen.note(screen.paint.dim('/help shows what can be typed; Ctrl-D leaves.'));
    await typedTurns(editor, screen, interruption, (text) => talk.turn(text));
  } catch (error) {
    if (!interruption.hasQuit) throw error;
  } finally {
    screen.setInput(undefined);
    keyboard.close();
    await session.close();
  }
  if (talk.sessionId !== undefined) {
    screen.note(screen.paint.dim(`To go on: tenon run --resume ${talk.sessionId}`));
  }
  const code = interruption.exitCode ?? EXIT.ok;
  inspected?.ended(code);
  return code;
}

/** The turns of one session, as they are shown on the screen. */
export class Talk {
  /** Known after the first turn. */
  sessionId: string | undefined;
  readonly #session: Session;
  readonly #screen: Screen;
  readonly #questions: PermissionQuestions;
  readonly #interruption: Interruption;

  constructor(session: Session, screen: Screen, questions: PermissionQuestions, interruption: Interruption) {
    this.#session = session;
    this.#screen = screen;
    this.#questions = questions;
    this.#interruption = interruption;
  }

  /** Resolves when the turn is over. Rejects if the agent is gone. */
  async turn(prompt: string): Promise<void> {
    this.#interruption.turnBegins();
    const reporter = new ScreenReporter(this.#screen, { questions: this.#questions });
    try {
      this.#session.send(prompt);
      for await (const message of this.#session.stream()) reporter.message(message);
    } finally {
      reporter.end();
      this.#interruption.turnEnded();
    }
    this.sessionId = reporter.result?.session_id ?? this.sessionId;
    // Without a result the agent has ended by itself.
    if (reporter.result === undefined) await this.#session.query.done;
  }
}

export function editorOf(screen: Screen): LineEditor {
  const history = new History((text) => screen.note(screen.paint.yellow(`! ${text}`)));
  return new LineEditor({
    output: process.stderr,
    history: history.read(),
    onLine: (line) => history.add(line),
  });
}

/** What is typed, until the person leaves. */
export async function typedTurns(
  editor: LineEditor,
  screen: Screen,
  interruption: Interruption,
  turn: (text: string) => Promise<void>,
  commands: Readonly<Record<string, TypedCommand>> = {},
): Promise<void> {
  let presses = 0;
  interruption.idle(() => {
    if (editor.clear()) presses = 0;
    else presses += 1;
    if (presses === 1) screen.note(screen.paint.yellow('Ctrl-C again leaves.'));
    else if (presses > 1) {
      interruption.leaves();
      editor.leave();
    }
  });
  for (;;) {
    const text = await editor.read();
    presses = 0;
    const word = text?.trim() ?? '';
    if (text === undefined || word === '/exit' || word === '/quit') return;
    if (word === '/help') screen.note(helpText(commands));
    else if (Object.hasOwn(commands, word)) await commands[word]?.run();
    else await turn(text);
  }
}
