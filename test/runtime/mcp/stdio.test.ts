/** Servers that are programs (issue 5): restarted when they crash, and gone with everything that they started. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { McpStdioServerConfig } from '../../../src/mcp/types.js';
import { alive } from '../../support/real-cli.js';
import { openHub } from './support.js';

const program = fileURLToPath(new URL('../../fixtures/mcp/family-server.mjs', import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-family-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const config = (...manners: string[]): McpStdioServerConfig => ({
  command: process.execPath,
  args: [program, join(folder, 'journal'), ...manners],
  env: { API_KEY: 'sk-very-secret' },
});

/** What servers wrote down: lines that begin with the word. */
function journal(word: string): string[] {
  const lines = readFileSync(join(folder, 'journal'), 'utf8').split('\n');
  return lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}
const pids = (): number[] => [...journal('start'), ...journal('child')].map(Number);

it('crash in the middle of a call: the call fails with its last words, and the program is started again', async () => {
  await using hub = openHub({ s: config('chatty') });
  await hub.until('connected');
  const other = expect(hub.call('do', { id: 'other', ms: 60_000 })).rejects.toThrow(/may have had an effect/);
  await expect.poll(() => journal('do')).toEqual(['other']);
  const words = 'the key sk-very-secret is worn out';
  await expect(hub.call('die', { words })).rejects.toThrow(
    /has ended with exit code 3\.[\s\S]*the key <redacted> is worn out[\s\S]*not repeated/,
  );
  await other;
  expect(await hub.text('do', { id: 'next' })).toBe('next');
  expect(journal('do')).toEqual(['other', 'next']);
  expect(journal('start')).toHaveLength(2);
  const status = hub.status();
  expect(status).toMatchObject({ status: 'connected', attempts: 2, transport: 'stdio' });
  expect(status.lastStderr).toContain('the key <redacted> is worn out');
  expect(status.lastStderr).toContain('[on stdout] Welcome');
  expect(status.config).toEqual({ ...config('chatty'), env: { API_KEY: '<redacted>' } });
  expect(JSON.stringify(status)).not.toContain('sk-very-secret');
  expect(Date.now() - Date.parse(status.since ?? '')).toBeLessThan(60_000);
});

it('that crash again and again are given up, with what they said last', async () => {
  const crash = ['-e', "console.error('no licence'); process.exit(7)"];
  await using hub = openHub(
    { s: config(), t: { command: process.execPath, args: crash } },
    { reconnect: { firstMs: 5, maxMs: 10, attempts: 4 } },
  );
  await hub.until('connected');
  for (let crashes = 0; crashes < 4; crashes += 1) {
    await expect(hub.call('die', {})).rejects.toThrow('exit code 3');
    await expect.poll(() => hub.status().status).not.toBe('pending');
  }
  expect(hub.status()).toMatchObject({ status: 'failed', attempts: 4 });
  expect(journal('start')).toHaveLength(4);
  // One that never came up is not tried again: somebody has to do something about it.
  expect(hub.status('t')).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: expect.stringMatching(/exit code 7[\s\S]*no licence/),
    lastStderr: 'no licence\n',
  });
});

it('leave nobody behind at close: not a deaf one, not a hanging one, not their children (pain 59)', async () => {
  const hub = openHub({ s: config('deaf'), t: config(), u: config('mute') });
  await Promise.all([hub.until('connected'), hub.until('connected', 't')]);
  await Promise.all([hub.call('spawn'), hub.call('spawn', {}, { server: 't' })]);
  void hub.call('hang', {}, { server: 't' }).catch(() => {});
  await expect.poll(() => journal('start')).toHaveLength(3);
  expect(pids().filter(alive)).toHaveLength(5);
  await hub.hub.close();
  expect(pids().filter(alive)).toEqual([]);
});

it('leave no children behind when they crash, either', async () => {
  await using hub = openHub({ s: config() }, { reconnect: { attempts: 0 } });
  await hub.until('connected');
  await hub.call('spawn');
  const before = pids();
  expect(before.filter(alive)).toHaveLength(2);
  await expect(hub.call('die')).rejects.toThrow('exit code 3');
  await expect.poll(() => before.filter(alive)).toEqual([]);
});

it('have the environment and the directory of the conversation', async () => {
  const env = { PATH: process.env.PATH, GREETING: 'hello' };
  await using hub = openHub({ s: config() }, { env, cwd: folder });
  expect(await hub.text('env', { name: 'GREETING' })).toBe('hello');
  expect(await hub.text('env', { name: 'API_KEY' })).toBe('sk-very-secret');
  expect(await hub.text('env', { name: 'HOME' })).toBe('not set');
});

it('hear of a cancelled call, and the next one is answered', async () => {
  await using hub = openHub({ s: config() });
  await hub.until('connected');
  const stop = new AbortController();
  const call = hub.call('do', { id: 'long', ms: 60_000 }, { signal: stop.signal });
  await expect.poll(() => journal('do')).toEqual(['long']);
  stop.abort();
  await expect(call).rejects.toThrow('cancelled');
  expect(await hub.text('do', { id: 'next' })).toBe('next');
});
