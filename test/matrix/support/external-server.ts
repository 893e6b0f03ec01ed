/** Real MCP servers outside the host: see test/fixtures/mcp/server.mjs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { McpServerConfig } from '../../../src/index.js';
import type { Context } from './scenario.js';

const program: string = fileURLToPath(new URL('../../fixtures/mcp/server.mjs', import.meta.url));

export function stdioServer(env?: Record<string, string>): McpServerConfig {
  const config = {
    type: 'stdio' as const,
    command: process.execPath,
    args: [program, 'stdio'],
    alwaysLoad: true,
  };
  return env === undefined ? config : { ...config, env };
}

/** Starts a server on the loopback interface for the time of the run. */
export async function networkServer(
  context: Context,
  type: 'http' | 'sse',
  headers?: Record<string, string>,
): Promise<McpServerConfig> {
  const child = spawn(process.execPath, [program, type], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  context.defer(async () => {
    child.stdin.end();
    await exit;
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { type, url, alwaysLoad: true, ...(headers === undefined ? {} : { headers }) };
}
