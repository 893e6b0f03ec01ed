/** A model's stream is put together block by block; one that contradicts itself is an error of the model. */
import { expect, test } from 'vitest';
import type { StreamEvent } from '../../src/protocol/wire/content.js';
import { AssistantStream } from '../../src/runtime/turn/assistant-stream.js';

const text = { type: 'text' as const, text: '', citations: null };

test.each<[string, StreamEvent[], string]>([
  [
    'a delta for a block that has not begun',
    [{ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'a' } }],
    "The model's stream has a delta for an unknown block (1).",
  ],
  [
    'thoughts in a block of text',
    [
      { type: 'content_block_start', index: 0, content_block: text },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    ],
    "The model's stream has a signature_delta for a block of type text (0).",
  ],
])('%s is refused (R41)', (_, events, message) => {
  const stream = new AssistantStream();
  expect(() => {
    for (const event of events) stream.push(event);
  }).toThrow(message);
});

test('deltas of kinds that the runtime does not ask for change nothing (R41)', () => {
  const stream = new AssistantStream();
  stream.push({ type: 'content_block_start', index: 0, content_block: text });
  stream.push({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Yes.' } });
  stream.push({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'compaction_delta', content: null, encrypted_content: null },
  });
  expect(stream.push({ type: 'content_block_stop', index: 0 })).toEqual({ ...text, text: 'Yes.' });
});
