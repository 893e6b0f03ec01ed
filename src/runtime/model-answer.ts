import type { AssistantContentBlock } from '../protocol/content.js';
import { abortable } from './abortable.js';
import type { AssistantStream } from './assistant-stream.js';
import type { Lines } from './lines.js';
import type { Model, ModelRequest, ModelRetry } from './model.js';
import type { RuntimeTool } from './tools/tool-port.js';
import { titleOfUnknown } from './tools/tool-title.js';

export interface AnswerDependencies {
  model: Model;
  lines: Lines;
  includePartialMessages: boolean;
  request(): ModelRequest;
  find(name: string): RuntimeTool | undefined;
}

/** Asks the model once and shows the host its answer block by block, as it comes. The first of a turn says what it answers. */
export async function readAnswer(
  stream: AssistantStream,
  { model, lines, includePartialMessages, request, find }: AnswerDependencies,
  isFirst: boolean,
  signal: AbortSignal,
  onBlock: (block: AssistantContentBlock, line: string) => void,
): Promise<void> {
  if (includePartialMessages) lines.system('status', { status: 'requesting' });
  const onRetry = (retry: ModelRetry): void => showRetry(lines, retry);
  for await (const event of abortable(model.stream(request(), { signal, onRetry }), signal)) {
    const block = stream.push(event);
    // The host reads a block before the event that says that it is complete.
    if (block !== undefined) {
      onBlock(
        block,
        lines.assistant(stream.message, block, {
          ...metaOf(block, find),
          ...(isFirst ? lines.answeredFields() : {}),
        }),
      );
    }
    if (includePartialMessages) lines.streamEvent(event, stream.message.id);
  }
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
