// @ts-check
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import workerd from 'workerd';

/** @type {import('node:child_process').ChildProcess} */
let server;
let url = '';

/** The bundle under workerd, which is what Cloudflare runs; on a free port, and without a key. */
before(async () => {
  execFileSync(process.execPath, ['build.js'], { stdio: 'inherit' });
  const args = ['serve', 'workerd.capnp', '--socket-addr=http=127.0.0.1:0', '--control-fd=3'];
  const { ANTHROPIC_API_KEY: _, ...env } = process.env;
  server = spawn(workerd.default, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] });
  const control = createInterface({ input: /** @type {import('node:stream').Readable} */ (server.stdio[3]) });
  const [line] = await once(control, 'line');
  url = `http://127.0.0.1:${JSON.parse(line).port}`;
});

after(() => server?.kill());

test('the agent calls the tool, and its messages come as events', async () => {
  const response = await fetch(url, { method: 'POST', body: 'Do we have hammers?' });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const messages = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));
  assert.equal(messages[0].subtype, 'init');
  assert.equal(messages.at(-1).result, 'The tool says: hammer: 7 in stock.');
});

test('what is not a question is refused', async () => {
  assert.equal((await fetch(url)).status, 405);
});
