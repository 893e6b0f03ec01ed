import { clock, type Timer } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import { withoutUndefined } from '../../protocol/base/kinds.js';
import type {
  CanUseTool,
  CanUseToolContext,
  PermissionResult,
} from '../../protocol/permissions/permissions.js';
import type {
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
} from '../../protocol/wire/host-callbacks.js';
import { elicitationResult, permissionResult } from '../answers.js';
import type { Desk } from '../conversations/agent.js';
import type { HostedJournal } from '../conversations/hosted-journal.js';
import type { HostAnswer, HostNotice, HostQuestion } from '../host-messages.js';
import type { ApprovalState } from '../storage/port/approvals.js';
import type { Lease } from '../storage/port/conversation.js';
import type { HostStorage } from '../storage/port/storage.js';

export interface QuestionParts {
  readonly storage: HostStorage;
  readonly lease: Lease;
  /** The prompt that is worked on. */
  readonly prompt: string;
  readonly holdMs: number;
  /** What is asked of people is told to readers. */
  tell(notice: HostNotice): void;
  /** The question is no longer asked. */
  withdraw(key: string): void;
  /** Nobody has answered for a while, and nothing else is going on: the conversation can be put away. */
  onParkable(): void;
  /** A question could not be stored. */
  failed(error: unknown): void;
}

interface Waiting {
  readonly question: HostQuestion;
  resolve(answer: HostAnswer): void;
}

interface Answered {
  readonly answer: HostAnswer;
  /** Of the call, as it was shown. */
  readonly input: Record<string, unknown> | undefined;
}

const STOPPED: PermissionResult = {
  behavior: 'deny',
  message: 'The turn was interrupted before anybody had answered.',
  interrupt: true,
};

/** The questions of one run: asked in the storage, answered from it, and not waited for long. */
export class Questions implements Desk {
  readonly #parts: QuestionParts;
  readonly #waiting = new Map<string, Waiting>();
  readonly #early = new Map<string, HostAnswer>();
  /** What readers were told of, now or before this run, and nobody has answered: ids by keys. */
  readonly #open: Map<string, string>;
  #journal: HostedJournal | undefined;
  #hold: Timer | undefined;
  #isOverdue = false;
  #isInterrupted = false;
  /** How often a server has asked the same: the same question again is another one. */
  readonly #elicitations = new Map<string, number>();

  constructor(parts: QuestionParts, open: readonly { key: string; id: string }[]) {
    this.#parts = parts;
    this.#open = new Map(open.map(({ key, id }) => [key, id]));
  }

  /** Calls that run keep the conversation from being put away. */
  watch(journal: HostedJournal): void {
    this.#journal = journal;
    journal.onEnd = () => this.#consider();
  }

  /** What readers know and nobody has answered. */
  get keys(): readonly string[] {
    return [...this.#open.keys()];
  }

  get size(): number {
    return this.#waiting.size;
  }

  readonly canUseTool: CanUseTool = async (toolName, input, context) => {
    const call = withoutUndefined({
      toolName,
      input,
      toolUseId: context.toolUseID,
      agentId: context.agentID,
      title: context.title,
      displayName: context.displayName,
      description: context.description,
    });
    const question = (
      toolName === 'AskUserQuestion'
        ? { kind: 'question', ...call }
        : { kind: 'permission', ...call, ...permissionFields(context) }
    ) as HostQuestion;
    if (this.#isInterrupted) return STOPPED;
    const answered = await this.#ask(context.toolUseID, question, context.signal);
    if (answered === undefined) return STOPPED;
    // What people have seen is what they have allowed, whatever hooks have made of the input since.
    return permissionResult(answered.answer, answered.input ?? input);
  };

  readonly onElicitation: OnElicitation = async (request, { signal }) => {
    if (this.#isInterrupted) return { action: 'cancel' };
    const answered = await this.#ask(this.#keyOf(request), { kind: 'elicitation', request }, signal);
    if (answered === undefined) return { action: 'cancel' } as ElicitationResult;
    return elicitationResult(answered.answer);
  };

  /** An answer has arrived while the turn waits for it. */
  answered(key: string, answer: HostAnswer): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    this.#open.delete(key);
    // Somebody may be faster than the storage, which has yet to say that the question is stored.
    if (waiting === undefined) this.#early.set(key, answer);
    waiting?.resolve(answer);
    if (this.#waiting.size === 0) this.#stopHolding();
  }

  /**
   * Nobody is asked any more: what waits is denied, and so is what would be asked. True: that ends the turn, and says of the
   * call that it was not made.
   */
  interrupt(): boolean {
    this.#isInterrupted = true;
    const hadQuestions = this.#waiting.size === 0 && this.#open.size > 0;
    this.#stopHolding();
    this.withdraw();
    // A turn that was put away asks again first thing.
    let isEnd = hadQuestions;
    for (const { question, resolve } of this.#waiting.values()) {
      const isElicitation = question.kind === 'elicitation';
      isEnd ||= !isElicitation && question.agentId === undefined;
      resolve(isElicitation ? { action: 'cancel' } : STOPPED);
    }
    this.#waiting.clear();
    return isEnd;
  }

  /** Tells readers that nothing is asked any more. */
  withdraw(): void {
    for (const approval of this.#open.values())
      this.#parts.tell({ type: 'host', subtype: 'withdrawn', approval });
    this.#open.clear();
  }

  stop(): void {
    this.#stopHolding();
    this.#waiting.clear();
  }

  /** Undefined: nobody will answer. */
  async #ask(key: string, question: HostQuestion, signal: AbortSignal): Promise<Answered | undefined> {
    const { approvals } = this.#parts.storage;
    try {
      const asked = await approvals.ask(this.#parts.lease, key, question);
      const answer = await this.#answerTo(key, question, asked, signal);
      if (answer === undefined) return undefined;
      const stored = (await approvals.get(asked.id))?.question as { input?: Answered['input'] } | undefined;
      return { answer, input: stored?.input };
    } catch (error) {
      this.#parts.failed(error);
      // The turn is cut off, and goes on where the storage is. An answer now would be told to the model.
      await untilAbort(signal);
      return undefined;
    }
  }

  async #answerTo(
    key: string,
    question: HostQuestion,
    asked: { id: string } & ApprovalState,
    signal: AbortSignal,
  ): Promise<HostAnswer | undefined> {
    const { lease, prompt, tell } = this.#parts;
    if (asked.state === 'answered') {
      this.#open.delete(key);
      return asked.answer as HostAnswer;
    }
    if (asked.state === 'gone' || this.#isInterrupted || signal.aborted) return undefined;
    if (!this.#open.has(key)) {
      this.#open.set(key, asked.id);
      const { tenant, session } = lease;
      const approval = { id: asked.id, tenant, session, since: clock.now(), ...question };
      tell({ type: 'host', subtype: 'approval', prompt, approval });
    }
    const early = this.#early.get(key);
    if (early !== undefined) return early;
    return new Promise((resolve) => {
      this.#waiting.set(key, { question, resolve });
      this.#startHolding();
      void untilAbort(signal).then(() => {
        if (this.#waiting.delete(key) && !isGone(signal)) this.#takeBack(key, asked.id);
        resolve(undefined);
      });
    });
  }

  /** Whoever has asked no longer wants to know: the call was cancelled, or the server has withdrawn its question. */
  #takeBack(key: string, approval: string): void {
    this.#open.delete(key);
    this.#parts.tell({ type: 'host', subtype: 'withdrawn', approval });
    this.#parts.withdraw(key);
    if (this.#waiting.size === 0) this.#stopHolding();
  }

  /** Servers number their questions themselves, if at all: the same one in the same turn has the same key, also after a restart. */
  #keyOf({ serverName, message, elicitationId }: ElicitationRequest): string {
    const what = `elicitation ${this.#parts.prompt} ${hash(JSON.stringify([serverName, elicitationId ?? message]))}`;
    const count = (this.#elicitations.get(what) ?? 0) + 1;
    this.#elicitations.set(what, count);
    return `${what} ${count}`;
  }

  #startHolding(): void {
    this.#isOverdue = false;
    clock.clearTimeout(this.#hold);
    this.#hold = clock.setTimeout(() => {
      this.#isOverdue = true;
      this.#consider();
    }, this.#parts.holdMs);
  }

  #stopHolding(): void {
    clock.clearTimeout(this.#hold);
    this.#isOverdue = false;
  }

  #consider(): void {
    if (this.#isOverdue && this.#waiting.size > 0 && this.#isParkable()) this.#parts.onParkable();
  }

  /** A call that runs would be cut off, unless it waits itself for an answer and can be made again. */
  #isParkable(): boolean {
    const questions = [...this.#waiting.values()].map(({ question }) => question);
    if (questions.some((question) => question.kind !== 'elicitation' && question.agentId !== undefined))
      return false;
    const asking = new Set(
      questions.flatMap((question) =>
        question.kind === 'elicitation' ? [`mcp__${question.request.serverName}__`] : [],
      ),
    );
    return [...(this.#journal?.running.values() ?? [])].every(
      ({ toolName, isRepeatable }) =>
        isRepeatable === true && [...asking].some((prefix) => toolName.startsWith(prefix)),
    );
  }
}

function untilAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Whether the agent itself has ended. Then its question is still one: who goes on asks it again. */
function isGone({ reason }: AbortSignal): boolean {
  return TenonError.is(reason) && reason.code !== 'ABORTED';
}

function permissionFields({ decisionReason, blockedPath, suggestions }: CanUseToolContext): object {
  return withoutUndefined({ decisionReason, blockedPath, suggestions });
}

/** Short, and the same everywhere: FNV-1a. It names questions, and guards nothing. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return `${value.toString(16)}-${text.length}`;
}
