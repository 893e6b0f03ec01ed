import type { StreamEvent } from '../../protocol/content.js';
import type { ModelStep } from './scripted-model.js';

/** A step as the events by which the Messages API streams it. */
export function* streamEventsOf(
  step: ModelStep,
  id: string,
  model: string,
  nextToolUse: () => string,
): Generator<StreamEvent> {
  const usage = {
    input_tokens: step.usage?.input_tokens ?? 10,
    output_tokens: 1,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  yield event({
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  });
  let index = 0;
  for (const [start, deltas] of blocksOf(step, nextToolUse)) {
    yield event({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) yield event({ type: 'content_block_delta', index, delta });
    yield event({ type: 'content_block_stop', index });
    index += 1;
  }
  const hasCalls = (step.toolUses?.length ?? 0) > 0;
  yield event({
    type: 'message_delta',
    delta: { stop_reason: hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null },
    usage: { output_tokens: step.usage?.output_tokens ?? 20 },
  });
  yield event({ type: 'message_stop' });
}

function* blocksOf(step: ModelStep, nextToolUse: () => string): Generator<[start: object, deltas: object[]]> {
  if (step.thinking !== undefined) {
    yield [
      { type: 'thinking', thinking: '', signature: '' },
      [
        { type: 'thinking_delta', thinking: step.thinking },
        { type: 'signature_delta', signature: 'scripted' },
      ],
    ];
  }
  if (step.text !== undefined) {
    yield [{ type: 'text', text: '', citations: null }, [{ type: 'text_delta', text: step.text }]];
  }
  for (const { tool, input = {}, id } of step.toolUses ?? []) {
    yield [
      { type: 'tool_use', id: id ?? nextToolUse(), name: tool, input: {} },
      [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
    ];
  }
}

/** The full types of the API's events have many fields that no reader of a stream needs. */
function event(fields: object): StreamEvent {
  return fields as StreamEvent;
}
