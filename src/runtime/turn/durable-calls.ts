import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { ToolUseBlock } from '../../protocol/wire/content.js';
import type { Journal, JournaledCall, JournalState } from '../../protocol/wire/journal.js';
import { withTimeout } from '../../sessions/store-calls.js';
import {
  failedOutcome,
  mayRepeat,
  type RuntimeTool,
  type ToolCall,
  type ToolOutcome,
} from '../tools/tool-port.js';
import type { Transcript } from '../transcript/transcript.js';
import type { AssistantStream } from './assistant-stream.js';
import { resultWith, type ToolRunResult } from './tool-run.js';
import { ClosedError } from './turn-record.js';

export const UNKNOWN =
  'The outcome of this call is unknown: it had begun when the program stopped, so it may or may not have had its effect, and it was not made again.';
export const BROKEN_OFF = 'The answer broke off before the call began. It has not run.';
export const NOT_STORED = 'The call was not made, because the answer could not be stored.';
const NOT_RECORDED = 'The call was not made, because it could not be recorded.';

/**
 * What may have happened to a call before it is made: nothing, if the model has just asked for it; also its end, if the
 * conversation was resumed; also its beginning, if it may be repeated.
 */
type Expected = 'new' | 'resumed' | 'repeated';

/** The calls of a conversation that is to survive its program: each is recorded before and after it runs. */
export class DurableCalls {
  readonly #journal: Journal;
  readonly #transcript: Transcript;
  readonly #expected: Expected;

  constructor(journal: Journal, transcript: Transcript, expected: Expected = 'new') {
    this.#journal = journal;
    this.#transcript = transcript;
    this.#expected = expected;
  }

  /** For calls of an earlier program. */
  resumed(mayRepeat: boolean): DurableCalls {
    return new DurableCalls(this.#journal, this.#transcript, mayRepeat ? 'repeated' : 'resumed');
  }

  /** Resolves when the store has all that was said; rejects if it has not, and then no call may begin. */
  stored(): Promise<void> {
    return this.#transcript.stored();
  }

  /** Nobody has stopped the turn, only its program: another one goes on with the calls. */
  isLeftOpen({ reason }: AbortSignal): boolean {
    return reason instanceof ClosedError;
  }

  keyOf(toolUseId: string): string {
    return `${this.#transcript.sessionId}:${toolUseId}`;
  }

  /** What is known of a call that has no result. */
  look(block: ToolUseBlock): Promise<JournalState> {
    return this.#ask('look', () => this.#journal.look(this.#call(block.id, block.name, block.input)));
  }

  /** Runs a call between its two records. Its result gets the outcome, and the reason to end the turn if one is not kept. */
  async run(
    result: ToolRunResult,
    tool: RuntimeTool,
    call: ToolCall,
    execute: (call: ToolCall) => Promise<ToolOutcome>,
  ): Promise<void> {
    const isRepeatable = mayRepeat(tool) || tool.reconcile !== undefined;
    const recorded = { ...this.#call(call.toolUseId, tool.name, call.input), isRepeatable };
    const begun = await this.#recorded(result, 'begin', () => this.#journal.begin(recorded));
    if (begun === undefined) {
      result.outcome = failedOutcome(NOT_RECORDED);
      return;
    }
    const instead = this.#instead(begun, call.toolUseId);
    if (instead !== undefined) {
      result.outcome = instead;
      return;
    }
    result.outcome = await execute({ ...call, idempotencyKey: this.keyOf(call.toolUseId) });
    await this.#recorded(result, 'end', () => this.#journal.end(recorded, resultOf(result.outcome)));
  }

  /** Calls whose input could not be read: in what is stored, nobody could see that it is not what the model meant. */
  async settleUnreadable({ unreadable, message }: AssistantStream): Promise<void> {
    for (const block of unreadable.size === 0 ? [] : message.content) {
      const problem = block.type === 'tool_use' ? unreadable.get(block.id) : undefined;
      if (block.type !== 'tool_use' || problem === undefined) continue;
      const call = this.#call(block.id, block.name, block.input);
      await this.#ask('begin', () => this.#journal.begin(call));
      await this.#ask('end', () => this.#journal.end(call, resultOf(failedOutcome(problem))));
    }
  }

  /** What takes the place of the call; undefined: it is to be made. */
  #instead(begun: JournalState, id: string): ToolOutcome | undefined {
    if (begun.state === 'new') return undefined;
    if (this.#expected === 'new') {
      return failedOutcome(
        `The call was not made: its id, ${id}, belongs to an earlier call. Call the tool again.`,
      );
    }
    if (begun.state === 'done') return outcomeIn(begun.result);
    return this.#expected === 'repeated' ? undefined : failedOutcome(UNKNOWN);
  }

  async #recorded<Answer>(
    result: ToolRunResult,
    method: keyof Journal,
    ask: () => Promise<Answer>,
  ): Promise<Answer | undefined> {
    try {
      return await this.#ask(method, ask);
    } catch (error) {
      result.stop = { kind: 'journal', reason: messageOf(error) };
      return undefined;
    }
  }

  /** The journal is the user's code: it may throw, and it may never answer. */
  async #ask<Answer>(method: keyof Journal, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      const late = new Error(`no answer within ${LIMITS.storeCallMs} ms`);
      return await withTimeout(async () => ask(), LIMITS.storeCallMs, late);
    } catch (error) {
      throw new TenonError('SESSION_STORE_FAILED', `Journal.${method}() failed: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  #call(toolUseId: string, toolName: string, input: unknown): JournaledCall {
    return { sessionId: this.#transcript.sessionId, toolUseId, toolName, input };
  }
}

/** Results for calls that were never made. */
export function notBegun(
  asked: readonly ToolUseBlock[],
  text: string,
): { calls: readonly Promise<ToolRunResult>[] } {
  return { calls: asked.map(async (block) => resultWith(block, failedOutcome(text))) };
}

/** As JSON keeps it. */
function resultOf({ content, isError, detail, added }: ToolOutcome): unknown {
  return {
    content,
    ...(isError === undefined ? {} : { isError }),
    ...(detail === undefined || detail === content ? {} : { detail }),
    ...(added === undefined ? {} : { added }),
  };
}

export function outcomeIn(result: unknown): ToolOutcome {
  if (isRecord(result) && (typeof result.content === 'string' || Array.isArray(result.content))) {
    return { detail: result.content, ...result } as ToolOutcome;
  }
  return failedOutcome('The call has run, but the record of its result cannot be read.');
}
