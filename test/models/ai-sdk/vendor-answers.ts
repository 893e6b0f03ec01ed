/** Answers as the vendors' APIs stream them, in the forms that the provider packages read. */
import { type Answer, events, type Frames, type Json, named, reason, sse, totals } from './answer-frames.js';
import { frame } from './event-stream.js';
import { chat, responses } from './openai-answers.js';

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
