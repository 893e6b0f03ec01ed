import type { MessageParam, UserContentBlock } from '../protocol/content.js';
import { messageOf } from '../protocol/errors.js';
import type { Lines } from './lines.js';
import { ModelError } from './model.js';
import { errorKindOf, type TurnOutcome } from './turn-outcome.js';

interface TurnRecordDependencies {
  lines: Lines;
  /** Adds to what was said so far; `lines` are the ids of those that showed it. */
  remember(message: MessageParam, lines?: readonly string[]): void;
}

/** What was shown and said in a turn, and the ways in which it ends. */
export class TurnRecord {
  /** Results and words that were said to the model in the user's name: `num_turns` counts them. */
  userLines = 0;
  stopReason: string | null = null;
  /** Ids of the lines of the answer, and then of its results, that are being put together. */
  shown: string[] = [];
  readonly #with: TurnRecordDependencies;

  constructor(dependencies: TurnRecordDependencies) {
    this.#with = dependencies;
  }

  takeShown(): string[] {
    const shown = this.shown;
    this.shown = [];
    return shown;
  }

  modelFailed(error: unknown): TurnOutcome {
    const { status, type } = error instanceof ModelError ? error : {};
    const text = status === undefined ? messageOf(error) : `API Error: ${status} ${messageOf(error)}`;
    const stopReason = this.#with.lines.synthetic(text, {
      error: errorKindOf(status),
      is_api_error_message: true,
      api_error_status: status ?? null,
      ...(type === undefined ? {} : { api_error_type: type }),
    });
    const outcome = this.finished(text, 'api_error');
    return { ...outcome, isError: true, stopReason, apiErrorStatus: status, apiErrorType: type };
  }

  interrupted(blocks: UserContentBlock[]): TurnOutcome {
    const content = [{ type: 'text' as const, text: '[Request interrupted by user for tool use]' }];
    this.shown.push(this.#with.lines.user(content));
    this.userLines += 1;
    this.#with.remember({ role: 'user', content: [...blocks, ...content] }, this.takeShown());
    return this.failed('error_during_execution', 'aborted_tools', 'The turn was interrupted.');
  }

  interruptedWhileStreaming(): TurnOutcome {
    const content = [{ type: 'text' as const, text: '[Request interrupted by user]' }];
    this.#with.remember({ role: 'user', content }, [this.#with.lines.user(content)]);
    this.userLines += 1;
    return this.failed('error_during_execution', 'aborted_streaming', 'The turn was interrupted.');
  }

  finished(text: string, terminalReason: string): TurnOutcome {
    return { ...this.#base(), subtype: 'success', isError: false, terminalReason, text };
  }

  failed(subtype: string, terminalReason: string | undefined, text: string): TurnOutcome {
    return { ...this.#base(), subtype, isError: true, terminalReason, text };
  }

  #base(): Pick<TurnOutcome, 'stopReason' | 'numTurns'> {
    return { stopReason: this.stopReason, numTurns: this.userLines + 1 };
  }
}
