/** One call, several calls, and how the agent comes to know of a tool. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CreateMessageResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'vitest';
import { z } from 'zod';
import type { McpServerConfig } from '../../../src/index.js';
import { text, toolUse, toolUses } from '../../../src/testing/index.js';
import { calc, results, textResult, toolResults } from '../support/calc.js';
import { outcomeOf } from '../support/run-scenario.js';
import type { Context, Scenario } from '../support/scenario.js';

const allowCalc = () => ({ allowedTools: ['mcp__calc__*'] });
const oneCall = [toolUse('mcp__calc__add', { a: 15, b: 27 }), text('It is 42.')];

/** `size` calls of `meet` in one message; each call waits until `together` of them run. */
function meeting(
  size: number,
  together: number,
  readOnlyHint: boolean,
): Pick<Scenario, 'script' | 'servers'> {
  const calls = Array.from({ length: size }, (_, index) => ({
    name: 'mcp__calc__meet',
    input: { seat: index },
  }));
  return {
    script: [toolUses(calls), text('All met.')],
    servers: (context: Context): Record<string, McpServerConfig> => {
      const { tool, createSdkMcpServer } = context.sdk;
      const meet = tool(
        'meet',
        'Waits for the others',
        { seat: z.number() },
        async ({ seat }) => {
          context.note('meet', seat);
          await context.calls.waitFor(({ name }) => name === 'meet', 'the others', together);
          context.note('left', seat);
          return textResult(`seat ${seat}`);
        },
        { annotations: { readOnlyHint } },
      );
      return {
        calc: createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [meet], alwaysLoad: true }),
      };
    },
  };
}

export const toolCalls: readonly Scenario[] = [
  {
    name: 'one call of an in-process tool',
    cites: 's01a-one-call, R1, R2, R11, R18',
    script: oneCall,
    servers: calc,
    options: allowCalc,
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'add', input: { a: 15, b: 27 } }]);
      expect(toolResults(outcome)).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
      expect(results(outcome)).toMatchObject([{ subtype: 'success', result: 'It is 42.', num_turns: 2 }]);
      expect(outcome.exit).toEqual({ code: 0, signal: null });
    },
  },
  {
    name: 'no tools at all',
    cites: 's02e, s07-raw-eof-no-tools',
    script: [text('Hello.')],
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([{ subtype: 'success', result: 'Hello.', num_turns: 1 }]);
    },
  },
  {
    name: 'three plain calls in one message run one after another',
    cites: 's01b-parallel-plain, R16, pain 53',
    ...meeting(3, 1, false),
    options: allowCalc,
    check: (outcome) => {
      const order = outcome.calls.map(({ name, input }) => `${name} ${input}`);
      expect(order).toEqual(['meet 0', 'left 0', 'meet 1', 'left 1', 'meet 2', 'left 2']);
      expect(toolResults(outcome).map(({ tool_use_id }) => tool_use_id)).toEqual([
        'toolu_0001',
        'toolu_0002',
        'toolu_0003',
      ]);
    },
  },
  {
    name: 'three read-only calls in one message run together',
    cites: 's01c-parallel-readonly, R16, pain 53',
    ...meeting(3, 3, true),
    options: allowCalc,
    unordered: ['stdin', 'messages', 'model', 'calls'],
    check: (outcome) => {
      expect(outcome.calls.slice(0, 3).map(({ name }) => name)).toEqual(['meet', 'meet', 'meet']);
      expect(toolResults(outcome)).toHaveLength(3);
    },
  },
  {
    name: 'fifteen read-only calls run together',
    cites: 's01d-concurrency-15, R16, pain 53',
    ...meeting(15, 15, true),
    options: allowCalc,
    unordered: ['stdin', 'messages', 'model', 'calls'],
    check: (outcome) => {
      expect(new Set(outcome.calls.slice(0, 15).map(({ name }) => name))).toEqual(new Set(['meet']));
      const answers = toolResults(outcome).map(({ content }) => JSON.stringify(content));
      expect(new Set(answers).size).toBe(15);
    },
  },
  {
    name: 'a deferred tool that the model looks up first',
    cites: 's01e-deferred-tool, protocol 6.6, pain 37',
    script: [
      toolUse('ToolSearch', { query: 'select:mcp__calc__add' }),
      toolUse('mcp__calc__add', { a: 15, b: 27 }),
      text('It is 42.'),
    ],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const add = tool(
        'add',
        'Add two numbers',
        { a: z.number(), b: z.number() },
        async ({ a, b }) => textResult(String(a + b)),
        { searchHint: 'arithmetic sums' },
      );
      return { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) };
    },
    options: allowCalc,
    check: (outcome) => {
      const listed = outcome.requests.map(({ body }) =>
        body.tools?.some(({ name, defer_loading }) => name === 'mcp__calc__add' && defer_loading !== true),
      );
      expect(listed[0]).toBe(false);
      expect(toolResults(outcome, 2)).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
    },
  },
  {
    name: 'a deferred tool that the model calls directly',
    cites: 's01g-deferred-called-directly',
    script: oneCall,
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const add = tool('add', 'Add two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) =>
        textResult(String(a + b)),
      );
      return { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) };
    },
    options: allowCalc,
    check: (outcome) => {
      expect(toolResults(outcome)).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
    },
  },
  {
    name: 'one tool of a server is always loaded',
    cites: 'protocol 6.6, pain 37',
    script: [text('Hello.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const say = async () => textResult('hm');
      const now = tool('now', 'The time', {}, say, { alwaysLoad: true });
      const later = tool('later', 'Some other time', {}, say);
      return { calc: createSdkMcpServer({ name: 'calc', tools: [now, later] }) };
    },
    check: (outcome) => {
      const names = outcome.requests[0]?.body.tools?.filter((tool) => tool.defer_loading !== true);
      expect(names?.map(({ name }) => name)).toContain('mcp__calc__now');
      expect(names?.map(({ name }) => name)).not.toContain('mcp__calc__later');
    },
  },
  {
    name: 'a server that is always loaded, beside one with many tools that are not',
    cites: 'protocol 6.6, protocol 8, pain 37',
    script: [
      toolUse('ToolSearch', { query: 'select:mcp__many__tool_42' }),
      toolUse('mcp__many__tool_42', {}),
      text('Done.'),
    ],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const say = (name: string) => async () => textResult(name);
      const many = Array.from({ length: 60 }, (_, index) =>
        tool(`tool_${index}`, `The tool number ${index}`, {}, say(`tool ${index}`), {
          alwaysLoad: index === 7,
        }),
      );
      const near = ['left', 'right'].map((name) => tool(name, `Goes ${name}`, {}, say(name)));
      return {
        many: createSdkMcpServer({ name: 'many', tools: many }),
        near: createSdkMcpServer({ name: 'near', tools: near, alwaysLoad: true }),
      };
    },
    options: () => ({ allowedTools: ['mcp__many__*'] }),
    check: (outcome) => {
      const loaded = outcome.requests[0]?.body.tools?.filter((tool) => tool.defer_loading !== true);
      const names = loaded?.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
      expect(names?.toSorted()).toEqual(['mcp__many__tool_7', 'mcp__near__left', 'mcp__near__right']);
      expect(toolResults(outcome, 2).at(-1)).toMatchObject({ content: [{ text: 'tool 42' }] });
    },
  },
  {
    name: 'a server with odd characters in its name',
    cites: 's01h-odd-names, R8',
    script: [toolUse('mcp__my_server___do-it_2', {}), text('Done.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const doIt = tool('do-it_2', 'Does it', {}, async () => textResult('did it'), {
        annotations: { title: 'Do it', destructiveHint: true, openWorldHint: false },
      });
      return { 'my server!': createSdkMcpServer({ name: 'my server!', tools: [doIt], alwaysLoad: true }) };
    },
    options: () => ({ allowedTools: ['mcp__my_server___*'] }),
    check: (outcome) => {
      expect(toolResults(outcome)).toMatchObject([{ content: [{ type: 'text', text: 'did it' }] }]);
    },
  },
  {
    name: 'two servers with a tool of the same name',
    cites: 'R15, R32',
    script: [toolUses([{ name: 'mcp__left__which' }, { name: 'mcp__right__which' }]), text('Both.')],
    servers: ({ sdk: { tool, createSdkMcpServer } }) => {
      const server = (name: string) =>
        createSdkMcpServer({
          name,
          tools: [tool('which', 'Which server', {}, async () => textResult(name))],
          alwaysLoad: true,
        });
      return { left: server('left'), right: server('right') };
    },
    options: () => ({ allowedTools: ['mcp__left', 'mcp__right'] }),
    check: (outcome) => {
      expect(toolResults(outcome)).toMatchObject([
        { content: [{ text: 'left' }] },
        { content: [{ text: 'right' }] },
      ]);
    },
  },
  {
    name: 'a handler sees the id of its call and a signal',
    cites: 'protocol 6.3, R7',
    script: [toolUse('mcp__calc__look', {}), text('Seen.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const look = tool('look', 'Looks around', {}, async (_, extra) => {
        const { signal, _meta, requestId } = extra;
        context.note('look', { aborted: signal.aborted, meta: _meta, requestId: typeof requestId });
        return textResult('seen');
      });
      return { calc: createSdkMcpServer({ name: 'calc', tools: [look] }) };
    },
    options: allowCalc,
    check: (outcome) => {
      expect(outcome.calls).toMatchObject([
        { input: { aborted: false, meta: { 'claudecode/toolUseId': 'toolu_0001' } } },
      ]);
    },
  },
  {
    name: 'a handler sends progress and a notification',
    cites: 's06-progress-logging-listchanged, protocol 6.4, R7',
    script: [toolUse('mcp__calc__walk', {}), text('Arrived.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const walk = tool('walk', 'Walks', {}, async (_, extra) => {
        const progressToken = extra._meta?.progressToken as number;
        for (const progress of [1, 2]) {
          await extra.sendNotification({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 2 },
          });
        }
        return textResult('there');
      });
      return { calc: createSdkMcpServer({ name: 'calc', tools: [walk] }) };
    },
    options: allowCalc,
    check: (outcome) => {
      expect(toolResults(outcome)).toMatchObject([{ content: [{ text: 'there' }] }]);
      const sent = outcome.stdin.filter(({ type }) => type === 'control_request');
      expect(sent.map(({ request }) => (request as { subtype: string }).subtype)).toEqual([
        'initialize',
        'mcp_message',
        'mcp_message',
      ]);
    },
  },
  {
    name: 'a handler asks the agent for something that it does not have',
    cites: 's12r-elicit-inprocess, s12-sdk-sample, protocol 6.4, pain 33',
    script: [toolUse('mcp__calc__wish', {}), text('Too bad.')],
    servers: (context) => {
      const { tool, createSdkMcpServer } = context.sdk;
      const wish = tool('wish', 'Wishes', {}, async (_, extra) => {
        const request = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
        const answer = await outcomeOf(extra.sendRequest(request, CreateMessageResultSchema));
        context.note('wish', answer);
        return textResult('wished');
      });
      return { calc: createSdkMcpServer({ name: 'calc', tools: [wish] }) };
    },
    options: allowCalc,
    check: (outcome) => {
      expect(outcome.calls).toMatchObject([{ input: { threw: {} } }]);
      expect(toolResults(outcome)).toMatchObject([{ content: [{ text: 'wished' }] }]);
    },
  },
  {
    name: 'a server with instructions for the model',
    cites: 'protocol 6.4, pain 56',
    script: [text('Understood.')],
    servers: ({ sdk: { tool, createSdkMcpServer } }) => ({
      calc: createSdkMcpServer({
        name: 'calc',
        instructions: 'Count on your fingers.',
        tools: [tool('count', 'Counts', {}, async () => textResult('5'))],
      }),
    }),
    check: (outcome) => {
      expect(JSON.stringify(outcome.requests[0]?.body)).toContain('Count on your fingers.');
    },
  },
  {
    name: 'a server object of the MCP library',
    cites: 'R10, decision 3',
    script: oneCall,
    servers: (context) => {
      const instance = new McpServer({ name: 'calc', version: '2.0.0' });
      instance.registerTool(
        'add',
        { description: 'Add two numbers', inputSchema: { a: z.number(), b: z.number() } },
        async ({ a, b }) => {
          context.note('add', { a, b });
          return { content: [{ type: 'text' as const, text: String(a + b) }] };
        },
      );
      return { calc: { type: 'sdk', name: 'calc', instance } as unknown as McpServerConfig };
    },
    options: allowCalc,
    check: (outcome) => {
      expect(outcome.calls).toEqual([{ name: 'add', input: { a: 15, b: 27 } }]);
      expect(toolResults(outcome)).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
    },
  },
];
