import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * Starts the exchange-rate server in a separate process, as if it were on another machine.
 *
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startRates() {
  const program = fileURLToPath(new URL('rates-server.mjs', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const started = once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line));
  const url = await Promise.race([
    started,
    exited.then(([code]) => {
      throw new Error(`The exchange-rate server exited with ${code} before it could be reached.`);
    }),
  ]);
  return {
    url,
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
}

/**
 * MCP's own file-system server, which can access only that folder.
 *
 * @param {string} folder
 */
export function filesIn(folder) {
  const program = import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
  return {
    type: /** @type {const} */ ('stdio'),
    command: process.execPath,
    args: [fileURLToPath(program), folder],
  };
}
