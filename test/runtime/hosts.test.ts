/** Embedded conversations in a program of its own: it ends by itself, holds many of them, and loads little. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.js';

const program = fileURLToPath(new URL('../fixtures/hosts/embedded.mjs', import.meta.url));
const dist = new URL('../../dist/', import.meta.url).href;

interface HostEvent {
  event: string;
  [field: string]: unknown;
}

/** Resolves when the program has ended by itself; it is ended, and the test fails, when it has not after a while. */
async function play(plan: string, count = 1): Promise<HostEvent[]> {
  const args = ['--expose-gc', program, plan, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: PATIENCE_MS });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HostEvent);
}

describe('a program with an embedded conversation ends by itself', () => {
  it('after the answer', async () => {
    expect(await play('finish')).toEqual([{ event: 'result', subtype: 'success' }]);
  });

  it.each(['close', 'abort', 'break'])(
    'after %s in the middle of a tool, with its handler aborted',
    async (plan) => {
      const events = (await play(plan)).map(({ event }) => event);
      expect(events.slice(0, 2)).toEqual(['handler started', 'handler aborted']);
    },
  );
});

describe('one process', () => {
  it('holds 500 conversations that wait, and every one still answers (pain 9, wish 3)', async () => {
    const [report] = await play('idle', 500);
    expect(report).toMatchObject({ event: 'idle', count: 500, answered: 500 });
    // Megabytes of heap each; a bound that a leak of whole buffers or modules per conversation would break.
    expect(Number(report?.each)).toBeLessThan(0.5);
    console.log(
      `idle: ${Number(report?.each).toFixed(3)} MB each, ${Math.round(Number(report?.took))} ms for all`,
    );
  });

  it('runs 200 at once, all of them inside a tool at the same time', async () => {
    const [report] = await play('busy', 200);
    expect(report).toMatchObject({ event: 'busy', count: 200, good: 200 });
    console.log(
      `busy: ${Math.round(Number(report?.took))} ms for 200 conversations of two requests and a call`,
    );
  });

  it('asks the model soon after query() (pain 6)', async () => {
    const [report] = await play('first');
    expect(report?.event).toBe('first');
    console.log(
      `first request: ${Number(report?.cold).toFixed(1)} ms cold, ${Number(report?.warm).toFixed(2)} ms warm`,
    );
  });
});

it('a conversation without servers outside loads no child processes and no MCP library (pain 50)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-loads-'));
  try {
    await writeFile(
      join(folder, 'watcher.mjs'),
      `import { writeSync } from 'node:fs';
       export async function resolve(name, context, next) {
         const found = await next(name, context);
         writeSync(1, 'loaded ' + found.url + '\\n');
         return found;
       }`,
    );
    await writeFile(
      join(folder, 'main.mjs'),
      `import { register } from 'node:module';
       register('./watcher.mjs', import.meta.url);
       const { serveRuntime, parseFlags } = await import('${dist}runtime/index.js');
       const usage = { input_tokens: 1, output_tokens: 1 };
       const model = {
         name: 'mine',
         async *stream() {
           yield { type: 'message_start', message: { id: 'm', model: 'mine', usage } };
           yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hello.' } };
           yield { type: 'content_block_stop', index: 0 };
           yield { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage };
         },
       };
       let receiver;
       const transport = {
         start: (given) => { receiver = given; },
         send: ({ type }) => { console.log('frame ' + type); return true; },
         endInput() {},
       };
       const running = serveRuntime(transport, { model }, { flags: parseFlags([], JSON.parse), cwd: '/', reportsState: false });
       receiver.frame({ type: 'user', message: { role: 'user', content: 'Hi.' } }, 0);
       receiver.end({ code: 0, signal: null });
       console.log('exit ' + (await running.finished));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.mjs')]);
    expect(stdout).toContain('frame result');
    expect(stdout).toContain('exit 0');
    const loaded = [...stdout.matchAll(/^loaded (\S+)$/gm)].map(([, url = '']) => url);
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.filter((url) => /child_process|node_modules/.test(url))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
