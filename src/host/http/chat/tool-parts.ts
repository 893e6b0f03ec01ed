import { isRecord } from '../../../protocol/base/kinds.js';
import type { HostAnswer, HostApproval } from '../../host-messages.js';
import { permissionIn } from '../given-answer.js';
import type { UIChunk } from './ui-chunks.js';

interface Call {
  readonly name: string;
  input: unknown;
  isComplete: boolean;
  /** What it waits for, or has waited for. */
  question?: { id: string; kind: HostApproval['kind']; state: 'pending' | 'allowed' | 'denied' };
}

const PAUSED = 'This call has no result yet. It may wait for the answer to another one.';

const CALL = { dynamic: true, providerExecuted: true } as const;

/** The calls of a turn that have no outcome yet, and the questions about them. */
export class ToolParts {
  readonly #open = new Map<string, Call>();
  readonly #approvals = new Map<string, HostApproval>();

  /** Every call that is left asks something, and a page can answer at least one of them only when the stream has ended. */
  get isAsking(): boolean {
    return this.#asks(true);
  }

  /** At least one call asks so; of others nobody knows whether they run or wait for it. */
  get isPartlyAsking(): boolean {
    return this.#asks(false);
  }

  #asks(allOfThem: boolean): boolean {
    const calls = [...this.#open.values()];
    const isPending = ({ question }: Call): boolean => question?.state === 'pending';
    const asks = calls.some((call) => isPending(call) && call.question?.kind === 'permission');
    return asks && (!allOfThem || calls.every(isPending));
  }

  /** A call that is being written. */
  begin(toolCallId: string, toolName: string): UIChunk[] {
    this.#open.set(toolCallId, { name: toolName, input: undefined, isComplete: false });
    return [{ type: 'tool-input-start', toolCallId, toolName, ...CALL }];
  }

  input(toolCallId: string, inputTextDelta: string): UIChunk[] {
    if (this.#open.get(toolCallId)?.isComplete !== false) return [];
    return [{ type: 'tool-input-delta', toolCallId, inputTextDelta }];
  }

  /** A call as the model has made it. */
  call(toolCallId: string, toolName: string, input: unknown): UIChunk[] {
    const known = this.#open.get(toolCallId);
    if (known?.isComplete) return [];
    this.#open.set(toolCallId, { name: toolName, input, isComplete: true });
    return this.#available(toolCallId);
  }

  /** Results of calls that are not shown, such as a subagent's, are not either. */
  result(toolCallId: string, content: unknown, isError: boolean): UIChunk[] {
    const call = this.#open.get(toolCallId);
    if (call === undefined) return [];
    this.#open.delete(toolCallId);
    if (call.question?.state === 'denied') return [{ type: 'tool-output-denied', toolCallId }];
    return isError
      ? [{ type: 'tool-output-error', toolCallId, errorText: textOf(content) }]
      : [{ type: 'tool-output-available', toolCallId, output: plain(content) }];
  }

  ask(approval: HostApproval): UIChunk[] {
    const { id, kind } = approval;
    this.#approvals.set(id, approval);
    const chunks: UIChunk[] = [{ type: 'data-approval', id, data: { state: 'pending', approval } }];
    const toolCallId = 'toolUseId' in approval ? approval.toolUseId : '';
    const call = this.#open.get(toolCallId);
    if (call === undefined) return chunks;
    call.question = { id, kind, state: 'pending' };
    if (kind === 'permission') chunks.push({ type: 'tool-approval-request', approvalId: id, toolCallId });
    return chunks;
  }

  answered(id: string, answer: HostAnswer): UIChunk[] {
    const approval = this.#approvals.get(id);
    if (approval === undefined) return [];
    const permission = permissionIn(answer);
    const chunk: UIChunk = { type: 'data-approval', id, data: { state: 'answered', approval, answer } };
    return permission?.behavior === 'deny'
      ? [chunk, ...this.#settle(id, 'denied')]
      : [chunk, ...this.#settle(id, 'allowed', permission?.updatedInput)];
  }

  /** It is answered, and told to be later. */
  expectAnswer(id: string): void {
    for (const { question } of this.#open.values()) {
      if (question?.id === id && question.state === 'pending') question.state = 'allowed';
    }
  }

  withdrawn(id: string): UIChunk[] {
    const approval = this.#approvals.get(id);
    if (approval === undefined) return [];
    return [
      { type: 'data-approval', id, data: { state: 'withdrawn', approval } },
      ...this.#settle(id, undefined),
    ];
  }

  /** The question about a call is answered, or no longer asked. */
  #settle(id: string, state: 'allowed' | 'denied' | undefined, input?: Record<string, unknown>): UIChunk[] {
    for (const [toolCallId, call] of this.#open) {
      const { question } = call;
      if (question?.id !== id) continue;
      if (state === undefined) delete call.question;
      else question.state = state;
      if (input !== undefined) call.input = input;
      // The call is shown as one that runs again. That it will be denied, its result will say.
      return state === 'denied' || question.kind !== 'permission' ? [] : this.#available(toolCallId);
    }
    return [];
  }

  /**
   * The stream ends for a question. A page answers it by itself only if no other call is left without an outcome: those
   * are given one, which is taken back when the turn goes on.
   */
  pause(): UIChunk[] {
    return this.#others().map((toolCallId) => ({ type: 'tool-output-error', toolCallId, errorText: PAUSED }));
  }

  goOn(): UIChunk[] {
    return this.#others().flatMap((toolCallId) => this.#available(toolCallId));
  }

  /** The calls that do not wait for a permission. */
  #others(): string[] {
    return [...this.#open].flatMap(([id, { question, isComplete }]) =>
      !isComplete || (question?.kind === 'permission' && question.state === 'pending') ? [] : [id],
    );
  }

  /** Nothing more comes of the turn. */
  end(errorText: string): UIChunk[] {
    const left = [...this.#open.keys()];
    this.#open.clear();
    return left.map((toolCallId) => ({ type: 'tool-output-error', toolCallId, errorText }));
  }

  #available(toolCallId: string): UIChunk[] {
    const { name = '', input } = this.#open.get(toolCallId) ?? {};
    return [{ type: 'tool-input-available', toolCallId, toolName: name, input: input ?? {}, ...CALL }];
  }
}

/** A text if the result is one, else its blocks. */
function plain(content: unknown): unknown {
  if (!Array.isArray(content)) return content ?? '';
  const isText = content.every((block) => isRecord(block) && block.type === 'text');
  return isText ? textOf(content) : content;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap((block) => (isRecord(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}
