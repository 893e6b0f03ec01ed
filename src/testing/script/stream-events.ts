import type { StreamEvent } from '../../protocol/wire/content.js';
import type { WireBlock, WireMessage } from './message.js';
import type { Chunking, MessageStep } from './steps.js';

/** An event of a stream, and how long to wait before it. */
export interface TimedEvent {
  readonly event: StreamEvent;
  readonly pauseMs: number;
}

/** The events that stream `message`, in the order of the API. */
export function streamEvents(message: WireMessage, step: MessageStep): TimedEvent[] {
  const { usage, stop_reason, stop_sequence } = message;
  const opening = {
    ...message,
    content: [],
    stop_reason: null,
    // The API reports the tokens written so far; the final number comes at the end.
    usage: { ...usage, output_tokens: Math.min(1, usage.output_tokens) },
  };
  return [
    timed({ type: 'message_start', message: opening }),
    ...message.content.flatMap((block, index) => blockEvents(block, index, step.blocks[index] ?? {})),
    timed({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }),
    timed({ type: 'message_stop' }),
  ];
}

/** The events up to the middle of the last block: what arrives of an answer that stalls. */
export function firstPart(events: readonly TimedEvent[]): readonly TimedEvent[] {
  const lastStart = events.findLastIndex(({ event }) => event.type === 'content_block_start');
  const lastStop = events.findLastIndex(({ event }) => event.type === 'content_block_stop');
  // A message without blocks stops right after its start.
  if (lastStart === -1) return events.slice(0, 1);
  const deltas = lastStop - lastStart - 1;
  return events.slice(0, lastStart + 1 + Math.ceil(deltas / 2));
}

function blockEvents(
  block: WireBlock,
  index: number,
  { chunks = 1, chunkDelayMs = 0 }: Chunking,
): TimedEvent[] {
  return [
    timed({ type: 'content_block_start', index, content_block: emptied(block) }),
    ...deltas(block, chunks).map((delta, position) =>
      timed({ type: 'content_block_delta', index, delta }, position === 0 ? 0 : chunkDelayMs),
    ),
    timed({ type: 'content_block_stop', index }),
  ];
}

function emptied(block: WireBlock): WireBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: '' };
    case 'thinking':
      return { ...block, thinking: '', signature: '' };
    case 'tool_use':
      return { ...block, input: {} };
  }
}

function deltas(block: WireBlock, chunks: number | readonly string[]): object[] {
  switch (block.type) {
    case 'text':
      return cut(block.text, chunks).map((part) => ({ type: 'text_delta', text: part }));
    case 'thinking':
      return [
        ...cut(block.thinking, chunks).map((part) => ({ type: 'thinking_delta', thinking: part })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
      return cut(JSON.stringify(block.input), chunks).map((part) => ({
        type: 'input_json_delta',
        partial_json: part,
      }));
  }
}

/** Splits between code points: half a surrogate pair would not survive UTF-8. */
function cut(whole: string, chunks: number | readonly string[]): readonly string[] {
  if (typeof chunks !== 'number') return chunks;
  if (chunks === 1) return [whole];
  const characters = Array.from(whole);
  const pieces = Math.max(1, Math.min(chunks, characters.length));
  const edge = (piece: number): number => Math.floor((piece * characters.length) / pieces);
  return Array.from({ length: pieces }, (_, piece) =>
    characters.slice(edge(piece), edge(piece + 1)).join(''),
  );
}

/** Cast, because the full types of the API's events have many fields that no reader of a stream needs. */
function timed(event: object, pauseMs = 0): TimedEvent {
  return { event: event as StreamEvent, pauseMs };
}
