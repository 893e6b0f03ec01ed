/** Agents that agents call, as spans within the call that starts them (R59). */
import { beforeAll, describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Options, query, tool } from '../../src/index.js';
import { otel } from '../../src/otel/index.js';
import { toolUse } from '../../src/testing/index.js';
import { agentCall, agentCalls, HELPER, plays } from '../matrix/support/agents.js';
import { BACK_ENDS } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';
import { isWithin, Recorded, registerContext } from './support.js';

beforeAll(registerContext);

const STOCK = 'mcp__shop__stock';

function traced(recorded: Recorded, more: Options = {}): Options {
  const stock = tool('stock', 'How many.', {}, async () => {
    recorded.tracerProvider.getTracer('shop').startSpan('look up').end();
    return 'eight';
  });
  return {
    tracer: otel({ ...recorded.providers, agentName: 'clerk' }),
    mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [stock] }) },
    allowedTools: [STOCK],
    agents: { helper: HELPER },
    ...more,
  };
}

describe.each(BACK_ENDS)('a subagent of $name', ({ start, isCli }) => {
  it('is an invoke_agent within the call that starts it, with its own requests and calls (R59)', async () => {
    const script = plays({
      'MAIN PROMPT': [agentCall('HELP ME'), 'All is done.'],
      'HELP ME': [toolUse(STOCK), 'The helper is done.'],
    });
    await using agent = await start(script);
    const recorded = new Recorded();
    const { error } = await collect(
      query({ prompt: 'MAIN PROMPT', options: agent.options(traced(recorded)) }),
    );
    expect(error).toBeUndefined();
    const stock = `execute_tool ${STOCK}(look up)`;
    expect(recorded.shape()).toBe(
      isCli
        ? `invoke_agent clerk(execute_tool Agent(invoke_agent helper(${stock})))`
        : `invoke_agent clerk(chat + execute_tool Agent(invoke_agent helper(chat + ${stock} + chat)) + chat)`,
    );
    const helper = recorded.span('invoke_agent helper');
    expect(helper.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      'gen_ai.conversation.id': recorded.span('invoke_agent clerk').attributes['gen_ai.conversation.id'],
    });
    expect(helper.attributes['gen_ai.response.model']).toEqual(expect.any(String));
    const measured = await recorded.points('gen_ai.invoke_agent.duration');
    expect(measured.map(({ attributes, count }) => [attributes['gen_ai.agent.name'], count])).toEqual([
      ['helper', 1],
      ['clerk', 1],
    ]);
  });

  it('beside another has its own span, and what each does is within it (R59)', async () => {
    const script = plays({
      'MAIN PROMPT': [agentCalls('FIRST TASK', 'SECOND TASK'), 'All is done.'],
      'FIRST TASK': [toolUse(STOCK), 'Done.'],
      'SECOND TASK': [toolUse(STOCK), 'Done.'],
    });
    await using agent = await start(script);
    const recorded = new Recorded();
    await collect(query({ prompt: 'MAIN PROMPT', options: agent.options(traced(recorded)) }));
    const named = (name: string) => recorded.spans().filter((span) => span.name === name);
    const helpers = named('invoke_agent helper');
    const calls = named(`execute_tool ${STOCK}`);
    expect(helpers).toHaveLength(2);
    for (const helper of helpers) expect(calls.filter((call) => isWithin(call, helper))).toHaveLength(1);
    for (const call of named('execute_tool Agent'))
      expect(helpers.filter((helper) => isWithin(helper, call))).toHaveLength(1);
    expect(named('invoke_agent clerk')).toHaveLength(1);
  });

  it('in the background ends when it is done, and the turn that it causes has a span (R59)', async () => {
    const script = plays({
      'MAIN PROMPT': [
        agentCall('HELP ME', { run_in_background: true }),
        'It is on its way.',
        'It has come back.',
      ],
      'HELP ME': [toolUse(STOCK), 'The helper is done.'],
    });
    await using agent = await start(script);
    const recorded = new Recorded();
    const { messages, error } = await collect(
      query({ prompt: 'MAIN PROMPT', options: agent.options(traced(recorded)) }),
    );
    expect(error).toBeUndefined();
    const results = messages.filter(({ type }) => type === 'result');
    const turns = recorded.spans().filter(({ name }) => name === 'invoke_agent clerk');
    expect(turns).toHaveLength(results.length);
    expect(turns.map(({ attributes }) => attributes['error.type'])).toEqual(results.map(() => undefined));
    const helper = recorded.span('invoke_agent helper');
    expect(isWithin(helper, recorded.span('execute_tool Agent'))).toBe(true);
    expect(isWithin(recorded.span(`execute_tool ${STOCK}`), helper)).toBe(true);
    expect(helper.attributes['error.type']).toBeUndefined();
    const chats = recorded.spans().filter(({ name }) => name.startsWith('chat '));
    expect(chats.filter((chat) => isWithin(chat, helper))).toHaveLength(isCli ? 0 : 2);
  });
});
