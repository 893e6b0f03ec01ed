import type { StopReason, StreamEvent } from '../protocol/wire/content.js';
import type { TokenCounts } from './model.js';

/** The first event of an answer. */
export function messageStart(model: string, id: string): StreamEvent {
  return {
    type: 'message_start',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      context_management: null,
      diagnostics: null,
      usage: {
        ...commonUsage({
          input_tokens: 0,
          output_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        }),
        cache_creation: null,
        inference_geo: null,
        service_tier: null,
        speed: null,
      },
    },
  };
}

/** The event with why the answer ended and what it took. */
export function messageDelta(reason: StopReason, counts: TokenCounts): StreamEvent {
  return {
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null, stop_details: null, container: null },
    usage: commonUsage(counts),
    context_management: null,
  };
}

function commonUsage(counts: TokenCounts) {
  return {
    ...counts,
    fallback_credit: null,
    iterations: null,
    output_tokens_details: null,
    server_tool_use: null,
  };
}
