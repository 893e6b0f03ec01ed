import type { AssistantContentBlock, StreamEvent } from '../protocol/content.js';
import { abortable } from './abortable.js';
import type { AssistantStream } from './assistant-stream.js';
import type { Lines } from './lines.js';
import { type Model, ModelError, type ModelRequest, type ModelRetry } from './model.js';
import type { RuntimeTool } from './tools/tool-port.js';
import { titleOfUnknown } from './tools/tool-title.js';

export interface AnswerDependencies {
  model: Model;
  lines: Lines;
  includePartialMessages: boolean;
  request(): ModelRequest;
  /** Ask another model from here on; false when there is none. */
  fallBack(error: ModelError): boolean;
  hasFallback(): boolean;
  find(name: string): RuntimeTool | undefined;
}

/** With another model in reserve an overloaded one is not waited for as long. */
const RETRIES_BEFORE_FALLBACK = 2;

/** Asks the model and shows the host its answer block by block, as it comes. The first of a turn says what it answers. */
export async function readAnswer(
  stream: AssistantStream,
  answer: AnswerDependencies,
  isFirst: boolean,
  signal: AbortSignal,
  onBlock: (block: AssistantContentBlock, line: string) => void,
): Promise<void> {
  const { lines, includePartialMessages, find } = answer;
  const firstFields = (): object => (isFirst ? lines.answeredFields() : {});
  for (;;) {
    try {
      if (includePartialMessages) lines.system('status', { status: 'requesting' });
      for await (const event of events(answer, signal)) {
        const block = stream.push(event);
        // The host reads a block before the event that says that it is complete.
        if (block !== undefined) {
          const fields = { ...metaOf(block, find), ...firstFields() };
          onBlock(block, lines.assistant(stream.message, block, fields));
        }
        if (includePartialMessages) lines.streamEvent(event, stream.message.id);
      }
      return;
    } catch (error) {
      // Once something was said another model would say it twice.
      if (stream.message.id !== '' || !isUnavailable(error) || !answer.fallBack(error)) throw error;
    }
  }
}

function events(
  { model, lines, request, hasFallback }: AnswerDependencies,
  signal: AbortSignal,
): AsyncIterable<StreamEvent> {
  const onRetry = (retry: ModelRetry): void => showRetry(lines, retry);
  const maxRetries = hasFallback() ? { maxRetries: RETRIES_BEFORE_FALLBACK } : {};
  return abortable(model.stream(request(), { signal, onRetry, ...maxRetries }), signal);
}

/** Overloaded, broken, or not there for us: what another model may not be. */
function isUnavailable(error: unknown): error is ModelError {
  if (!(error instanceof ModelError) || error.status === undefined) return false;
  return error.status >= 500 || error.status === 404;
}

/** What people are shown of a call. */
function metaOf(block: AssistantContentBlock, find: AnswerDependencies['find']): object {
  if (block.type !== 'tool_use') return {};
  const tool = find(block.name);
  const title = tool === undefined ? titleOfUnknown(block.name) : tool.title;
  return title === undefined ? {} : { tool_use_meta: [{ id: block.id, ...title }] };
}

function showRetry(lines: Lines, { attempt, maxRetries, delayMs, status, error }: ModelRetry): void {
  lines.system('api_retry', {
    attempt,
    max_retries: maxRetries,
    retry_delay_ms: delayMs,
    error_status: status,
    error,
  });
}
