import { untilAborted } from '../../protocol/base/cancellation.js';
import { isRecord } from '../../protocol/base/kinds.js';
import type { AssistantContentBlock, MessageParam, StreamEvent } from '../../protocol/wire/content.js';
import type { Lines } from '../conversation/lines.js';
import type { AnsweredFields, AssistantFields } from '../conversation/written-lines.js';
import { type Model, ModelError, type ModelRequest, type ModelRetry } from '../model.js';
import { type RuntimeTool, titleOfUnknown } from '../tools/tool-port.js';
import { abortable } from './abortable.js';
import type { AssistantMessage, AssistantStream } from './assistant-stream.js';
import type { UsageLedger } from './usage.js';

export interface AnswerDependencies {
  model: Model;
  lines: Lines;
  usage: Pick<UsageLedger, 'apiMs'>;
  includePartialMessages: boolean;
  request(signal: AbortSignal): Promise<ModelRequest>;
  /** Switches to another model from now on; false if there is none. */
  fallBack(error: ModelError): boolean;
  hasFallback(): boolean;
  find(name: string): RuntimeTool | undefined;
  /** Tells the host, once for each text. */
  warn(text: string): void;
  readonly sessionId: string;
}

/** If there is a fallback model, less time is spent waiting for an overloaded one. */
const RETRIES_BEFORE_FALLBACK = 2;

/**
 * Asks the model and shows the host its answer block by block. The first answer of a turn names the
 * messages it answers.
 */
export async function readAnswer(
  stream: AssistantStream,
  answer: AnswerDependencies,
  isFirst: boolean,
  signal: AbortSignal,
  onBlock: (block: AssistantContentBlock, line: string) => void,
): Promise<void> {
  const { lines, includePartialMessages, find } = answer;
  const firstFields = (): AnsweredFields => (isFirst ? lines.answeredFields() : {});
  for (;;) {
    try {
      if (includePartialMessages) lines.system('status', { status: 'requesting' });
      for await (const event of await events(answer, signal)) {
        const block = stream.push(event);
        // The host gets a block before the event that completes it.
        if (block !== undefined) {
          takeAsMeant(block, find);
          const fields = { ...metaOf(block, find), ...firstFields() };
          onBlock(block, lines.assistant(stream.message, block, fields));
        }
        if (includePartialMessages) lines.streamEvent(event, stream.message.id);
        const room = lines.room();
        if (room !== undefined) await untilAborted(room, signal);
      }
      return;
    } catch (error) {
      // Once part of an answer was shown, another model would repeat it.
      if (stream.message.id !== '' || !isUnavailable(error) || !answer.fallBack(error)) throw error;
    }
  }
}

async function events(
  { model, lines, usage, request, hasFallback, warn, sessionId }: AnswerDependencies,
  signal: AbortSignal,
): Promise<AsyncIterable<StreamEvent>> {
  const onRetry = (retry: ModelRetry): void => showRetry(lines, retry);
  const maxRetries = hasFallback() ? { maxRetries: RETRIES_BEFORE_FALLBACK } : {};
  const context = { signal, onRetry, warn, sessionId, ...maxRetries };
  return abortable(model.stream(await request(signal), context), signal, (milliseconds) => {
    usage.apiMs += milliseconds;
  });
}

/** The model is overloaded, broken or not available; another one may work. */
function isUnavailable(error: unknown): error is ModelError {
  if (!(error instanceof ModelError) || error.status === undefined) return false;
  return error.status >= 500 || error.status === 404;
}

/** In place: what the host sees, what runs and what the model is reminded of is one call. */
function takeAsMeant(block: AssistantContentBlock, find: AnswerDependencies['find']): void {
  if (block.type !== 'tool_use' || !isRecord(block.input)) return;
  block.input = find(block.name)?.asMeant?.(block.input) ?? block.input;
}

/** A tool that was called by an earlier name is remembered by the one that the model is offered. */
export function byCurrentNames(
  { content }: AssistantMessage,
  find: AnswerDependencies['find'],
): MessageParam['content'] {
  const named = content.map((block) => {
    if (block.type !== 'tool_use') return block;
    const { name = block.name } = find(block.name) ?? {};
    return name === block.name ? block : { ...block, name };
  });
  return named as MessageParam['content'];
}

/** The title of a call, for people. */
function metaOf(block: AssistantContentBlock, find: AnswerDependencies['find']): AssistantFields {
  if (block.type !== 'tool_use') return {};
  const tool = find(block.name);
  const title = tool === undefined ? titleOfUnknown(block.name) : tool.title;
  return title === undefined ? {} : { tool_use_meta: [{ id: block.id, ...title }] };
}

export function showRetry(lines: Lines, retry: ModelRetry): void {
  const { attempt, maxRetries, delayMs, status, error, reason } = retry;
  lines.system('api_retry', {
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: status,
    error,
    ...(reason === undefined ? {} : { reason }),
  });
}
