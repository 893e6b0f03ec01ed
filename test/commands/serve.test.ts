/** `tenon serve`: a file of tools for any MCP client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../support/real-cli.js';
import { toolsFile } from './support/agent.js';
import { program, start } from './support/tenon.js';

/** A module's exports come in the order of the alphabet. */
const TOOLS = ['add', 'deaf', 'divide', 'loud', 'slow'];

async function useTools(client: Client): Promise<void> {
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
  const sum = await client.callTool({ name: 'add', arguments: { a: 15, b: 27 } });
  expect(sum.content).toEqual([{ type: 'text', text: '42' }]);
  const refused = await client.callTool({ name: 'divide', arguments: { a: 1, b: 0 } });
  expect(refused).toMatchObject({ isError: true, content: [{ text: 'Division by zero.' }] });
  // It prints with console.log, which must not get into the protocol.
  expect(await client.callTool({ name: 'loud' })).toMatchObject({ content: [{ type: 'text' }] });
}

describe('tenon serve', () => {
  it('--stdio serves the program that starts it; what tools print goes to stderr', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'serve', toolsFile, '--stdio'],
      stderr: 'pipe',
    });
    let stderr = '';
    transport.stderr?.on('data', (part: Buffer) => {
      stderr += part;
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    await useTools(client);
    await waitUntil(() => stderr === 'from the tool\n', { what: 'the words of the tool on stderr' });
    await client.close();
  });

  it('--http serves any number of clients, says where, and ends at Ctrl-C', async () => {
    const { child, output, finished } = start(['serve', toolsFile, '--http', '0', '--json']);
    await waitUntil(() => output().includes('\n'), { what: 'the line that says where' });
    const { url, ...facts } = JSON.parse(output());
    expect(facts).toEqual({ type: 'listening', port: expect.any(Number), name: 'tools', tools: TOOLS });
    const clients = [new Client({ name: 'one', version: '1' }), new Client({ name: 'two', version: '1' })];
    await Promise.all(
      clients.map((client) => client.connect(new StreamableHTTPClientTransport(new URL(url)))),
    );
    await Promise.all(clients.map(useTools));
    await Promise.all(clients.map((client) => client.close()));
    child.kill('SIGINT');
    expect((await finished).code).toBe(0);
  });

  it('--http tells a person where, and how to add it to Claude Code', async () => {
    const { child, output, finished } = start(['serve', toolsFile, '--http', '0']);
    await waitUntil(() => output().includes('Ctrl-C'), { what: 'the words for people' });
    expect(output()).toMatch(/^✓ "tools" with 5 tools is served at http:\/\/127\.0\.0\.1:\d+\/mcp\n/);
    expect(output()).toMatch(/claude mcp add --transport http tools http:\/\//);
    child.kill('SIGTERM');
    expect((await finished).stdout).toBe('');
  });
});
