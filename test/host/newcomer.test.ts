/** "Many conversations", followed to the letter: its server and its client, saved and run. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../examples/shared/free-port.js';
import { root } from '../packaging/support/documents.js';

const guide = await readFile(join(root, 'docs/guide/many-conversations.md'), 'utf8');
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  // Inside the package, so that `tenon` is the package itself.
  folder = await mkdtemp(join(root, '.cache', 'many-'));
  env = { ...process.env, PORT: String(await freePort()) };
  for (const [, name = '', content = ''] of guide.matchAll(
    /Save this as `([^`]+)`:\n\n```ts\n(.*?)^```/gms,
  )) {
    await writeFile(join(folder, name), content);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

async function started(): Promise<ChildProcess> {
  const server = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const chunk of server.stdout) if (String(chunk).includes('Listening')) break;
  return server;
}

async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const exit = once(server, 'exit');
  server.kill(signal);
  return (await exit)[0];
}

const headers = { authorization: 'Bearer secret-of-bob', 'content-type': 'application/json' };
const url = (path: string) => `http://127.0.0.1:${env.PORT}/agent${path}`;
const get = async (path: string): Promise<{ approvals: { id: string }[] }> =>
  (await fetch(url(path), { headers })).json() as never;

describe('a newcomer who follows the guide (R60, R63, R67)', () => {
  it('has a chat server, whose client sends, reads and answers', async () => {
    const server = await started();
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['client.mjs'], { cwd: folder, env });
      expect(stdout).toContain('May it? mcp__shop__order {"product":"hammer"}');
      expect(stdout).toContain("{ outcome: 'taken' }");
      expect(stdout).toContain('Your hammer is on its way.');
    } finally {
      expect(await ended(server, 'SIGTERM')).toBe(0);
    }
  });

  it('kills it while a question waits, starts it again, answers, and the agent goes on', async () => {
    const killed = await started();
    const body = JSON.stringify({ prompt: 'A hammer, please.' });
    await fetch(url('/sessions/second/messages'), { method: 'POST', headers, body });
    let approvals: { id: string }[] = [];
    while (approvals.length === 0) ({ approvals } = await get('/approvals'));
    await ended(killed, 'SIGKILL');
    const server = await started();
    try {
      const answer = { method: 'POST', headers, body: JSON.stringify({ behavior: 'allow' }) };
      expect(await (await fetch(url(`/approvals/${approvals[0]?.id}`), answer)).json()).toEqual({
        outcome: 'taken',
      });
      const { body: stream } = await fetch(url('/sessions/second/events'), { headers });
      let told = '';
      for await (const chunk of stream?.pipeThrough(new TextDecoderStream()) ?? []) {
        told += chunk;
        if (told.includes('"done"')) break;
      }
      expect(told).toContain('Ordered: one hammer.');
      expect(told).toContain('Your hammer is on its way.');
    } finally {
      expect(await ended(server, 'SIGTERM')).toBe(0);
    }
  });
});
