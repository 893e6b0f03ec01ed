/** `npm run test:runtimes`: a host and its handler where there is no Node (R47, R67). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EDGE_RUNTIMES, type RunningWorker } from './runtimes.js';

const headers = { authorization: 'Bearer ann', 'content-type': 'application/json' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-handler-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(EDGE_RUNTIMES)('under %s', (name, { start, condition }) => {
  let worker: RunningWorker;
  beforeAll(async () => {
    const outfile = join(folder, name.replaceAll(' ', '-'), 'worker.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('handler-worker.mjs', import.meta.url))],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'browser',
      conditions: [condition, 'worker'],
      logLevel: 'warning',
    });
    worker = await start(folder, outfile);
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  it('a chat asks, is answered and goes on; strangers are refused; a host that is closed says so', async () => {
    const response = await fetch(`${worker.url}/scenario`);
    expect(await response.json()).toEqual({
      stranger: 401,
      problem: 'application/problem+json',
      asked: true,
      rest: true,
      events: true,
      readers: 0,
      closed: 503,
    });
  });

  // In workerd requests have nothing in common.
  it.skipIf(name.startsWith('workerd'))('what is read for a client ends when the client leaves', async () => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const response = await fetch(`${worker.url}/sessions/s/events`, { headers, signal });
    expect(response.status).toBe(200);
    const readers = async () => (await fetch(`${worker.url}/readers`)).json();
    expect(await readers()).toBe(1);
    await response.body?.getReader().read();
    leaving.abort();
    await vi.waitFor(async () => expect(await readers()).toBe(0), { timeout: 60_000 });
  });
});
