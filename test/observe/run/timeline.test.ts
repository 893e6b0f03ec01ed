/** Where the time of a run went, from tapes written by hand with known answers (R57). */
import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../../src/observe/run/timeline.js';
import type { Span, Timeline } from '../../../src/observe/run/views.js';
import { HandTape } from './hand-tape.js';

const byId = ({ spans }: Timeline, id: string): Span => {
  const span = spans.find((each) => each.id === id);
  if (span === undefined) throw new Error(`${id} is not among ${spans.map((each) => each.id).join(', ')}`);
  return span;
};

/** What a model is asked, and what came of it, with a call of a tool in between. */
const oneCall = (tape = new HandTape()) =>
  tape
    .prompt(0)
    .init(100)
    .calls(300, 'msg_1', { toolu_1: 'stock' })
    .result(700, 'toolu_1')
    .text(900, 'msg_2', 'Eight.')
    .end(1000);

describe('spans', () => {
  it('of a turn, its requests and its calls follow each other, and belong to the turn (R57)', () => {
    const timeline = timelineOf(oneCall().run());
    expect(
      timeline.spans.map(({ id, parent, start, end, status }) => [id, parent, start, end, status]),
    ).toEqual([
      ['turn:1', undefined, 0, 1000, 'ok'],
      ['model:1', 'turn:1', 100, 300, 'ok'],
      ['tool:toolu_1', 'turn:1', 300, 700, 'ok'],
      ['model:2', 'turn:1', 700, 900, 'ok'],
    ]);
    expect(byId(timeline, 'model:1').facts).toMatchObject({ isEstimated: true, messageId: 'msg_1' });
    expect(timeline.criticalPath).toEqual(['model:1', 'tool:toolu_1', 'model:2']);
    expect(timeline.criticalMs).toMatchObject({ model: 400, tool: 400, other: 200 });
  });

  it('of the embedded runtime are as long as its tape says, not as its messages suggest (R57)', () => {
    const tape = new HandTape({ backEnd: 'embedded' }).prompt(0).init(5);
    tape
      .line({ kind: 'request', t: 10, id: 1, request: { model: 'big' } })
      .calls(40, 'msg_1', { toolu_1: 'stock' });
    const start = {
      type: 'message_start',
      message: { id: 'msg_1', model: 'big', usage: { input_tokens: 10 } },
    };
    const delta = { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } };
    tape.line({ kind: 'answer', t: 50, id: 1, events: [start, delta] }).result(60, 'toolu_1');
    tape.line({ kind: 'request', t: 70, id: 2, request: { model: 'big' } });
    const { spans } = timelineOf(tape.run(false));
    expect(spans.filter(({ kind }) => kind === 'model')).toMatchObject([
      { name: 'big', start: 10, end: 50, status: 'ok', facts: { inputTokens: 10, outputTokens: 9 } },
      { name: 'big', start: 70, end: undefined, status: 'open' },
    ]);
  });

  it('of the CLI become exact when its bodies come, which is after the answer (R57)', () => {
    const tape = oneCall();
    const response = { id: 'msg_1', model: 'm', usage: { input_tokens: 10, output_tokens: 44 }, content: [] };
    tape.line({
      kind: 'exchange',
      t: 990,
      began: 150,
      id: 1,
      messageId: 'msg_1',
      request: { model: 'm' },
      response,
    });
    const model = byId(timelineOf(tape.run()), 'model:1');
    expect(model).toMatchObject({ start: 150, end: 300, facts: { outputTokens: 44 } });
    expect(model.facts).not.toHaveProperty('isEstimated');
  });

  it("have what the CLI's own spans say: the first word, attempts, waiting for a person (R57, R59)", () => {
    const tape = oneCall();
    const span = (
      name: string,
      start: number,
      end: number,
      attributes: Record<string, string | number>,
      ids = {},
    ) =>
      tape.line({
        kind: 'span',
        t: end,
        span: { name, traceId: 't', spanId: name, start, end, attributes, ...ids },
      });
    span('claude_code.llm_request', 120, 290, { 'gen_ai.response.id': 'msg_1', attempt: 3, ttft_ms: 40 });
    const child = { parentSpanId: 'claude_code.tool' };
    span('claude_code.tool.blocked_on_user', 310, 410, { decision: 'accept' }, child);
    span('claude_code.tool.execution', 410, 690, {}, child);
    span('claude_code.tool', 305, 700, { tool_use_id: 'toolu_1' });
    const timeline = timelineOf(tape.run());
    expect(byId(timeline, 'model:1')).toMatchObject({
      start: 120,
      end: 290,
      facts: { attempts: 3, firstTokenMs: 40 },
    });
    expect(byId(timeline, 'tool:toolu_1').facts).toMatchObject({
      blockedOnUserMs: 100,
      executionMs: 280,
      decision: 'accept',
    });
  });

  it('count attempts by api_retry, and take the first word from partial messages (R57)', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 2, error: 'overloaded' };
    const part = (t: number, event: object) =>
      tape.got(t, { type: 'stream_event', event, parent_tool_use_id: null });
    const tape = new HandTape().prompt(0).init(100).got(200, retry);
    part(500, { type: 'message_start', message: { id: 'msg_1', model: 'm' } });
    part(600, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'E' } });
    tape.text(700, 'msg_1', 'Eight.');
    part(800, { type: 'message_stop' });
    tape.end(900);
    expect(byId(timelineOf(tape.run()), 'model:1')).toMatchObject({
      start: 100,
      end: 800,
      facts: { attempts: 3, firstTokenMs: 500 },
    });
  });

  it('of people and hooks belong to the call that waits for them; a question may be withdrawn (R57)', () => {
    const ask = { subtype: 'can_use_tool', tool_name: 'stock', tool_use_id: 'toolu_1', input: {} };
    const input = { hook_event_name: 'PreToolUse', tool_use_id: 'toolu_1' };
    const tape = new HandTape()
      .prompt(0)
      .calls(100, 'msg_1', { toolu_1: 'stock' })
      .asks(110, 'a', { subtype: 'hook_callback', input, tool_use_id: 'toolu_1' })
      .answers(130, 'a', {})
      .asks(140, 'b', ask)
      .got(540, { type: 'control_cancel_request', request_id: 'b' })
      .result(600, 'toolu_1', 'no', { is_error: true })
      .end(700);
    const timeline = timelineOf(tape.run());
    expect(timeline.spans.slice(-2)).toMatchObject([
      { kind: 'hook', name: 'PreToolUse', parent: 'tool:toolu_1', start: 110, end: 130 },
      {
        kind: 'person',
        name: 'stock',
        parent: 'tool:toolu_1',
        start: 140,
        end: 540,
        facts: { decision: 'cancelled' },
      },
    ]);
    expect(timeline.criticalMs).toMatchObject({ person: 400, hook: 20, tool: 80 });
  });

  it('of subagents hold what they did, in the background too (R57)', () => {
    const started = { type: 'system', subtype: 'task_started', task_id: 'x', tool_use_id: 'toolu_1' };
    const tape = new HandTape()
      .prompt(0)
      .calls(100, 'msg_1', { toolu_1: 'Agent' })
      .got(110, { ...started, subagent_type: 'helper', is_backgrounded: true })
      .result(120, 'toolu_1', 'launched')
      .text(200, 'msg_2', 'I have started it.')
      .end(210)
      .calls(300, 'msg_3', { toolu_2: 'Read' }, 'toolu_1')
      .result(400, 'toolu_2', 'text', {}, 'toolu_1')
      .got(500, { type: 'system', subtype: 'task_notification', task_id: 'x', status: 'completed' });
    const timeline = timelineOf(tape.run());
    expect(byId(timeline, 'tool:toolu_1')).toMatchObject({
      kind: 'subagent',
      name: 'helper',
      start: 100,
      end: 500,
    });
    expect(byId(timeline, 'tool:toolu_2').parent).toBe('tool:toolu_1');
    // Its model was asked when it began; a turn does not begin because it says something.
    expect(
      timeline.spans.find(({ parent, kind }) => parent === 'tool:toolu_1' && kind === 'model'),
    ).toMatchObject({
      start: 110,
      end: 300,
    });
    expect(timeline.spans.filter(({ kind }) => kind === 'turn')).toHaveLength(1);
    // It did not hold up the turn.
    expect(timeline.criticalPath).not.toContain('tool:toolu_1');
  });

  it('of compactions have their reason; what was open at the end of the tape is cut (R57)', () => {
    const tape = new HandTape()
      .prompt(0)
      .got(100, { type: 'system', subtype: 'status', status: 'compacting' })
      .got(300, { type: 'system', subtype: 'status', status: null, compact_result: 'success' })
      .got(310, { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto' } })
      .calls(400, 'msg_1', { toolu_1: 'stock' });
    const timeline = timelineOf(tape.run());
    expect(timeline.spans.find(({ kind }) => kind === 'compaction')).toMatchObject({
      name: 'auto',
      start: 100,
      end: 300,
    });
    expect(byId(timeline, 'tool:toolu_1')).toMatchObject({ status: 'cut', end: 400 });
    expect(byId(timelineOf(tape.run(false)), 'tool:toolu_1')).toMatchObject({
      status: 'open',
      end: undefined,
    });
  });

  it('of a hook that comes before the message with its call belong to that call (R57)', () => {
    const started = { type: 'system', subtype: 'task_started', task_id: 'x', tool_use_id: 'toolu_1' };
    const hook = (event: string, more: object) => ({
      subtype: 'hook_callback',
      input: { hook_event_name: event, ...more },
    });
    const tape = new HandTape()
      .prompt(0)
      .calls(100, 'msg_1', { toolu_1: 'Agent' })
      .got(110, started)
      .asks(120, 'a', hook('SubagentStart', { agent_id: 'x' }))
      .answers(125, 'a', {})
      .asks(200, 'b', hook('PreToolUse', { tool_use_id: 'toolu_2' }))
      .answers(210, 'b', {})
      .calls(211, 'msg_2', { toolu_2: 'Read' }, 'toolu_1');
    const hooks = timelineOf(tape.run()).spans.filter(({ kind }) => kind === 'hook');
    expect(hooks).toMatchObject([
      { name: 'SubagentStart', parent: 'tool:toolu_1' },
      { name: 'PreToolUse', parent: 'tool:toolu_2' },
    ]);
  });

  it('of a turn that was only thought to follow are not there: the agent answered two prompts at once (R57)', () => {
    const tape = () =>
      new HandTape().prompt(0, 'One').calls(10, 'msg_1', { toolu_1: 'stock' }).prompt(20, 'Two');
    const both = tape().result(30, 'toolu_1').text(40, 'msg_2', 'Both.').end(50);
    const turnsOf = (given: HandTape, over: boolean) =>
      timelineOf(given.run(over)).spans.filter(({ kind }) => kind === 'turn').length;
    expect(turnsOf(both, true)).toBe(1);
    both.got(51, { type: 'system', subtype: 'session_state_changed', state: 'idle' });
    expect(turnsOf(both, false)).toBe(1);
  });

  it('of turns follow each other when prompts are queued, and gaps are where nobody worked (R57)', () => {
    const tape = new HandTape()
      .prompt(2000, 'One')
      .prompt(2010, 'Two')
      .text(2100, 'msg_1', '1')
      .end(2200)
      .text(2300, 'msg_2', '2')
      .end(2400)
      .prompt(9000, 'Three')
      .end(9100);
    const timeline = timelineOf(tape.run());
    expect(timeline.spans.filter(({ kind }) => kind === 'turn')).toMatchObject([
      { name: 'One', start: 2000, end: 2200 },
      { name: 'Two', start: 2200, end: 2400 },
      { name: 'Three', start: 9000, end: 9100 },
    ]);
    expect(timeline.gaps).toEqual([
      { start: 0, end: 2000 },
      { start: 2400, end: 9000 },
    ]);
  });
});

describe('the critical path', () => {
  const handler = (tape: HandTape, id: string, from: number, to: number) => {
    const params = { name: 'x', _meta: { 'claudecode/toolUseId': id } };
    const message = { jsonrpc: '2.0', id: from, method: 'tools/call', params };
    tape.asks(from, id, { subtype: 'mcp_message', server_name: 's', message });
    tape.answers(to, id, { mcp_response: { result: {} } });
  };

  it('has the longest of tools that ran side by side, and not the others (R57)', () => {
    const tape = new HandTape()
      .prompt(0)
      .init(0)
      .calls(100, 'msg_1', { fast: 'a', slow: 'b', middle: 'c' })
      .result(150, 'fast')
      .result(400, 'middle')
      .result(1100, 'slow')
      .text(1200, 'msg_2', 'Done.')
      .end(1200);
    const { criticalPath, criticalMs } = timelineOf(tape.run());
    expect(criticalPath).toEqual(['model:1', 'tool:slow', 'model:2']);
    expect(criticalMs).toMatchObject({ model: 200, tool: 1000, other: 0 });
  });

  it('has each of the tools that ran one after the other, although they were asked for at once (R57)', () => {
    const tape = new HandTape().prompt(0).init(0).calls(100, 'msg_1', { first: 'a', second: 'b' });
    handler(tape, 'first', 110, 390);
    tape.result(400, 'first');
    handler(tape, 'second', 410, 990);
    tape.result(1000, 'second').text(1100, 'msg_2', 'Done.').end(1100);
    const { criticalPath, criticalMs } = timelineOf(tape.run());
    expect(criticalPath).toEqual(['model:1', 'tool:first', 'tool:second', 'model:2']);
    expect(criticalMs).toMatchObject({ model: 200, tool: 890, other: 10 });
  });

  it('has the person who was asked before a handler ran, although the model had not quite ended (R57)', () => {
    const handler = { method: 'tools/call', params: { _meta: { 'claudecode/toolUseId': 'toolu_1' } } };
    const tape = new HandTape()
      .prompt(0)
      .line({ kind: 'request', t: 0, id: 1, request: {} })
      .calls(200, 'msg_1', { toolu_1: 'stock' })
      .line({ kind: 'answer', t: 210, id: 1, events: [{ type: 'message_start', message: { id: 'msg_1' } }] })
      .asks(220, 'ask_1', { subtype: 'can_use_tool', tool_name: 'stock', tool_use_id: 'toolu_1', input: {} })
      .answers(620, 'ask_1', { behavior: 'allow' })
      .asks(620, 'mcp_1', { subtype: 'mcp_message', server_name: 'shop', message: handler })
      .answers(700, 'mcp_1', {})
      .result(700, 'toolu_1')
      .end(700);
    expect(timelineOf(tape.run()).criticalMs).toMatchObject({ person: 400, other: 0 });
  });

  it('leads through a subagent to the slowest call in it (R57)', () => {
    const tape = new HandTape()
      .prompt(0)
      .init(0)
      .calls(100, 'msg_1', { helper: 'Agent', quick: 'a' })
      .result(200, 'quick')
      .calls(300, 'msg_2', { inner: 'b', other: 'c' }, 'helper')
      .result(310, 'other', 'x', {}, 'helper')
      .result(900, 'inner', 'x', {}, 'helper')
      .text(950, 'msg_3', 'Found.', 'helper')
      .result(1000, 'helper')
      .text(1100, 'msg_4', 'Done.')
      .end(1100);
    const { criticalPath } = timelineOf(tape.run());
    expect(criticalPath.filter((id) => id.startsWith('tool:'))).toEqual(['tool:helper', 'tool:inner']);
  });

  it('accounts for every millisecond of every turn, once (R57)', () => {
    const tape = oneCall()
      .prompt(5000)
      .calls(5100, 'msg_9', { p: 'a', q: 'b' })
      .result(5200, 'q')
      .result(5300, 'p');
    const { criticalMs } = timelineOf(tape.text(5400, 'msg_10', 'x').end(5500).run());
    const sum = Object.values(criticalMs).reduce((all, each) => all + each, 0);
    expect(sum).toBeCloseTo(1000 + 500);
  });
});
