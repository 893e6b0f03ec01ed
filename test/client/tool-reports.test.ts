/** What tools report reaches whoever reads the messages, and names that the model cannot tell apart are reported (R7, R32). */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSdkMcpServer,
  type McpServerConfig,
  type SDKToolProgressMessage,
  tool,
} from '../../src/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { foreignServers } from '../support/foreign-servers.js';

failOnTrouble();

const own = (): McpServerConfig => {
  const report = tool('report', 'Reports', { text: z.string() }, ({ text }, { reportProgress }) => {
    reportProgress(1, 2, text);
    reportProgress(2);
    return text;
  });
  return createSdkMcpServer({ name: 's', tools: [report] });
};
const foreign = (): McpServerConfig => {
  const [, make] = foreignServers[0] as (typeof foreignServers)[number];
  return { type: 'sdk', name: 's', instance: make().instance };
};

/** A server that lists its tools page by page, under any names. */
function listing(...pages: string[][]): McpServerConfig {
  const server = new Server({ name: 's', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    return {
      tools: (pages[page] ?? []).map((name) => ({ name, inputSchema: { type: 'object' as const } })),
      ...(page + 1 < pages.length ? { nextCursor: String(page + 1) } : {}),
    };
  });
  server.setRequestHandler(CallToolRequestSchema, () => ({ content: [] }));
  return { type: 'sdk', name: 's', instance: server };
}

describe.each(BACK_ENDS)('with $name', (backEnd) => {
  it.each([
    ['createSdkMcpServer()', own, [{ progress: 1, total: 2, message: 'half' }, { progress: 2 }]],
    ['a server object of the MCP library', foreign, [{ progress: 1, message: 'half' }]],
  ] as const)('the progress of a tool of %s comes as tool_progress, once', async (_, server, reports) => {
    const input = { text: 'half' };
    await using running = await backEnd.start([{ tool: 'mcp__s__report', input }, 'Done.']);
    const options = running.options({ mcpServers: { s: server() }, allowedTools: ['mcp__s__report'] });
    const { messages, error } = await ask(options);
    expect(error).toBeUndefined();
    const shown = messages.filter(
      (message): message is SDKToolProgressMessage => message.type === 'tool_progress',
    );
    const [call] = messages.flatMap((message) =>
      message.type === 'assistant' ? message.message.content : [],
    );
    const { id } = call as { id: string };
    expect(shown).toEqual(
      reports.map((report) => ({
        type: 'tool_progress',
        tool_use_id: id,
        tool_name: 'mcp__s__report',
        parent_tool_use_id: id,
        elapsed_time_seconds: expect.any(Number),
        ...report,
        uuid: expect.any(String),
        session_id: messages[0]?.session_id,
      })),
    );
    // Before the result of the call that they belong to.
    const lastReport = messages.findLastIndex(({ type }) => type === 'tool_progress');
    expect(lastReport).toBeLessThan(messages.findIndex(({ type }) => type === 'user'));
  });

  it.each([
    ['on one page', [['a.b', 'c', 'a b']]],
    ['on two pages', [['a.b'], ['c', 'a b']]],
  ])('two tools whose names become one, %s, are reported by both names', async (_, pages) => {
    const told: string[] = [];
    await using running = await backEnd.start(['Done.']);
    const options = {
      mcpServers: { s: listing(...pages) },
      mcpReady: true,
      stderr: (text: string) => void told.push(text),
    };
    const { error } = await ask(running.options(options));
    expect(error).toBeUndefined();
    const report = 'MCP server "s": the tools "a.b" and "a b" are both "mcp__s__a_b" for the model';
    expect(told.filter((text) => text.includes(report))).toHaveLength(1);
  });

  it('two servers whose names become one are reported by both names', async () => {
    const told: string[] = [];
    await using running = await backEnd.start(['Done.']);
    const mcpServers = { 'a.b': listing(['x']), 'a b': listing(['y']), c: own() };
    const { error } = await ask(
      running.options({ mcpServers, stderr: (text: string) => void told.push(text) }),
    );
    expect(error).toBeUndefined();
    const report = 'the servers "a.b" and "a b" are both "mcp__a_b" for the model';
    expect(told.filter((text) => text.includes(report))).toHaveLength(1);
  });
});
