/** MCP servers that run outside the host, and what they may ask of it. */
import { expect } from 'vitest';
import type { ElicitationResult, Options } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { results, toolResults } from '../support/calc.js';
import { networkServer, stdioServer } from '../support/external-server.js';
import type { Outcome, Scenario } from '../support/scenario.js';

const allow: () => Options = () => ({ allowedTools: ['mcp__out'] });

function told(outcome: Outcome): unknown {
  return toolResults(outcome)[0]?.content;
}

/** One call of a tool of the server `out`, and what the model must be told. */
function calling(
  name: string,
  cites: string,
  servers: Scenario['servers'],
  [tool, input]: [string, Record<string, unknown>],
  answer: string,
  more: Partial<Scenario> = {},
): Scenario {
  return {
    name,
    cites,
    script: [toolUse(`mcp__out__${tool}`, input), text('Done.')],
    ...(servers === undefined ? {} : { servers }),
    options: allow,
    check: (outcome) => {
      expect(told(outcome)).toMatchObject([{ type: 'text', text: answer }]);
      expect(results(outcome)).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
    },
    ...more,
  };
}

/** The external server asks for a name; the host does this. */
function asking(
  name: string,
  cites: string,
  answer: (() => Promise<ElicitationResult>) | undefined,
  expected: string,
): Scenario {
  return calling(name, cites, () => ({ out: stdioServer() }), ['ask', {}], expected, {
    options: (context) => ({
      ...allow(),
      ...(answer === undefined
        ? {}
        : {
            onElicitation: async ({ requestedSchema, ...request }, { signal }) => {
              context.note('onElicitation', { ...request, requestedSchema, aborted: signal.aborted });
              return answer();
            },
          }),
    }),
  });
}

export const externalServers: readonly Scenario[] = [
  calling(
    'a server over stdio',
    's09-sdk-stdio-http-sse, R13, R25',
    () => ({ out: stdioServer() }),
    ['echo', { text: 'hello' }],
    'echo: hello',
  ),
  calling(
    'a server over HTTP',
    's09-sdk-stdio-http-sse, R13, R25',
    async (context) => ({ out: await networkServer(context, 'http') }),
    ['echo', { text: 'hello' }],
    'echo: hello',
  ),
  calling(
    'a server over SSE',
    's09-sdk-stdio-http-sse, R13, R25',
    async (context) => ({ out: await networkServer(context, 'sse') }),
    ['echo', { text: 'hello' }],
    'echo: hello',
  ),
  calling(
    'a stdio server with an environment of its own',
    's09-raw-var-places, pain 44',
    () => ({ out: stdioServer({ SECRET: 'open sesame' }) }),
    ['env', { name: 'SECRET' }],
    'open sesame',
  ),
  calling(
    'an HTTP server with headers',
    's09-raw-var-places, pain 44',
    async (context) => ({ out: await networkServer(context, 'http', { 'x-token': 'open sesame' }) }),
    ['header', { name: 'x-token' }],
    'open sesame',
  ),
  calling(
    'a variable in the environment of a server',
    's09-raw-var-places, R27',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the CLI fills it in
    () => ({ out: stdioServer({ GREETING: '${WHO:-nobody} and ${WHO_KNOWS:-somebody}' }) }),
    ['env', { name: 'GREETING' }],
    'Ada and somebody',
    { env: { WHO: 'Ada' } },
  ),
  {
    name: 'a server that cannot be started',
    cites: 's09-sdk-stdio-http-sse, protocol 3.3',
    script: [text('Alone then.')],
    servers: () => ({ out: { type: 'stdio', command: '/no/such/program', args: [] } }),
    check: (outcome) => {
      const init = outcome.messages.find(
        (message) => message.type === 'system' && message.subtype === 'init',
      );
      expect(init).toMatchObject({ mcp_servers: [{ name: 'out', status: 'failed' }] });
      expect(results(outcome)).toMatchObject([{ subtype: 'success' }]);
    },
  },
  {
    name: 'a server in the host beside one outside',
    cites: 's09-sdk-stdio-http-sse, R13, R25',
    script: [toolUse('mcp__out__echo', { text: 'out' }), toolUse('mcp__in__echo', {}), text('Both.')],
    servers: ({ sdk: { tool, createSdkMcpServer } }) => ({
      out: stdioServer(),
      in: createSdkMcpServer({
        name: 'in',
        tools: [tool('echo', 'Echo', {}, async () => ({ content: [{ type: 'text', text: 'in' }] }))],
      }),
    }),
    options: () => ({ allowedTools: ['mcp__out', 'mcp__in'] }),
    check: (outcome) => {
      expect(toolResults(outcome, 1)).toMatchObject([{ content: [{ text: 'echo: out' }] }]);
      expect(toolResults(outcome, 2)).toMatchObject([{ content: [{ text: 'in' }] }]);
    },
  },
  {
    name: 'servers over stdio and HTTP and one in the host in one prompt',
    cites: 's09-sdk-stdio-http-sse, R25, R40',
    script: [
      toolUse('mcp__out__echo', { text: 'out' }),
      toolUse('mcp__web__echo', { text: 'web' }),
      toolUse('mcp__in__echo', {}),
      text('All three.'),
    ],
    servers: async (context) => ({
      out: stdioServer(),
      web: await networkServer(context, 'http'),
      in: context.sdk.createSdkMcpServer({
        name: 'in',
        tools: [
          context.sdk.tool('echo', 'Echo', {}, async () => ({ content: [{ type: 'text', text: 'in' }] })),
        ],
      }),
    }),
    options: () => ({ allowedTools: ['mcp__out', 'mcp__web', 'mcp__in'] }),
    check: (outcome) => {
      expect(toolResults(outcome, 1)).toMatchObject([{ content: [{ text: 'echo: out' }] }]);
      expect(toolResults(outcome, 2)).toMatchObject([{ content: [{ text: 'echo: web' }] }]);
      expect(toolResults(outcome, 3)).toMatchObject([{ content: [{ text: 'in' }] }]);
    },
  },
  asking(
    'an external server asks the person, who answers',
    's12-sdk-ask, s12r-elicit-external-accept, R14',
    async () => ({ action: 'accept', content: { name: 'Bob' } }),
    '{"action":"accept","content":{"name":"Bob"}}',
  ),
  asking(
    'an external server asks the person, who declines',
    's12r-elicit-external-decline',
    async () => ({ action: 'decline' }),
    '{"action":"decline"}',
  ),
  asking(
    'an external server asks and nobody listens',
    's12-sdk-ask-no-handler',
    undefined,
    '{"action":"decline"}',
  ),
];
