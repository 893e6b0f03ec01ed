/** A scripted model asked directly, without a runtime. */
import type { StreamEvent } from '../../src/protocol/wire/content.js';
import type { Model, ModelRequest } from '../../src/runtime/index.js';
import { user } from '../support/messages-client.js';

export const request: ModelRequest = {
  model: 'claude-test',
  max_tokens: 32_000,
  system: [],
  messages: [user('hi') as { role: 'user'; content: string }],
  tools: [],
};

/** All events of one answer. */
export async function askModel(
  model: Model,
  body: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: StreamEvent) => void = () => {},
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of model.stream(
    { ...request, ...body },
    { signal, onRetry: () => {}, warn: () => {}, sessionId: '' },
  )) {
    events.push(event);
    onEvent(event);
  }
  return events;
}
