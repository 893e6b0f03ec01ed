/** Answers as the two APIs of OpenAI stream them. */
import { type Answer, events, type Frames, type Json, named, reason, sse, totals } from './answer-frames.js';

export function chat(answer: Answer): Frames {
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

export function responses(answer: Answer): Frames {
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
