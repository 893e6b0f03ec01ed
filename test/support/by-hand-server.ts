/** The server of test/fixtures/mcp/by-hand.mjs as something to put a proxy before, and the journal that it keeps. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpStdioServerConfig } from '../../src/index.js';

const program: string = fileURLToPath(new URL('../fixtures/mcp/by-hand.mjs', import.meta.url));

export interface ByHandServer extends Disposable {
  readonly config: McpStdioServerConfig & { env: Record<string, string> };
  /** What happened to it so far: `['start', pid]`, `['call', name]`, `['end']` and the like. */
  journal(): [event: string, detail: unknown][];
  events(name: string): unknown[];
}

export function byHandServer(
  mode?: 'silent' | 'crash' | 'noisy',
  env: Record<string, string> = {},
): ByHandServer {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-by-hand-'));
  const file = join(folder, 'journal');
  const journal = (): [string, unknown][] => {
    try {
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  };
  return {
    config: {
      command: process.execPath,
      args: mode === undefined ? [program] : [program, mode],
      env: { JOURNAL: file, ...env },
    },
    journal,
    events: (name) =>
      journal()
        .filter(([event]) => event === name)
        .map(([, detail]) => detail),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
