import { isRecord } from '../../../protocol/base/kinds.js';
import type { AssistantMessageBody, StreamEvent } from '../../../protocol/wire/content.js';
import type { SDKMessage, SDKResultMessage } from '../../../protocol/wire/messages/index.js';
import type { HostEvent, HostNotice, PromptOutcome } from '../../host-messages.js';
import { AnswerParts } from './answer-parts.js';
import { ToolParts } from './tool-parts.js';
import { answerId, type UIChunk } from './ui-chunks.js';

/** How the message is left when a stream ends. */
const FINISHED = {
  answered: 'stop',
  failed: 'error',
  interrupted: 'other',
  dropped: 'other',
} as const satisfies Record<PromptOutcome, string>;

/**
 * What is told of the work on one prompt, as the chunks of one message of a chat page. It is given the events after the
 * prompt itself, in order, and knows nothing else: the same events are always the same chunks.
 */
export class TurnChunks {
  readonly prompt: string;
  #tools = new ToolParts();
  #answer = new AnswerParts(this.#tools);
  #failure: SDKResultMessage | undefined;
  /** Something of the answer. */
  #hasTold = false;
  #isDone = false;
  #isParked = false;

  constructor(prompt: string) {
    this.prompt = prompt;
  }

  /** Nothing more comes of the prompt. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Nothing more comes, or not before somebody has looked at the conversation. */
  get isOver(): boolean {
    return this.#isDone || this.#isParked;
  }

  /** The turn waits for what the page can say only once the stream has ended. */
  get isAsking(): boolean {
    return this.#tools.isAsking;
  }

  /** As before, but some of its calls may be running. */
  get isPartlyAsking(): boolean {
    return this.#tools.isPartlyAsking;
  }

  start(): UIChunk[] {
    const { prompt } = this;
    return [{ type: 'start', messageId: answerId(prompt), messageMetadata: { prompt } }];
  }

  take({ id, message }: HostEvent): UIChunk[] {
    const chunks = message.type === 'host' ? this.#notice(message, id) : this.#said(message, id);
    this.#hasTold ||= chunks.some(({ type }) => type === 'start-step');
    return chunks;
  }

  /** The question was answered by this page, which knows it: that it is told of it can take a moment. */
  expectAnswer(approval: string): void {
    this.#tools.expectAnswer(approval);
  }

  /** The stream ends, and the turn does not: it waits for the page. */
  pause(event: number): UIChunk[] {
    return [
      ...this.#tools.pause(),
      { type: 'message-metadata', messageMetadata: { event } },
      { type: 'finish', finishReason: 'tool-calls' },
    ];
  }

  /** The page has answered, and is told what follows. */
  goOn(): UIChunk[] {
    return this.#tools.goOn();
  }

  #said(message: SDKMessage, event: number): UIChunk[] {
    // What subagents say is part of the call that has started them.
    if ('parent_tool_use_id' in message && message.parent_tool_use_id != null) return [];
    switch (message.type) {
      case 'stream_event':
        return this.#answer.piece(message.event as StreamEvent);
      case 'assistant':
        return this.#answer.whole(message.message as AssistantMessageBody);
      case 'user':
        return message.uuid === this.prompt ? this.#tellAnew(event) : this.#results(message.message.content);
      case 'result':
        this.#failure = message.is_error ? message : undefined;
        return [];
      default:
        return [];
    }
  }

  #results(content: unknown): UIChunk[] {
    if (!Array.isArray(content)) return [];
    return content.flatMap((block: unknown) =>
      isRecord(block) && block.type === 'tool_result' && typeof block.tool_use_id === 'string'
        ? this.#tools.result(block.tool_use_id, block.content, block.is_error === true)
        : [],
    );
  }

  #notice(notice: HostNotice, event: number): UIChunk[] {
    switch (notice.subtype) {
      case 'approval':
        return this.#tools.ask(notice.approval);
      case 'answered':
        return this.#tools.answered(notice.approval, notice.answer);
      case 'withdrawn':
        return this.#tools.withdrawn(notice.approval);
      case 'resumed':
        return notice.prompt === this.prompt ? this.#tellAnew(event) : [];
      case 'done':
        return notice.prompt === this.prompt ? this.#done(notice.outcome, event) : [];
      case 'parked':
        return this.#parked(event);
      default:
        return [];
    }
  }

  /** What was told is void: the work begins anew, or the prompt itself is told again. */
  #tellAnew(event: number): UIChunk[] {
    this.#isParked = false;
    if (!this.#hasTold) return [];
    const chunks = this.#answer.end();
    this.#tools = new ToolParts();
    this.#answer = new AnswerParts(this.#tools, this.#answer.parts);
    this.#failure = undefined;
    this.#hasTold = false;
    // In our own words: the reason may name machines.
    const data = { reason: 'The work was interrupted, and begins again from what is stored.' };
    return [...chunks, { type: 'data-resumed', id: `resumed-${event}`, data }];
  }

  #done(outcome: PromptOutcome, event: number): UIChunk[] {
    this.#isDone = true;
    return [
      ...this.#tools.end('This call was not finished.'),
      ...this.#answer.end(),
      { type: 'message-metadata', messageMetadata: { event, outcome } },
      ...this.#lastWord(outcome),
      { type: 'finish', finishReason: FINISHED[outcome] },
    ];
  }

  #lastWord(outcome: PromptOutcome): UIChunk[] {
    if (outcome === 'failed') return [{ type: 'error', errorText: failureText(this.#failure) }];
    if (outcome === 'interrupted') return [{ type: 'abort', reason: 'It was interrupted.' }];
    if (outcome === 'dropped') return [{ type: 'abort', reason: 'It was taken back before it began.' }];
    return [];
  }

  #parked(event: number): UIChunk[] {
    this.#isParked = true;
    return [
      ...this.#answer.end(),
      { type: 'data-parked', id: `parked-${event}`, data: {} },
      { type: 'message-metadata', messageMetadata: { event } },
      { type: 'error', errorText: 'This conversation is stopped until somebody has looked at it.' },
      { type: 'finish', finishReason: 'error' },
    ];
  }
}

const FAILURES: Readonly<Record<string, string>> = {
  error_max_turns: 'The agent has reached its limit of steps for one answer.',
  error_max_budget_usd: 'The agent has reached its limit of costs.',
  error_max_structured_output_retries: 'The agent could not give its answer in the form that was asked for.',
  rate_limit: 'The model’s service has had too many requests. Try again later.',
  overloaded: 'The model’s service is overloaded. Try again later.',
};

/** In our own words: what the agent says of it may have anything in it. */
function failureText(result: SDKResultMessage | undefined): string {
  return FAILURES[result?.subtype ?? ''] ?? FAILURES[result?.failure?.kind ?? ''] ?? 'The agent has failed.';
}
