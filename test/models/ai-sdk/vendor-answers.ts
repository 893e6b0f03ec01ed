/** Answers as the vendors' APIs stream them, in the five forms that the provider packages read. */
import { frame } from './event-stream.js';

export interface Answer {
  /** With what its vendor signs thoughts by. */
  thinking?: { text: string; signature: string };
  /** In pieces as they are streamed. */
  text?: readonly string[];
  calls?: readonly { id: string; name: string; input: object }[];
  usage?: { fresh?: number; read?: number; written?: number; output?: number };
  stop?: 'length' | 'filter';
}

type Json = Record<string, unknown>;

/** What is streamed: the content, and then the end with the reason and the usage. */
export interface Frames {
  contentType: string;
  content: (string | Buffer)[];
  end: (string | Buffer)[];
}

const sse = (data: Json | string): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const named = (data: Json): string => `event: ${data.type}\n${sse(data)}`;
const events = (content: string[], end: string[]): Frames => ({
  contentType: 'text/event-stream',
  content,
  end,
});

function totals({ usage: { fresh = 0, read = 0, written = 0, output = 0 } = {} }: Answer) {
  return { fresh, read, written, output, all: fresh + read + written };
}

/** One of the words for why it ended. */
function reason(
  { stop, calls = [] }: Answer,
  words: [end: string, call: string, length: string, filter: string],
) {
  if (stop === 'length') return words[2];
  if (stop === 'filter') return words[3];
  return calls.length > 0 ? words[1] : words[0];
}

function chat(answer: Answer): Frames {
  const { thinking, text = [], calls = [] } = answer;
  const count = totals(answer);
  const chunk = (delta: Json, finish: string | null = null, more: Json = {}): string =>
    sse({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
  const content = [
    ...(thinking === undefined ? [] : [chunk({ reasoning_content: thinking.text })]),
    ...text.map((piece) => chunk({ role: 'assistant', content: piece })),
    ...calls.flatMap(({ id, name, input }, index) => {
      const json = JSON.stringify(input);
      const call = (fields: Json, part: Json): string =>
        chunk({ tool_calls: [{ index, ...fields, function: part }] });
      return [
        call({ id, type: 'function' }, { name, arguments: json.slice(0, 3) }),
        call({}, { arguments: json.slice(3) }),
      ];
    }),
  ];
  const usage = {
    prompt_tokens: count.all,
    completion_tokens: count.output,
    total_tokens: count.all + count.output,
    prompt_tokens_details: { cached_tokens: count.read },
  };
  const finish = reason(answer, ['stop', 'tool_calls', 'length', 'content_filter']);
  return events(content, [chunk({}, finish), chunk({}, null, { choices: [], usage }), sse('[DONE]')]);
}

function responses(answer: Answer): Frames {
  const { thinking, text = [], calls = [], stop } = answer;
  const count = totals(answer);
  let next = 0;
  const item = (fields: Json, done: Json, between: (at: Json) => Json[]): string[] => {
    const at = { output_index: next++, item_id: fields.id };
    return [
      named({ type: 'response.output_item.added', ...at, item: fields }),
      ...between(at).map(named),
      named({ type: 'response.output_item.done', ...at, item: { ...fields, ...done } }),
    ];
  };
  const content = [
    named({ type: 'response.created', response: { id: 'resp_1', created_at: 1, model: 'm' } }),
  ];
  if (thinking !== undefined) {
    const sealed = { encrypted_content: thinking.signature };
    const summary = [{ type: 'summary_text', text: thinking.text }];
    content.push(
      ...item({ type: 'reasoning', id: 'rs_1', summary: [] }, { ...sealed, summary }, (at) => [
        { type: 'response.reasoning_summary_part.added', ...at, summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', ...at, summary_index: 0, delta: thinking.text },
        { type: 'response.reasoning_summary_part.done', ...at, summary_index: 0 },
      ]),
    );
  }
  if (text.length > 0) {
    const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [], status: 'in_progress' };
    content.push(
      ...item(message, { status: 'completed' }, (at) =>
        text.map((delta) => ({ type: 'response.output_text.delta', ...at, content_index: 0, delta })),
      ),
    );
  }
  for (const { id, name, input } of calls) {
    const call = {
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: '',
      status: 'in_progress',
    };
    const json = JSON.stringify(input);
    content.push(
      ...item(call, { arguments: json, status: 'completed' }, (at) => [
        { type: 'response.function_call_arguments.delta', ...at, delta: json },
      ]),
    );
  }
  const usage = {
    input_tokens: count.all,
    input_tokens_details: { cached_tokens: count.read },
    output_tokens: count.output,
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const why = stop === 'length' ? 'max_output_tokens' : 'content_filter';
  const end =
    stop === undefined
      ? { type: 'response.completed', response: { usage, incomplete_details: null } }
      : { type: 'response.incomplete', response: { usage, incomplete_details: { reason: why } } };
  return events(content, [named(end)]);
}

function messages(answer: Answer): Frames {
  const { thinking, text = [], calls = [] } = answer;
  const count = totals(answer);
  let next = 0;
  const block = (start: Json, deltas: Json[]): string[] => {
    const index = next++;
    return [
      named({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
      named({ type: 'content_block_stop', index }),
    ];
  };
  const usage = {
    input_tokens: count.fresh,
    cache_read_input_tokens: count.read,
    cache_creation_input_tokens: count.written,
    output_tokens: 0,
  };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage };
  const content = [named({ type: 'message_start', message: { ...message, stop_reason: null } })];
  if (thinking !== undefined)
    content.push(
      ...block({ type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: thinking.text },
        { type: 'signature_delta', signature: thinking.signature },
      ]),
    );
  if (text.length > 0)
    content.push(
      ...block(
        { type: 'text', text: '' },
        text.map((piece) => ({ type: 'text_delta', text: piece })),
      ),
    );
  for (const { id, name, input } of calls)
    content.push(
      ...block({ type: 'tool_use', id, name, input: {} }, [
        { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      ]),
    );
  const stop_reason = reason(answer, ['end_turn', 'tool_use', 'max_tokens', 'refusal']);
  const delta = { stop_reason, stop_sequence: null };
  const end = [
    named({ type: 'message_delta', delta, usage: { output_tokens: count.output } }),
    named({ type: 'message_stop' }),
  ];
  return events(content, end);
}

function gemini(answer: Answer): Frames {
  const { thinking, text = [], calls = [] } = answer;
  const count = totals(answer);
  const signed = thinking === undefined ? {} : { thoughtSignature: thinking.signature };
  const parts: Json[] = [
    ...(thinking === undefined ? [] : [{ text: thinking.text, thought: true }]),
    ...text.map((piece) => ({ text: piece })),
    // Gemini signs the first call that follows its thoughts.
    ...calls.map(({ name, input }, index) => ({
      functionCall: { name, args: input },
      ...(index === 0 ? signed : {}),
    })),
  ];
  const content = parts.map((part) => sse({ candidates: [{ content: { role: 'model', parts: [part] } }] }));
  const finishReason = reason(answer, ['STOP', 'STOP', 'MAX_TOKENS', 'SAFETY']);
  const usageMetadata = {
    promptTokenCount: count.all,
    cachedContentTokenCount: count.read,
    candidatesTokenCount: count.output,
    totalTokenCount: count.all + count.output,
  };
  const last = { content: { role: 'model', parts: [{ text: '' }] }, finishReason };
  return events(content, [sse({ candidates: [last], usageMetadata })]);
}

function converse(answer: Answer): Frames {
  const { thinking, text = [], calls = [] } = answer;
  const count = totals(answer);
  let next = 0;
  const block = (deltas: Json[], start?: Json): Buffer[] => {
    const at = { contentBlockIndex: next++ };
    return [
      ...(start === undefined ? [] : [frame('contentBlockStart', { ...at, start })]),
      ...deltas.map((delta) => frame('contentBlockDelta', { ...at, delta })),
      frame('contentBlockStop', at),
    ];
  };
  const content = [frame('messageStart', { role: 'assistant' })];
  if (thinking !== undefined) {
    const { text: thought, signature } = thinking;
    content.push(...block([{ reasoningContent: { text: thought } }, { reasoningContent: { signature } }]));
  }
  if (text.length > 0) content.push(...block(text.map((piece) => ({ text: piece }))));
  for (const { id, name, input } of calls)
    content.push(
      ...block([{ toolUse: { input: JSON.stringify(input) } }], { toolUse: { toolUseId: id, name } }),
    );
  const stopReason = reason(answer, ['end_turn', 'tool_use', 'max_tokens', 'content_filtered']);
  const usage = {
    inputTokens: count.fresh,
    outputTokens: count.output,
    totalTokens: count.all + count.output,
    cacheReadInputTokens: count.read,
    cacheWriteInputTokens: count.written,
  };
  const end = [frame('messageStop', { stopReason }), frame('metadata', { usage, metrics: { latencyMs: 1 } })];
  return { contentType: 'application/vnd.amazon.eventstream', content, end };
}

/** Claude on Bedrock without Converse: the events of the Messages API, each in a message of Amazon's event stream. */
function invoked(answer: Answer): Frames {
  const { content, end } = messages(answer);
  const wrapped = (event: string | Buffer): Buffer => {
    const json = String(event).split('\ndata: ')[1]?.trim() ?? '';
    return frame('chunk', { bytes: Buffer.from(json).toString('base64') });
  };
  const contentType = 'application/vnd.amazon.eventstream';
  return { contentType, content: content.map(wrapped), end: end.map(wrapped) };
}

/** By the path that a provider asks for. */
export function framesFor(path: string, answer: Answer): Frames {
  if (path.includes('/chat/completions')) return chat(answer);
  if (path.includes('/responses')) return responses(answer);
  if (path.includes('/messages') || path.includes(':streamRawPredict')) return messages(answer);
  if (path.includes('/invoke-with-response-stream')) return invoked(answer);
  if (path.includes(':streamGenerateContent')) return gemini(answer);
  if (path.includes('/converse-stream')) return converse(answer);
  throw new Error(`No vendor has the path ${path}.`);
}
