/** What the page makes of events, without a page. */
import type { HostMessage } from 'tenon/host';
import { describe, expect, it } from 'vitest';
import { Conversation, stateOf } from './page/conversation.mjs';
import { EventParser } from './page/event-reader.mjs';
import { blocksIn } from './page/markdown.mjs';

let count = 0;
const messages = (...given: object[]) =>
  given.map((message) => ({ id: ++count, message: message as HostMessage }));
const made = (...given: object[]) => {
  const conversation = new Conversation();
  for (const event of messages(...given)) conversation.apply(event);
  return conversation;
};
const prompt = (uuid: string, content: string) => ({
  type: 'user',
  uuid,
  message: { role: 'user', content },
  parent_tool_use_id: null,
});
const start = (id: string) => ({
  type: 'stream_event',
  parent_tool_use_id: null,
  event: { type: 'message_start', message: { id } },
});
const begin = (index: number, content_block: object) => ({
  type: 'stream_event',
  parent_tool_use_id: null,
  event: { type: 'content_block_start', index, content_block },
});
const delta = (index: number, text: string) => ({
  type: 'stream_event',
  parent_tool_use_id: null,
  event: { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
});
const says = (id: string, ...content: object[]) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id, content },
});
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, input = {}) => ({ type: 'tool_use', id, name: 'mcp__shop__order', input });
const result = (id: string, content: string, is_error = false) => ({
  type: 'user',
  parent_tool_use_id: null,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
});
const host = (subtype: string, fields: object) => ({ type: 'host', subtype, ...fields });
const asks = (id: string, toolUseId: string) =>
  host('approval', {
    prompt: 'p1',
    approval: { id, kind: 'permission', toolUseId, toolName: 'mcp__shop__order', input: { quantity: 1 } },
  });
const done = (id: string, outcome = 'answered') => host('done', { prompt: id, outcome });
const texts = ({ turns }: Conversation) =>
  turns.map((turn) => [turn.prompt, ...turn.parts.map((part) => ('text' in part ? part.text : part.kind))]);

describe('a conversation on the page', () => {
  it('has what was streamed once, as the whole message says it in the end', () => {
    const streamed = [
      start('m1'),
      begin(0, text('')),
      delta(0, 'One '),
      delta(0, 'tw'),
      begin(1, call('c1')),
    ];
    const growing = made(prompt('p1', 'Hi'), ...streamed);
    expect(texts(growing)).toEqual([['Hi', 'One tw', 'tool']]);
    expect(growing.running?.id).toBe('p1');
    const whole = made(
      prompt('p1', 'Hi'),
      ...streamed,
      says('m1', text('One two')),
      says('m1', call('c1')),
      says('m2', text('Three')),
      done('p1'),
    );
    expect(texts(whole)).toEqual([['Hi', 'One two', 'tool', 'Three']]);
    expect(whole.running).toBe(undefined);
    // Without partial messages there are only whole ones.
    expect(
      texts(
        made(
          prompt('p1', 'Hi'),
          says('m1', text('One two')),
          says('m1', call('c1')),
          says('m2', text('Three')),
        ),
      ),
    ).toEqual(texts(whole));
  });

  it('forgets an attempt that was given up, and what is void after a worker was lost', () => {
    const first = [prompt('p1', 'Hi'), start('m1'), begin(0, text('')), delta(0, 'Half of')];
    expect(texts(made(...first, start('m2'), begin(0, text('')), delta(0, 'All')))).toEqual([['Hi', 'All']]);
    const lost = host('resumed', { prompt: 'p1', reason: 'Its worker was lost.' });
    expect(texts(made(...first, lost))).toEqual([['Hi']]);
    expect(texts(made(...first, lost, prompt('p1', 'Hi'), says('m1', text('Whole')), done('p1')))).toEqual([
      ['Hi', 'Whole'],
    ]);
  });

  it('takes nothing that the agent says in the user’s name for a prompt, and shows no subagent’s words', () => {
    const conversation = made(
      prompt('p1', 'Hi'),
      prompt('other', '[Request interrupted by user]'),
      { ...says('m1', text('inner')), parent_tool_use_id: 'c0' },
      done('p1', 'interrupted'),
      prompt('p2', 'Again'),
    );
    expect(texts(conversation)).toEqual([['Hi'], ['Again']]);
  });

  it('knows of each call what it is doing', () => {
    const calls = [prompt('p1', 'Hi'), start('m1'), begin(0, call('c1'))];
    const states = (...more: object[]) => {
      const { turns } = made(...calls, ...more);
      return turns.flatMap((turn) =>
        turn.parts.map((part) => (part.kind === 'tool' ? stateOf(part, turn) : part.kind)),
      );
    };
    const asked = [says('m1', call('c1', { quantity: 1 })), asks('a1', 'c1')];
    const answered = (answer: object) => host('answered', { approval: 'a1', answer });
    expect(states()).toEqual(['writing']);
    expect(states(says('m1', call('c1')))).toEqual(['running']);
    expect(states(...asked)).toEqual(['asking']);
    expect(states(...asked, answered({ behavior: 'allow' }))).toEqual(['running']);
    expect(states(...asked, answered({ behavior: 'allow' }), result('c1', 'Done'))).toEqual(['done']);
    expect(states(...asked, answered({ behavior: 'deny', message: 'no' }), result('c1', 'no', true))).toEqual(
      ['refused'],
    );
    expect(states(...asked, host('withdrawn', { approval: 'a1' }), result('c1', 'broken', true))).toEqual([
      'failed',
    ]);
    expect(states(...asked, done('p1', 'interrupted'))).toEqual(['stopped']);
    expect(made(...calls, ...asked).open.map(({ approval }) => approval.id)).toEqual(['a1']);
    expect(made(...calls, ...asked, done('p1', 'interrupted')).open).toEqual([]);
    // The question is told again after a restart, and is the same one.
    expect(made(...calls, ...asked, asks('a1', 'c1')).open).toHaveLength(1);
  });

  it('shows a question that belongs to no call, a conversation that stands still, and one whose beginning is gone', () => {
    const elicitation = host('approval', {
      prompt: 'p1',
      approval: { id: 'e1', kind: 'elicitation', request: { message: 'Who?', serverName: 's' } },
    });
    expect(made(prompt('p1', 'Hi'), elicitation, elicitation).open).toHaveLength(1);
    expect(made(prompt('p1', 'Hi'), host('parked', { reason: 'broken' })).parked).toBe('broken');
    const late = made(host('missed', { count: 7 }), says('m1', text('Late')), done('p1'), prompt('p2', 'Hi'));
    expect(texts(late)).toEqual([[undefined, 'Late'], ['Hi']]);
    expect(late.missed).toBe(7);
  });

  it('says what has failed', () => {
    const failed = { type: 'result', subtype: 'error_during_execution', errors: ['The model is away.'] };
    expect(made(prompt('p1', 'Hi'), failed, done('p1', 'failed')).turns[0]).toMatchObject({
      outcome: 'failed',
      failure: 'The model is away.',
    });
  });
});

it('reads a stream of events in whatever pieces it comes', () => {
  const stream = 'retry: 1000\n\nid: 1\ndata: {"a":"ü"}\n\n: still here\n\nid: 2\ndata: {"b":2}\n\nid: 3\nda';
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const parser = new EventParser();
    const events = [...parser.push(stream.slice(0, cut)), ...parser.push(stream.slice(cut))];
    expect(events, `cut at ${cut}`).toEqual([
      { id: '1', data: '{"a":"ü"}' },
      { id: '2', data: '{"b":2}' },
    ]);
  }
});

it('finds the blocks of an answer, also of one that is still growing', () => {
  const kinds = (markdown: string) => blocksIn(markdown).map(({ source }) => source.split('\n')[0]);
  expect(kinds('# A\ntext\nmore\n\n- b\n  c\n1. d\n\n> e\n\n---\n\n```js\n# no\n\n- no\n```\nend')).toEqual(
    ['heading', 'paragraph', 'list', 'rule', 'code', 'paragraph'].flatMap((kind) =>
      kind === 'rule' ? ['quote', 'rule'] : kind,
    ),
  );
  expect(kinds('```\nnot closed\n\n- yet')).toEqual(['code']);
  expect(kinds('')).toEqual([]);
  // While a text grows, only its end changes: what is a dash now may become an item of the list before.
  const whole = '## A\n\none *two*\n\n- b\n- c\n\n```\nd\n```\n\nend';
  for (let length = 0; length < whole.length; length += 1) {
    const before = blocksIn(whole.slice(0, length)).slice(0, -2);
    expect(
      blocksIn(whole)
        .slice(0, before.length)
        .map(({ source }) => source),
    ).toEqual(before.map(({ source }) => source));
  }
});
