/** What a host tells, as the chunks of the AI SDK's UI message stream (R67). */
import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../../src/host/host-messages.js';
import { TurnChunks } from '../../../src/host/http/chat/turn-chunks.js';
import type { UIChunk } from '../../../src/host/http/chat/ui-chunks.js';
import {
  answers,
  approvalOf,
  asks,
  begins,
  block,
  called,
  closes,
  done,
  ended,
  grows,
  numbered,
  opens,
  PROMPT,
  parked,
  piece,
  result,
  resumed,
  said,
  thought,
  user,
  withdraws,
} from './support/told.js';

function chunksOf(messages: readonly HostMessage[]): UIChunk[] {
  const turn = new TurnChunks(PROMPT);
  return numbered(messages).flatMap((event) => turn.take(event));
}

/** One word for each chunk. */
function shorthand(chunk: UIChunk): string {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return `${chunk.type} ${chunk.id}: ${chunk.delta}`;
    case 'tool-input-start':
      return `tool-input-start ${chunk.toolCallId} ${chunk.toolName}`;
    case 'tool-input-delta':
      return `tool-input-delta ${chunk.toolCallId}: ${chunk.inputTextDelta}`;
    case 'tool-input-available':
      return `tool-input-available ${chunk.toolCallId} ${JSON.stringify(chunk.input)}`;
    case 'tool-output-available':
      return `tool-output-available ${chunk.toolCallId}: ${JSON.stringify(chunk.output)}`;
    case 'tool-output-error':
      return `tool-output-error ${chunk.toolCallId}: ${chunk.errorText}`;
    case 'tool-approval-request':
      return `tool-approval-request ${chunk.toolCallId} ${chunk.approvalId}`;
    case 'data-approval':
      return `data-approval ${chunk.id} ${chunk.data.state}`;
    case 'message-metadata':
      return `message-metadata ${JSON.stringify(chunk.messageMetadata)}`;
    case 'error':
      return `error: ${chunk.errorText}`;
    case 'abort':
      return `abort: ${chunk.reason}`;
    case 'finish':
      return `finish ${chunk.finishReason}`;
    default:
      return [
        chunk.type,
        ...('toolCallId' in chunk ? [chunk.toolCallId] : 'id' in chunk ? [chunk.id] : []),
      ].join(' ');
  }
}

const END = (event: number): string[] => [
  'finish-step',
  `message-metadata {"event":${event},"outcome":"answered"}`,
  'finish stop',
];

const CASES: readonly { name: string; told: readonly HostMessage[]; chunks: readonly string[] }[] = [
  {
    name: 'whole blocks, without partial messages',
    told: [thought('m1', 'Hm.'), said('m1', 'Hello.'), said('m1', 'Bye.'), ended(), done()],
    chunks: [
      'start-step',
      'reasoning-start part-1',
      'reasoning-delta part-1: Hm.',
      'reasoning-end part-1',
      'text-start part-2',
      'text-delta part-2: Hello.',
      'text-end part-2',
      'text-start part-3',
      'text-delta part-3: Bye.',
      'text-end part-3',
      ...END(5),
    ],
  },
  {
    name: 'pieces, whose whole is not told again',
    told: [
      begins('m1'),
      opens(0, { type: 'thinking', thinking: '' }),
      grows(0, { type: 'thinking_delta', thinking: 'H' }),
      grows(0, { type: 'thinking_delta', thinking: 'm.' }),
      grows(0, { type: 'signature_delta', signature: 'x' }),
      thought('m1', 'Hm.'),
      closes(0),
      opens(1, { type: 'text', text: '' }),
      grows(1, { type: 'text_delta', text: 'Hel' }),
      grows(1, { type: 'text_delta', text: 'lo.' }),
      closes(1),
      said('m1', 'Hello.'),
      piece({ type: 'message_stop' }),
      done(),
    ],
    chunks: [
      'start-step',
      'reasoning-start part-1',
      'reasoning-delta part-1: H',
      'reasoning-delta part-1: m.',
      'reasoning-end part-1',
      'text-start part-2',
      'text-delta part-2: Hel',
      'text-delta part-2: lo.',
      'text-end part-2',
      ...END(14),
    ],
  },
  {
    name: 'a text whose last piece was not told',
    told: [
      begins('m1'),
      opens(0, { type: 'text', text: '' }),
      grows(0, { type: 'text_delta', text: 'Hel' }),
      said('m1', 'Hello.'),
      closes(0),
      done(),
    ],
    chunks: [
      'start-step',
      'text-start part-1',
      'text-delta part-1: Hel',
      'text-delta part-1: lo.',
      'text-end part-1',
      ...END(6),
    ],
  },
  {
    name: 'two blocks of the same kind in pieces, told whole only afterwards',
    told: [
      begins('m1'),
      opens(0, { type: 'text', text: 'A' }),
      closes(0),
      opens(1, { type: 'text', text: 'B' }),
      closes(1),
      said('m1', 'A'),
      said('m1', 'B'),
      said('m1', 'C'),
      done(),
    ],
    chunks: [
      'start-step',
      'text-start part-1',
      'text-delta part-1: A',
      'text-end part-1',
      'text-start part-2',
      'text-delta part-2: B',
      'text-end part-2',
      'text-start part-3',
      'text-delta part-3: C',
      'text-end part-3',
      ...END(9),
    ],
  },
  {
    name: 'a call in pieces, its result, and the answer after it as a step of its own',
    told: [
      begins('m1'),
      opens(0, { type: 'tool_use', id: 't1', name: 'pay', input: {} }),
      grows(0, { type: 'input_json_delta', partial_json: '{"amount"' }),
      grows(0, { type: 'input_json_delta', partial_json: ':5}' }),
      called('m1', 't1', { amount: 5 }),
      closes(0),
      result('t1', [{ type: 'text', text: 'Paid 5.' }]),
      begins('m2'),
      opens(0, { type: 'text', text: '' }),
      grows(0, { type: 'text_delta', text: 'Done.' }),
      closes(0),
      said('m2', 'Done.'),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-start t1 pay',
      'tool-input-delta t1: {"amount"',
      'tool-input-delta t1: :5}',
      'tool-input-available t1 {"amount":5}',
      'tool-output-available t1: "Paid 5."',
      'finish-step',
      'start-step',
      'text-start part-1',
      'text-delta part-1: Done.',
      'text-end part-1',
      ...END(13),
    ],
  },
  {
    name: 'calls that fail, that return pictures, and that say nothing',
    told: [
      called('m1', 't1', {}),
      called('m1', 't2', {}),
      called('m1', 't3', undefined),
      result('t1', 'No money.', true),
      result('t2', [{ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }]),
      result('t3', undefined),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {}',
      'tool-input-available t2 {}',
      'tool-input-available t3 {}',
      'tool-output-error t1: No money.',
      'tool-output-available t2: [{"type":"image","source":{"type":"url","url":"https://x/y.png"}}]',
      'tool-output-available t3: ""',
      ...END(7),
    ],
  },
  {
    name: 'tools that the model’s service has run itself',
    told: [
      block('m1', { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'hammers' } }),
      block('m1', {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ type: 'web_search_result', title: 'Shop' }],
      }),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available s1 {"query":"hammers"}',
      'tool-output-available s1: [{"type":"web_search_result","title":"Shop"}]',
      ...END(3),
    ],
  },
  {
    name: 'what subagents say is left out, and so is what their tools return',
    told: [
      called('m1', 't1', { prompt: 'Look.' }),
      said('sub', 'I am looking.', { parent_tool_use_id: 't1' }),
      piece({ type: 'message_start', message: { id: 'sub2' } }, { parent_tool_use_id: 't1' }),
      called('sub2', 'inner', {}, { parent_tool_use_id: 't1' }),
      result('inner', 'secret thoughts', false, { parent_tool_use_id: 't1' }),
      // Without the mark of a subagent, but of a call that was never shown.
      result('inner', 'secret thoughts'),
      result('t1', 'Found.'),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {"prompt":"Look."}',
      'tool-output-available t1: "Found."',
      ...END(8),
    ],
  },
  {
    name: 'a question that is allowed with another input',
    told: [
      called('m1', 't1', { amount: 5 }),
      asks('t1'),
      answers('t1', { behavior: 'allow', updatedInput: { amount: 4 } }),
      result('t1', 'Paid 4.'),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {"amount":5}',
      'data-approval ask-t1 pending',
      'tool-approval-request t1 ask-t1',
      'data-approval ask-t1 answered',
      'tool-input-available t1 {"amount":4}',
      'tool-output-available t1: "Paid 4."',
      ...END(5),
    ],
  },
  {
    name: 'a question that is denied',
    told: [
      called('m1', 't1', { amount: 5 }),
      asks('t1'),
      answers('t1', { behavior: 'deny', message: 'Too much.' }),
      result('t1', 'Too much.', true),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {"amount":5}',
      'data-approval ask-t1 pending',
      'tool-approval-request t1 ask-t1',
      'data-approval ask-t1 answered',
      'tool-output-denied t1',
      ...END(5),
    ],
  },
  {
    name: 'a question that is withdrawn with the turn',
    told: [
      called('m1', 't1', {}),
      asks('t1'),
      withdraws('t1'),
      result('t1', 'Not made.', true),
      done('interrupted'),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {}',
      'data-approval ask-t1 pending',
      'tool-approval-request t1 ask-t1',
      'data-approval ask-t1 withdrawn',
      'tool-input-available t1 {}',
      'tool-output-error t1: Not made.',
      'finish-step',
      'message-metadata {"event":5,"outcome":"interrupted"}',
      'abort: It was interrupted.',
      'finish other',
    ],
  },
  {
    name: 'questions that only a data part can show: AskUserQuestion, a subagent’s call, a server’s',
    told: [
      called('m1', 't1', {}),
      asks('t1', { kind: 'question', toolName: 'AskUserQuestion' }),
      answers('t1', { answers: { 'Which?': 'Red' } }),
      asks('inner', { agentId: 'a1' }),
      asks('', {
        id: 'ask-',
        kind: 'elicitation',
        toolUseId: undefined,
        request: { serverName: 'shop', message: 'How many?' },
      }),
      result('t1', 'Red'),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {}',
      'data-approval ask-t1 pending',
      'data-approval ask-t1 answered',
      'data-approval ask-inner pending',
      'data-approval ask- pending',
      'tool-output-available t1: "Red"',
      ...END(7),
    ],
  },
  {
    name: 'an interrupt in the middle of a text and of a call',
    told: [
      begins('m1'),
      opens(0, { type: 'text', text: '' }),
      grows(0, { type: 'text_delta', text: 'I wi' }),
      opens(1, { type: 'tool_use', id: 't1', name: 'pay', input: {} }),
      grows(1, { type: 'input_json_delta', partial_json: '{"am' }),
      done('interrupted'),
    ],
    chunks: [
      'start-step',
      'text-start part-1',
      'text-delta part-1: I wi',
      'tool-input-start t1 pay',
      'tool-input-delta t1: {"am',
      'tool-output-error t1: This call was not finished.',
      'text-end part-1',
      'finish-step',
      'message-metadata {"event":6,"outcome":"interrupted"}',
      'abort: It was interrupted.',
      'finish other',
    ],
  },
  {
    name: 'a prompt that was dropped',
    told: [done('dropped')],
    chunks: [
      'message-metadata {"event":1,"outcome":"dropped"}',
      'abort: It was taken back before it began.',
      'finish other',
    ],
  },
  {
    name: 'a failure, in words that have nothing of its text',
    told: [
      ended({ is_error: true, subtype: 'error_during_execution', errors: ['password "hunter2"'] }),
      done('failed'),
    ],
    chunks: [
      'message-metadata {"event":2,"outcome":"failed"}',
      'error: The agent has failed.',
      'finish error',
    ],
  },
  {
    name: 'a limit that was reached',
    told: [ended({ is_error: true, subtype: 'error_max_turns', errors: [] }), done('failed')],
    chunks: [
      'message-metadata {"event":2,"outcome":"failed"}',
      'error: The agent has reached its limit of steps for one answer.',
      'finish error',
    ],
  },
  {
    name: 'a model’s service that is overloaded',
    told: [
      ended({ is_error: true, failure: { kind: 'overloaded', retryable: true, message: 'x' } }),
      done('failed'),
    ],
    chunks: [
      'message-metadata {"event":2,"outcome":"failed"}',
      'error: The model’s service is overloaded. Try again later.',
      'finish error',
    ],
  },
  {
    name: 'work that begins anew: parts get numbers of their own, and a call is shown again',
    told: [
      begins('m1'),
      opens(0, { type: 'text', text: '' }),
      grows(0, { type: 'text_delta', text: 'I wi' }),
      called('m1', 't1', {}),
      resumed(),
      user('Pay.'),
      said('m1', 'I will pay.'),
      called('m1', 't1', {}),
      result('t1', 'Paid.'),
      done(),
    ],
    chunks: [
      'start-step',
      'text-start part-1',
      'text-delta part-1: I wi',
      'tool-input-available t1 {}',
      'text-end part-1',
      'finish-step',
      'data-resumed resumed-5',
      'start-step',
      'text-start part-2',
      'text-delta part-2: I will pay.',
      'text-end part-2',
      'tool-input-available t1 {}',
      'tool-output-available t1: "Paid."',
      ...END(10),
    ],
  },
  {
    name: 'a conversation that is parked, with nothing of the reason',
    told: [said('m1', 'Hello.'), parked],
    chunks: [
      'start-step',
      'text-start part-1',
      'text-delta part-1: Hello.',
      'text-end part-1',
      'finish-step',
      'data-parked parked-2',
      'message-metadata {"event":2}',
      'error: This conversation is stopped until somebody has looked at it.',
      'finish error',
    ],
  },
  {
    name: 'a prompt that is told again without a word: what was told before is void, and what follows a stop goes on',
    told: [
      user('Pay.'),
      called('m1', 't1', {}),
      parked,
      result('t1', 'Paid.'),
      user('Pay.'),
      said('m2', 'Paid.'),
      done(),
    ],
    chunks: [
      'start-step',
      'tool-input-available t1 {}',
      'finish-step',
      'data-parked parked-3',
      'message-metadata {"event":3}',
      'error: This conversation is stopped until somebody has looked at it.',
      'finish error',
      'tool-output-available t1: "Paid."',
      'data-resumed resumed-5',
      'start-step',
      'text-start part-1',
      'text-delta part-1: Paid.',
      'text-end part-1',
      ...END(7),
    ],
  },
  {
    name: 'what says nothing to a page, and what is of another prompt',
    told: [
      user('Pay.'),
      { type: 'system', subtype: 'init', uuid: 'i', session_id: 's' } as unknown as HostMessage,
      user('Stop hook feedback', 'hook', { isSynthetic: true }),
      done('answered', 'another'),
      resumed('another'),
      answers('nobody', { behavior: 'allow' }),
      withdraws('nobody'),
    ],
    chunks: [],
  },
];

describe('a turn as chunks', () => {
  it.each(CASES)('$name', ({ told, chunks }) => {
    expect(chunksOf(told).map(shorthand)).toEqual(chunks);
  });

  it('begins with the message’s id, which is the same whoever tells it', () => {
    expect(new TurnChunks(PROMPT).start()).toEqual([
      { type: 'start', messageId: 'prompt-1.answer', messageMetadata: { prompt: PROMPT } },
    ]);
  });

  it('shows a question with all that is known of it', () => {
    const [chunk] = chunksOf([called('m1', 't1', {}), asks('t1', { title: 'Pay 5?' })]).slice(2);
    expect(chunk).toEqual({
      type: 'data-approval',
      id: 'ask-t1',
      data: { state: 'pending', approval: approvalOf('t1', { title: 'Pay 5?' }) },
    });
  });

  it('says of calls that the page need not run them', () => {
    const [chunk] = chunksOf([called('m1', 't1', {})]).slice(1);
    expect(chunk).toMatchObject({ dynamic: true, providerExecuted: true });
  });
});

describe('a turn that asks', () => {
  const state = (messages: readonly HostMessage[], answered: readonly string[] = []): string => {
    const turn = new TurnChunks(PROMPT);
    for (const event of numbered(messages)) turn.take(event);
    for (const id of answered) turn.expectAnswer(id);
    return turn.isAsking ? 'all' : turn.isPartlyAsking ? 'some' : 'none';
  };
  const two = [called('m1', 't1', {}), called('m1', 't2', {})];

  it.each([
    ['none', 'nothing is asked', two],
    ['some', 'one of two calls asks', [...two, asks('t1')]],
    ['all', 'both ask', [...two, asks('t1'), asks('t2')]],
    ['all', 'one asks and the other has its result', [...two, asks('t1'), result('t2', '')]],
    ['none', 'the one that asks is answered', [...two, asks('t1'), answers('t1', { behavior: 'allow' })]],
    ['none', 'its question is withdrawn', [...two, asks('t1'), withdraws('t1')]],
    ['none', 'a page can answer while it reads', [...two.slice(1), asks('t2', { kind: 'question' })]],
    ['all', 'both kinds are asked', [...two, asks('t1'), asks('t2', { kind: 'question' })]],
    ['none', 'a subagent asks', [called('m1', 't1', {}), asks('inner', { agentId: 'a' })]],
  ])('is known as "%s" if %s', (expected, _, told) => {
    expect(state(told)).toBe(expected);
  });

  it('does not wait for what this page has just answered', () => {
    expect(state([...two, asks('t1'), asks('t2')], ['ask-t1'])).toBe('some');
    expect(state([...two, asks('t1'), asks('t2')], ['ask-t1', 'ask-t2'])).toBe('none');
  });

  it('gives the other calls an outcome when the stream ends, and takes it back when it goes on', () => {
    const turn = new TurnChunks(PROMPT);
    for (const event of numbered([...two, asks('t1')])) turn.take(event);
    expect(turn.pause(3).map(shorthand)).toEqual([
      'tool-output-error t2: This call has no result yet. It may wait for the answer to another one.',
      'message-metadata {"event":3}',
      'finish tool-calls',
    ]);
    turn.expectAnswer('ask-t1');
    expect(turn.goOn().map(shorthand)).toEqual(['tool-input-available t1 {}', 'tool-input-available t2 {}']);
    const [later] = numbered([result('t2', 'Paid.')]);
    expect(turn.take(later!).map(shorthand)).toEqual(['tool-output-available t2: "Paid."']);
  });
});
