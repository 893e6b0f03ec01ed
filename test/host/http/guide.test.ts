/** "Over HTTP": its programs, saved and run (R67). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../examples/shared/free-port.js';
import { blocks, root } from '../../packaging/support/documents.js';

const guide = await readFile(join(root, 'docs/guide/http.md'), 'utf8');
const programs = blocks(guide, 'ts');

let folder: string;
beforeAll(async () => {
  await mkdir(join(root, '.cache'), { recursive: true });
  // Inside the package, so that `tenon` is the package itself.
  folder = await mkdtemp(join(root, '.cache', 'http-'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['express', 'fastify', 'hono']) {
    await symlink(join(root, 'test/chat/node_modules', name), join(folder, 'node_modules', name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** Programs that only have a handler are served as Bun and Deno would. */
const SERVE = `
import { createServer } from 'node:http';
import { toNodeHandler } from 'tenon/host';
import program from './program.mjs';
createServer(toNodeHandler(async (request) => program.fetch(request))).listen(Number(process.env.PORT));
`;

describe('a program of the guide', () => {
  it.each([
    ['node:http', /from 'node:http'/],
    ['Express', /from 'express'/],
    ['Fastify', /from 'fastify'/],
    ['Hono', /from 'hono'/],
    ['Bun and Deno', /export default \{ fetch/],
  ])('for %s serves the host', async (_, isIt) => {
    const program = programs.find((each) => isIt.test(each));
    const place = await mkdtemp(join(folder, 'program-'));
    await writeFile(join(place, 'program.mjs'), program ?? '');
    await writeFile(join(place, 'serve.mjs'), SERVE);
    const port = await freePort();
    const start = /^export default/m.test(program ?? '') ? 'serve.mjs' : 'program.mjs';
    const child = spawn(process.execPath, [start], {
      cwd: place,
      env: { ...process.env, PORT: String(port), TOKEN: 'secret' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exit = once(child, 'exit');
    try {
      const url = `http://127.0.0.1:${port}/agent/sessions`;
      const stranger = await vi.waitFor(() => fetch(url));
      expect(stranger.status).toBe(401);
      const known = await fetch(url, { headers: { authorization: 'Bearer secret' } });
      expect(await known.json()).toEqual({ sessions: [] });
    } finally {
      child.kill('SIGKILL');
      await exit;
    }
  });
});
