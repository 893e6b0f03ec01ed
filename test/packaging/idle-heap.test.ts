/** What an idle conversation holds, counted in bytes after a collection, not timed: hundreds of them are open in a server (pain 9). */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const dist = new URL('../../dist/', import.meta.url).href;

/**
 * Fifty before: what is loaded and compiled once does not count. The least of four rounds: on a busy machine the
 * compiler is still at work in the first ones, and its code is in the heap too.
 */
const PROGRAM = `
import { createSdkMcpServer, query, tool } from '${dist}index.js';
import { embedded } from '${dist}runtime/index.js';
import { scriptedModel } from '${dist}testing/index.js';

const runtime = embedded({ model: scriptedModel([]) });
const schema = { type: 'object', properties: { text: { type: 'string' } } };
const server = createSdkMcpServer({ name: 's', tools: [tool('echo', 'Echoes', schema, ({ text }) => text)] });

async function open(number) {
  const all = [];
  for (let index = 0; index < number; index += 1) {
    const prompt = (async function* () { await new Promise(() => {}); })();
    const conversation = query({ prompt, options: { runtime, mcpServers: { s: server } } });
    await conversation.initializationResult();
    all.push(conversation);
  }
  return all;
}

/** Collected until nothing more goes: on a busy machine what was let go is finished with late. */
async function heap() {
  let least = Infinity;
  for (let round = 0, still = 0; still < 5 && round < 100; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const used = process.memoryUsage().heapUsed;
    still = used < least - 1024 ? 0 : still + 1;
    least = Math.min(least, used);
  }
  return least;
}

await Promise.all((await open(50)).map((conversation) => conversation.close()));
const idle = [];
const sizes = [];
let before = await heap();
for (let round = 0; round < 4; round += 1) {
  idle.push(...(await open(100)));
  const now = await heap();
  sizes.push((now - before) / 1024 / 100);
  before = now;
}
console.log(JSON.stringify({ kilobytes: Math.min(...sizes), open: idle.length }));
process.exit(0);
`;

it('an idle conversation, with its agent in the same process, holds less than 28 KB', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    PROGRAM,
  ]);
  const { kilobytes, open } = JSON.parse(stdout);
  expect(open).toBe(400);
  expect(kilobytes).toBeGreaterThan(5);
  expect(kilobytes).toBeLessThan(28);
});
