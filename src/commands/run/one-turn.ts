import { explainPermissions, isSuccess, type Options, query, type ToolPermission } from '../../index.js';
import { EXIT } from '../exit-codes.js';
import { Keyboard } from '../terminal/keyboard.js';
import type { Screen } from '../terminal/screen.js';
import type { Inspected } from './inspected.js';
import { Interruption } from './interruption.js';
import type { PageQuestions } from './page-questions.js';
import { PermissionQuestions } from './permission-questions.js';
import { JsonReporter, type Reporter, ScreenReporter } from './reporter.js';

/** What a run has besides the options of its agent. */
export interface Running {
  screen: Screen;
  /** Where questions are asked, too. */
  page: PageQuestions | undefined;
  /** Shows the run in a browser. */
  inspected: Inspected | undefined;
  isJson: boolean;
}

/** One prompt and its answer; resolves with the exit code. */
export async function oneTurn(prompt: string, given: Options, running: Running): Promise<number> {
  const { screen, page, isJson, inspected } = running;
  const interruption = new Interruption(screen);
  interruption.alsoEnd(async () => inspected?.close());
  // A question needs a person to read it and press a key.
  const canAsk = !isJson && process.stdin.isTTY && screen.isTerminal;
  const keyboard = canAsk ? new Keyboard(process.stdin, () => interruption.press()) : undefined;
  const questions = new PermissionQuestions(screen, { keyboard, page });
  const reporter: Reporter = isJson ? new JsonReporter() : new ScreenReporter(screen, { questions });
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
  const isDone = reporter.result !== undefined && isSuccess(reporter.result);
  const code = interruption.exitCode ?? (isDone ? EXIT.ok : EXIT.failed);
  if (inspected !== undefined) await lookedAt(inspected, code, canAsk, interruption, screen);
  return code;
}

/** A page that is gone before somebody could open it would be of no use; a script does not wait for people. */
async function lookedAt(
  inspected: Inspected,
  code: number,
  hasPerson: boolean,
  interruption: Interruption,
  screen: Screen,
): Promise<void> {
  inspected.ended(code);
  if (!hasPerson || interruption.hasQuit) return;
  screen.note(screen.paint.dim('The inspector stays open. Ctrl-C closes it.'));
  await new Promise<void>((resolve) => interruption.idle(resolve));
}

/** Where rules decide about every tool there is nothing to ask, and a callback would be warned about. */
export function withQuestions(given: Options, { canUseTool }: PermissionQuestions): Options {
  const asking: Options = { ...given, canUseTool };
  const isAsked = ({ decision }: ToolPermission): boolean => decision === 'ask';
  return given.runtime === undefined || explainPermissions(asking).tools.some(isAsked) ? asking : given;
}
