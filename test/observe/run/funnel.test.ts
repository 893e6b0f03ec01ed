/** Why a tool was not called, step by step, on both back ends (R57; inspector check 4). */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, type Options, tool } from '../../../src/index.js';
import { explainToolCall } from '../../../src/observe/explain-tool-call.js';
import type { FunnelStepName, ToolFunnel } from '../../../src/observe/run/views.js';
import { toolUse } from '../../../src/testing/index.js';
import { type Answer, ask, BACK_ENDS } from '../../support/back-ends.js';

const STOCK = 'mcp__shop__stock';
const STEPS: readonly FunnelStepName[] = [
  'defined',
  'connected',
  'listed',
  'visible',
  'in the prompt',
  'requested',
  'permitted',
  'ran',
  'result',
];

type Handler = () => Promise<string | { content: never[] }>;

const shop = (handler: Handler = async () => 'eight', extras: { alwaysLoad?: boolean } = {}) =>
  createSdkMcpServer({
    name: 'shop',
    tools: [
      tool('stock', 'How many there are.', { product: z.string().optional() }, handler, extras),
      tool('price', 'What it costs.', {}, async () => 'ten'),
    ],
  });

const calls = (input: Record<string, unknown> = {}): Answer[] => [toolUse(STOCK, input), 'Eight.'];

interface Case {
  readonly script?: readonly Answer[];
  readonly options?: Options;
  readonly name?: string;
  readonly step: FunnelStepName;
  readonly reason: RegExp;
  readonly remedy: RegExp;
}

const deny = {
  hookEventName: 'PreToolUse',
  permissionDecision: 'deny',
  permissionDecisionReason: 'Not on Mondays.',
};

const CASES: Record<string, Case> = {
  'a server that is not configured': {
    script: ['No.'],
    name: 'mcp__store__stock',
    step: 'defined',
    reason: /No server is configured that could have "mcp__store__stock": there is only "shop"/,
    remedy: /mcpServers: \{ "store": /,
  },
  'a server that has failed': {
    options: { mcpServers: { shop: { type: 'stdio', command: 'no-such-program-at-all' } } },
    step: 'connected',
    reason: /The server "shop" has failed/,
    remedy: /tenon doctor/,
  },
  'a misspelt tool that the model asks for': {
    script: [toolUse('mcp__shop__stok'), 'No.'],
    name: 'mcp__shop__stok',
    step: 'listed',
    reason: /The server "shop" lists "stock", "price", but no "stok"/,
    remedy: /Did you mean mcp__shop__stock\?/,
  },
  'a misspelt short name': {
    script: ['No.'],
    name: 'stok',
    step: 'listed',
    reason: /No server lists a tool "stok"/,
    remedy: /Did you mean mcp__shop__stock\?/,
  },
  'a tool that is disallowed': {
    options: { disallowedTools: ['mcp__shop'] },
    step: 'visible',
    reason: /`disallowedTools: \["mcp__shop"\]` removes it/,
    remedy: /Take that out of the options/,
  },
  // Both back ends take a tool that a rule denies whole out of the list, wherever the rule is.
  'a tool that a rule in the settings denies': {
    options: { settings: JSON.stringify({ permissions: { deny: [STOCK] } }) },
    step: 'visible',
    reason: /the agent leaves it out of its tools: a rule in its settings denies it/,
    remedy: /permissions\.deny/,
  },
  'a tool that the model never asked for': {
    script: [toolUse('mcp__shop__price'), 'I do not know.'],
    options: { allowedTools: ['mcp__shop'] },
    step: 'requested',
    reason:
      /could have called it in 2 requests, and did not\. It called mcp__shop__price\. It answered: "I do not know\."/,
    remedy: /description when to use it \(now: "How many there are\."\).*"Use stock to …"/,
  },
  'a call that canUseTool denies': {
    options: { canUseTool: async () => ({ behavior: 'deny', message: 'Not today.' }) },
    step: 'permitted',
    reason: /`canUseTool` denied it: "Not today\."/,
    remedy: /behavior: 'allow'.*allowedTools: \["mcp__shop__stock"\]/,
  },
  'a call that nobody can permit': {
    step: 'permitted',
    reason: /needs a permission, and there is nobody to ask/,
    remedy: /allowedTools: \["mcp__shop__stock"\], or answer in `canUseTool`/,
  },
  'a call in a mode in which nobody is asked': {
    options: { permissionMode: 'dontAsk' },
    step: 'permitted',
    reason: /Nobody is asked in the permission mode "dontAsk"/,
    remedy: /allowedTools/,
  },
  'a call that a hook blocks': {
    options: {
      allowedTools: [STOCK],
      hooks: { PreToolUse: [{ hooks: [async () => ({ hookSpecificOutput: deny }) as never] }] },
    },
    step: 'permitted',
    reason: /A PreToolUse hook of the program denied it: "Not on Mondays\."/,
    remedy: /`matcher`/,
  },
  'an input that the schema refuses': {
    script: calls({ product: 7 }),
    options: { allowedTools: [STOCK] },
    step: 'ran',
    reason: /Its input was wrong.*product: Invalid input: expected string, received number/,
    remedy: /describe/,
  },
  // The wire does not tell a handler that throws from one that returns `isError`.
  'a handler that throws': {
    options: {
      allowedTools: [STOCK],
      mcpServers: { shop: shop(async () => Promise.reject(new Error('The database is down.'))) },
    },
    step: 'result',
    reason: /its handler threw, or returned `isError`: "The database is down\."/,
    remedy: /tenon call .* stock/,
  },
  'a result without content': {
    options: { allowedTools: [STOCK], mcpServers: { shop: shop(async () => ({ content: [] })) } },
    step: 'result',
    reason: /Its result is empty/,
    remedy: /Nothing was found/,
  },
};

const statesOf = ({ steps }: ToolFunnel) => Object.fromEntries(steps.map(({ name, state }) => [name, state]));

describe.each(BACK_ENDS)('on $name', ({ start, isCli }) => {
  async function explained({
    script = calls(),
    options = {},
    name = 'stock',
  }: Partial<Case>): Promise<ToolFunnel> {
    await using agent = await start(script);
    const record = join(agent.box.cwd, 'run.tape');
    const { error } = await ask(
      agent.options({ mcpServers: { shop: shop() }, stderr: () => {}, ...options, record }),
    );
    expect(error).toBeUndefined();
    return await explainToolCall(record, name);
  }

  it.each(Object.entries(CASES))(
    '%s is named with its step, reason and remedy (R57; inspector check 4)',
    async (_, its) => {
      const funnel = await explained(its);
      expect(funnel.broken).toEqual({
        step: its.step,
        reason: expect.stringMatching(its.reason),
        remedy: expect.stringMatching(its.remedy),
      });
      expect(funnel.steps.map(({ name }) => name)).toEqual(STEPS);
      const place = STEPS.indexOf(its.step);
      const states = Object.values(statesOf(funnel));
      expect(states.slice(0, place).every((state) => state === 'done' || state === 'unknown')).toBe(true);
      expect(states.slice(place)).toEqual(['broken', ...Array(STEPS.length - place - 1).fill('not reached')]);
    },
  );

  it('a tool that was called and gave a result has no broken step, and its schema and calls are there (R57)', async () => {
    const funnel = await explained({
      script: calls({ product: 'hammer' }),
      options: { allowedTools: [STOCK] },
    });
    expect(funnel).toMatchObject({
      tool: STOCK,
      server: 'shop',
      description: 'How many there are.',
      inputSchema: { type: 'object' },
      broken: undefined,
      calls: ['tool:toolu_0001'],
      failed: 0,
    });
    expect(new Set(Object.values(statesOf(funnel)))).toEqual(new Set(['done']));
  });

  it('a deferred tool is named, until the model has searched for it (R57; inspector check 4)', async () => {
    // The CLI defers with any number of tools; the embedded runtime when some are marked `alwaysLoad`, or there are many.
    const options: Options = {
      allowedTools: ['mcp__shop'],
      env: { ENABLE_TOOL_SEARCH: 'true' },
      mcpServers: { shop: shop(undefined, { alwaysLoad: true }) },
    };
    const funnel = await explained({ script: ['No.'], options, name: 'price' });
    expect(funnel.broken).toMatchObject({
      step: 'in the prompt',
      reason: expect.stringMatching(/It is deferred behind ToolSearch.*it has not searched/),
      remedy: expect.stringMatching(
        isCli ? /alwaysLoad: true.*ENABLE_TOOL_SEARCH/ : /alwaysLoad: true.*deferAbove/,
      ),
    });
    expect((await explained({ options })).broken).toBeUndefined();
    const search = toolUse('ToolSearch', { query: 'select:mcp__shop__price' });
    const found = await explained({
      script: [search, toolUse('mcp__shop__price'), 'Ten.'],
      options,
      name: 'price',
    });
    expect(found.broken).toBeUndefined();
    const missed = await explained({
      script: [toolUse('ToolSearch', { query: 'weather' }), 'No.'],
      options,
      name: 'price',
    });
    expect(missed.broken?.reason).toMatch(/it searched only for "weather"/);
  });

  it('a call that works after one that failed is no fault; the failure is counted (R57)', async () => {
    let attempts = 0;
    const handler: Handler = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('Not yet.');
      return 'eight';
    };
    const options: Options = { allowedTools: [STOCK], mcpServers: { shop: shop(handler) } };
    const funnel = await explained({ script: [toolUse(STOCK), toolUse(STOCK), 'Eight.'], options });
    expect(funnel).toMatchObject({ broken: undefined, failed: 1, calls: { length: 2 } });
    expect(funnel.steps.at(-1)?.detail).toMatch(/1 of 2 calls failed/);
  });

  it('a short name that two servers have is answered by naming both (R57)', async () => {
    const options: Options = { mcpServers: { shop: shop(), store: shop() } };
    const funnel = await explained({ script: ['No.'], options });
    expect(funnel.broken).toEqual({
      step: 'defined',
      reason: '"stock" may be mcp__shop__stock or mcp__store__stock.',
      remedy: expect.stringContaining('--why mcp__shop__stock'),
    });
  });
});
