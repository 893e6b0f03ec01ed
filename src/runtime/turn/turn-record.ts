import { messageOf } from '../../protocol/base/errors.js';
import type { MessageParam, UserContentBlock } from '../../protocol/wire/content.js';
import type {
  SDKAssistantMessageError,
  SDKDeferredToolUse,
  SDKResultError,
  SDKResultMessage,
  TerminalReason,
} from '../../protocol/wire/messages/index.js';
import type { Lines } from '../conversation/lines.js';
import { ModelError } from '../model.js';

/** How a turn ended. */
export interface TurnOutcome {
  subtype: SDKResultMessage['subtype'];
  isError: boolean;
  terminalReason: TerminalReason | undefined;
  /** For a success, the final text; for an error, the reason. */
  text: string;
  stopReason: string | null;
  numTurns: number;
  apiErrorStatus?: number | undefined;
  apiErrorType?: string | undefined;
  /** The call that a hook has deferred. */
  deferredToolUse?: SDKDeferredToolUse | undefined;
}

/** A turn in which the model was not asked. */
export function emptyTurn(text: string): TurnOutcome {
  return {
    subtype: 'success',
    isError: false,
    terminalReason: undefined,
    text,
    stopReason: null,
    numTurns: 0,
  };
}

/** An internal error. */
export function brokenTurn(text: string): TurnOutcome {
  return { ...emptyTurn(text), subtype: 'error_during_execution', isError: true };
}

interface TurnRecordDependencies {
  lines: Lines;
  /** Adds a message to the transcript; `lines` are the ids of the lines that showed it. */
  remember(message: MessageParam, lines?: readonly string[]): void;
}

/** What a turn has shown and remembered, and the ways in which it ends. */
export class TurnRecord {
  /** Results and messages sent in the user's name: `num_turns` counts them. */
  userLines = 0;
  stopReason: string | null = null;
  /** The ids of the lines of the current answer, and then of its results. */
  shown: string[] = [];
  readonly #dependencies: TurnRecordDependencies;

  constructor(dependencies: TurnRecordDependencies) {
    this.#dependencies = dependencies;
  }

  takeShown(): string[] {
    const shown = this.shown;
    this.shown = [];
    return shown;
  }

  modelFailed(error: unknown): TurnOutcome {
    const { status, type } = error instanceof ModelError ? error : {};
    const text = status === undefined ? messageOf(error) : `API Error: ${status} ${messageOf(error)}`;
    const stopReason = this.#dependencies.lines.synthetic(text, {
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
    this.shown.push(this.#dependencies.lines.user(content));
    this.userLines += 1;
    this.#dependencies.remember({ role: 'user', content: [...blocks, ...content] }, this.takeShown());
    return this.failed('error_during_execution', 'aborted_tools', 'The turn was interrupted.');
  }

  interruptedWhileStreaming(): TurnOutcome {
    const content = [{ type: 'text' as const, text: '[Request interrupted by user]' }];
    this.#dependencies.remember({ role: 'user', content }, [this.#dependencies.lines.user(content)]);
    this.userLines += 1;
    return this.failed('error_during_execution', 'aborted_streaming', 'The turn was interrupted.');
  }

  finished(text: string, terminalReason: TerminalReason): TurnOutcome {
    return { ...this.#base(), subtype: 'success', isError: false, terminalReason, text };
  }

  failed(
    subtype: SDKResultError['subtype'],
    terminalReason: TerminalReason | undefined,
    text: string,
  ): TurnOutcome {
    return { ...this.#base(), subtype, isError: true, terminalReason, text };
  }

  #base(): Pick<TurnOutcome, 'stopReason' | 'numTurns'> {
    return { stopReason: this.stopReason, numTurns: this.userLines + 1 };
  }
}

/** The value of the `error` field for a status of the model's API. */
function errorKindOf(status: number | undefined): SDKAssistantMessageError {
  if (status === 401 || status === 403) return 'authentication_failed';
  if (status === 429) return 'rate_limit';
  if (status === 400) return 'invalid_request';
  if (status === 529) return 'overloaded';
  return status !== undefined && status >= 500 ? 'server_error' : 'unknown';
}
