/** The real CLI with servers that are not Tenon's own: proxied ones, and shared objects of the MCP libraries. */
import { describe, expect, it } from 'vitest';
import {
  isSuccess,
  type ListToolsResult,
  type McpServerConfig,
  type Options,
  proxyMcpServer,
  query,
} from '../../src/index.js';
import { type Script, type ScriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { byHandServer } from '../support/by-hand-server.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { foreignServers } from '../support/foreign-servers.js';
import { alive, collect, waitUntil } from '../support/real-cli.js';
import { scriptedCli } from '../support/scripted-cli.js';

failOnTrouble();

/** One query with one server; what the model was told of each of its calls, and which tools it was offered. */
async function ask(
  script: Script,
  out: McpServerConfig,
  options: Options = {},
): Promise<{ told: unknown[]; offered: string[] }> {
  await using cli = await scriptedCli(script);
  const running = query({
    prompt: 'Go.',
    options: cli.options({
      env: { ENABLE_TOOL_SEARCH: '0' },
      mcpServers: { out },
      allowedTools: ['mcp__out'],
      ...options,
    }),
  });
  const { messages, error } = await collect(running);
  expect(error).toBeUndefined();
  const result = messages.find((message) => message.type === 'result');
  expect(result !== undefined && isSuccess(result)).toBe(true);
  return { told: toolResultsOf(cli.api), offered: offeredBy(cli.api) };
}

function toolResultsOf(api: ScriptedMessagesApi): unknown[] {
  const { messages = [] } = api.requests.at(-1)?.body ?? {};
  return messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result'),
  );
}

function offeredBy(api: ScriptedMessagesApi): string[] {
  const names = (api.requests[0]?.body.tools ?? []).map(({ name }) => name);
  return names.filter((name) => name.startsWith('mcp__out__')).map((name) => name.slice('mcp__out__'.length));
}

describe.concurrent('the real CLI', () => {
  it('uses a proxied stdio server like one in the process, and its process ends with the query', async () => {
    using upstream = byHandServer(undefined, { SECRET: 'open sesame' });
    const script = [
      toolUse('mcp__out__echo', { text: 'hello' }),
      toolUse('mcp__out__env', { name: 'SECRET' }),
      toolUse('mcp__out__ask', {}),
      text('Done.'),
    ];
    const { told } = await ask(script, proxyMcpServer(upstream.config, { name: 'by-hand' }), {
      onElicitation: async ({ message }) => ({ action: 'accept', content: { answerTo: message } }),
    });
    expect(told).toMatchObject([
      { content: [{ text: 'hello' }] },
      { content: [{ text: 'open sesame' }] },
      { content: [{ text: '{"action":"accept","content":{"answerTo":"Who?"}}' }] },
    ]);
    const [pid] = upstream.events('start');
    expect(upstream.events('start')).toHaveLength(1);
    await waitUntil(() => !alive(Number(pid)), { what: 'the end of the server' });
  });

  it('sees a proxied server as the interceptor shows it: one tool renamed, the others gone', async () => {
    using upstream = byHandServer();
    const out = proxyMcpServer(upstream.config, {
      intercept: async (request, next) => {
        if (request.method === 'tools/call') {
          return next({ ...request, params: { ...request.params, name: 'echo' } });
        }
        const result = await next(request);
        if (request.method !== 'tools/list') return result;
        const [echo] = (result as ListToolsResult).tools.filter(({ name }) => name === 'echo');
        return { tools: [{ ...echo, name: 'repeat', description: 'Repeats a text' }] };
      },
    });
    const script = [toolUse('mcp__out__repeat', { text: 'hello' }), text('Done.')];
    const { told, offered } = await ask(script, out);
    expect(offered).toEqual(['repeat']);
    expect(told).toMatchObject([{ content: [{ text: 'hello' }] }]);
    expect(upstream.events('call')).toEqual(['echo']);
  });

  it('goes on when a proxied server dies, and finds it again at the next call', async () => {
    using upstream = byHandServer(undefined, { API_KEY: 'sk-very-secret' });
    const script = [
      toolUse('mcp__out__die', { words: 'the key sk-very-secret is wrong' }),
      toolUse('mcp__out__echo', { text: 'still there?' }),
      text('Done.'),
    ];
    const { told } = await ask(script, proxyMcpServer(upstream.config, { name: 'frail' }));
    expect(told).toMatchObject([
      {
        is_error: true,
        content: expect.stringMatching(
          /^The MCP server "frail" .* has ended with exit code 3\.\n.*\nthe key <redacted> is wrong$/s,
        ),
      },
      { content: [{ text: 'still there?' }] },
    ]);
    expect(upstream.events('call')).toEqual(['die', 'echo']);
  });

  it.each(foreignServers)('shares one object between queries that run at once: %s', async (_kind, make) => {
    const { instance } = make();
    const one = (index: number) =>
      ask(
        [
          toolUse('mcp__out__add', { a: index, b: 100 }),
          toolUse('mcp__out__askPlainly', {}),
          toolUse('mcp__out__none', {}),
          text('Done.'),
        ],
        { type: 'sdk', name: 'out', instance },
        { onElicitation: async () => ({ action: 'accept', content: { name: `person ${index}` } }) },
      );
    const answers = await Promise.all([1, 2].map(one));
    for (const [index, { told }] of answers.entries()) {
      expect(told).toMatchObject([
        { content: [{ text: String(101 + index) }] },
        { content: [{ text: expect.stringContaining(`"person ${index + 1}"`) }] },
        { is_error: true },
      ]);
    }
    // And once more, after the last of them has left.
    const { told } = await one(7);
    expect(told[0]).toMatchObject({ content: [{ text: '107' }] });
  });
});
