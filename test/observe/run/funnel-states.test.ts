/** States of the funnel that are hard to bring about, from tapes written by hand (R57). */
import { describe, expect, it } from 'vitest';
import { funnelOf, funnelsOf } from '../../../src/observe/run/funnel.js';
import { summaryText, whyText } from '../../../src/observe/run/text.js';
import type { FunnelStepName } from '../../../src/observe/run/views.js';
import { HandTape } from './hand-tape.js';

type Json = Record<string, unknown>;

const STOCK = 'mcp__shop__stock';
const OPTIONS = { mcpServers: ['shop'] };

/** A server "shop" with the tool "stock", as the agent reports it. */
function shop(status = 'connected', more: Json = {}, options: Json = OPTIONS): HandTape {
  const tools = [{ name: 'stock', description: 'How many.', inputSchema: { type: 'object' } }];
  const request = { subtype: 'initialize', sdkMcpServerManifests: { shop: { toolsListResult: { tools } } } };
  return new HandTape({ options })
    .sent(0, { type: 'control_request', request_id: 'i', request })
    .prompt(0)
    .init(10, { tools: [STOCK, 'Read'], mcp_servers: [{ name: 'shop', status, ...more }] });
}

const called = () => shop().calls(20, 'msg_1', { toolu_1: STOCK });
const handled = () => {
  const params = { name: 'stock', _meta: { 'claudecode/toolUseId': 'toolu_1' } };
  const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params };
  return called().asks(30, 'h', { subtype: 'mcp_message', server_name: 'shop', message });
};
const failed = (text: string, meta: Json = {}) => {
  const block = { type: 'tool_result', tool_use_id: 'toolu_1', content: text, is_error: true };
  return (tape: HandTape) =>
    tape.got(5000, {
      type: 'user',
      message: { role: 'user', content: [block] },
      parent_tool_use_id: null,
      tool_result_meta: [{ id: 'toolu_1', ...meta }],
    });
};
const rejected = (source: string, reason_type?: string) => ({
  permission_decision: { decision: 'reject', source, ...(reason_type === undefined ? {} : { reason_type }) },
});

const why = (tape: HandTape, name = 'stock') => funnelOf(tape.run(), name).broken;

describe('a server', () => {
  it.each([
    ['failed', { error: 'spawn ENOENT' }, /has failed: spawn ENOENT/, /tenon doctor/],
    ['needs-auth', {}, /wants to be authorized first/, /Bearer/],
    ['disabled', {}, /is switched off/, /toggleMcpServer\("shop", true\)/],
    ['pending', {}, /was still connecting/, /mcpReady\(\)/],
    ['lost', {}, /it is "lost"/, /tenon doctor/],
  ])('that is "%s" is the broken step, with its reason (R57)', (status, more, reason, remedy) => {
    expect(why(shop(status, more))).toEqual({
      step: 'connected',
      reason: expect.stringMatching(reason),
      remedy: expect.stringMatching(remedy),
    });
  });

  it('that is still connecting is waited for while the run goes on (R57)', () => {
    const funnel = funnelOf(shop('pending').run(false), 'stock');
    expect(funnel.broken).toBeUndefined();
    expect(funnel.steps[1]).toMatchObject({ name: 'connected', state: 'waiting' });
  });

  it('that has failed is named for a short name that nothing else explains (R57)', () => {
    const tape = new HandTape({ options: OPTIONS }).prompt(0);
    tape.init(10, { mcp_servers: [{ name: 'shop', status: 'failed' }] });
    expect(why(tape, 'weather')).toMatchObject({
      step: 'connected',
      reason: expect.stringMatching(/"shop" has failed/),
    });
  });
});

describe('a call', () => {
  it.each<[string, HandTape, FunnelStepName, RegExp, RegExp]>([
    [
      'that waited for a person until the end',
      called()
        .asks(30, 'p', { subtype: 'can_use_tool', tool_use_id: 'toolu_1' })
        .line({ kind: 'input-end', t: 4030 }),
      'permitted',
      /has not answered for 4\.0 s/,
      /canUseTool/,
    ],
    [
      'whose canUseTool threw',
      called()
        .asks(30, 'p', { subtype: 'can_use_tool', tool_use_id: 'toolu_1' })
        .sent(40, {
          type: 'control_response',
          response: { subtype: 'error', request_id: 'p', error: 'boom' },
        }),
      'permitted',
      /`canUseTool` threw: "boom"/,
      /allowedTools/,
    ],
    [
      'that was interrupted while a person was asked',
      called()
        .asks(30, 'p', { subtype: 'can_use_tool', tool_use_id: 'toolu_1' })
        .got(40, { type: 'control_cancel_request', request_id: 'p' }),
      'permitted',
      /interrupted/,
      /allowedTools/,
    ],
    [
      'that a rule denies',
      failed('no', rejected('config', 'rule'))(called()),
      'permitted',
      /deny rule/,
      /rule/,
    ],
    [
      'that a hook of the settings denies',
      failed('no', rejected('hook', 'hook'))(called()),
      'permitted',
      /hook of the agent's settings/,
      /settingSources/,
    ],
    [
      'that the agent gave up',
      failed('MCP server "shop" tool "stock" timed out after 2s')(handled()),
      'ran',
      /had not answered after 5\.0 s, and the agent gave up/,
      /MCP_TOOL_TIMEOUT/,
    ],
    [
      'that still ran at the end',
      handled().line({ kind: 'input-end', t: 3030 }),
      'ran',
      /still running after 3\.0 s/,
      /promise/,
    ],
    [
      'whose server answered with an error of the protocol',
      failed('no')(
        handled().answers(40, 'h', { mcp_response: { error: { code: -32603, message: 'boom' } } }),
      ),
      'ran',
      /answered with an error: boom/,
      /handler/,
    ],
  ])('%s is named with its step (R57)', (_, tape, step, reason, remedy) => {
    expect(why(tape)).toEqual({
      step,
      reason: expect.stringMatching(reason),
      remedy: expect.stringMatching(remedy),
    });
  });

  it('that the agent withdraws is named with the reason that it gave (R57)', () => {
    const message = {
      method: 'notifications/cancelled',
      params: { requestId: 7, reason: 'the turn was interrupted' },
    };
    const tape = handled().asks(50, 'c', { subtype: 'mcp_message', server_name: 'shop', message });
    expect(why(tape)).toMatchObject({
      step: 'ran',
      reason: 'The agent withdrew the call: the turn was interrupted',
    });
  });

  it('whose result was too long is done, and said so (R57)', () => {
    const tape = called().result(30, 'toolu_1', '<persisted-output>\nOutput too large (116.1KB).');
    expect(funnelOf(tape.run(), 'stock').steps.at(-1)).toMatchObject({
      state: 'done',
      detail: expect.stringMatching(/too long: the model got only its beginning/),
    });
  });
});

describe('what the model was offered', () => {
  const exchange = (tape: HandTape, tools: Json[]) =>
    tape
      .text(20, 'msg_1', 'No.')
      .line({ kind: 'exchange', t: 30, began: 15, id: 1, messageId: 'msg_1', request: { tools } });

  it('is read from the bodies of requests: a placeholder is no tool (R57; inspector check 4)', () => {
    const search = { name: 'ToolSearch', input_schema: {} };
    const placeholder = { name: 'DeferredToolPlaceholder', defer_loading: true };
    const tape = exchange(shop(), [search, placeholder]);
    expect(why(tape)).toMatchObject({
      step: 'in the prompt',
      reason: expect.stringMatching(/deferred behind ToolSearch/),
    });
    expect(funnelsOf(tape.run()).map(({ tool }) => tool)).not.toContain('DeferredToolPlaceholder');
    const loaded = exchange(shop(), [search, { name: STOCK, input_schema: {} }]);
    expect(why(loaded)).toMatchObject({
      step: 'requested',
      reason: expect.stringMatching(/in 1 request, and did not/),
    });
  });

  it('lacks what `tools` leaves out of the own tools of the agent (R57)', () => {
    const tape = new HandTape({ options: { tools: ['Read'] } }).prompt(0).init(10, { tools: ['Read'] });
    tape.calls(20, 'msg_1', { toolu_1: 'Bash' });
    failed('<tool_use_error>Error: No such tool available: Bash</tool_use_error>')(tape);
    expect(why(tape, 'Bash')).toMatchObject({
      step: 'visible',
      reason: expect.stringMatching(/`options\.tools` leaves it out: it is \["Read"\]/),
    });
  });
});

describe('in the terminal', () => {
  it('the reason and the remedy come first, then a line for each step, none too long (R57)', () => {
    const lines = whyText(funnelOf(shop('needs-auth').run(), 'stock'), 60);
    expect(lines[0]).toMatch(/^mcp__shop__stock: The server "shop" wants/);
    expect(lines.join(' ')).toContain('→ Log in');
    expect(lines.filter((line) => /^[✓✗…?·] /.test(line))).toHaveLength(9);
    expect(lines.find((line) => line.startsWith('✗'))).toMatch(/^✗ connected +The server/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  });

  it('a summary has the banner, the timeline, the tools and the cost, none too wide (R57)', () => {
    const tape = called().result(70, 'toolu_1').text(90, 'msg_2', 'Eight.').end(100, { total_cost_usd: 0.5 });
    const lines = summaryText(tape.run(), 70);
    expect(lines.join('\n')).toMatch(/Finished|recording ends/);
    expect(lines).toEqual(expect.arrayContaining(['Timeline', 'Tools', 'Cost']));
    expect(lines.find((line) => line.includes('tool mcp__shop__stock'))).toMatch(/▓+ +50 ms {2}\*$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(70);
  });
});
