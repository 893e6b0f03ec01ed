/** Frames over the pipes of real processes: tiny Node programs, written where they are used. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Frame,
  type ProcessTransport,
  spawnTransport,
  type TransportReceiver,
} from '../../src/protocol/index.js';
import { alive, waitUntil } from '../support/real-cli.js';
import { RecordingReceiver } from '../support/recording-receiver.js';

const running: ProcessTransport[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((transport) => transport.stop(0)));
});

function run(
  program: string,
  limits: { maxLineBytes?: number; closeGraceMs?: number } = {},
  through: (receiver: RecordingReceiver) => TransportReceiver = (receiver) => receiver,
) {
  const transport = spawnTransport({
    command: process.execPath,
    args: ['-e', program],
    cwd: undefined,
    env: process.env,
    ...limits,
  });
  running.push(transport);
  const receiver = new RecordingReceiver();
  transport.start(through(receiver));
  return { transport, receiver };
}

const say = (frame: Frame | string) =>
  `process.stdout.write(${JSON.stringify(`${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`)});`;
const echo = 'process.stdin.pipe(process.stdout);';
const stayForever = 'setInterval(() => {}, 1e6);';

describe('a process', () => {
  it('gets frames as lines, says frames as lines, and leaves at the end of its input', async () => {
    const { transport, receiver } = run(echo);
    const frames = [{ type: 'user', text: 'zwei\nZeilen 🪵' }, { type: 'b' }];
    for (const frame of frames) transport.send(frame);
    transport.endInput();
    expect(await receiver.ended()).toEqual({ code: 0, signal: null });
    expect(receiver.frames).toEqual(frames);
    expect(receiver.byteLengths[1]).toBe('{"type":"b"}'.length);
    expect(receiver.ends).toHaveLength(1);
    expect(receiver.afterEnd).toEqual([]);
    expect(transport.pid).toBeGreaterThan(0);
  });

  it('may write anything to stdout: what is no frame is noise, blank lines are nothing', async () => {
    const lines = ['not JSON', '[1]', '42', '', '  ', '{"type":"ok"}', '{"unterminated":'];
    const { receiver } = run(lines.map(say).join('\n'));
    await receiver.ended();
    expect(receiver.noises).toEqual(['not JSON', '[1]', '42', '{"unterminated":']);
    expect(receiver.frames).toEqual([{ type: 'ok' }]);
  });

  it('may die in the middle of a line: the rest comes out before the end', async () => {
    const { receiver } = run(`process.stdout.write('{"type":"whole"}\\n{"type":"also whole"}')`);
    await receiver.ended();
    expect(receiver.frames).toEqual([{ type: 'whole' }, { type: 'also whole' }]);
  });

  it('has its too long lines told as noise to a receiver that knows nothing of dropped frames', async () => {
    const { receiver } = run(say({ type: 'long', text: 'x'.repeat(500) }), { maxLineBytes: 100 }, (full) => ({
      frame: (frame, byteLength) => full.frame(frame, byteLength),
      noise: (line) => full.noise(line),
      stderr: (text) => full.stderr(text),
      end: (end) => full.end(end),
    }));
    await receiver.ended();
    expect(receiver.noises).toEqual([expect.stringMatching(/^\[A line of 5\d\d bytes was dropped/)]);
  });

  it('has its too long lines dropped and named', async () => {
    const { receiver } = run(say({ type: 'long', text: 'x'.repeat(500) }) + say({ type: 'short' }), {
      maxLineBytes: 100,
    });
    await receiver.ended();
    expect(receiver.frames).toEqual([{ type: 'short' }]);
    expect(receiver.noises).toEqual([]);
    expect(receiver.drops).toEqual([
      {
        reason: 'too_long',
        byteLength: expect.any(Number),
        problem: expect.stringMatching(
          /^A line of 5\d\d bytes was dropped: it is longer than `maxLineBytes`/,
        ),
        head: expect.stringMatching(/^\{"type":"long"/),
      },
    ]);
  });

  it.each([
    ['a code', 'process.exit(7)', { code: 7, signal: null }],
    [
      'a signal',
      'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1e6)',
      { code: null, signal: 'SIGKILL' },
    ],
  ])('ends with %s', async (_, program, end) => {
    expect(await run(program).receiver.ended()).toEqual(end);
  });

  it('that cannot be started ends with the reason', async () => {
    const transport = spawnTransport({ command: '/no/such/program', args: [], cwd: undefined, env: {} });
    const receiver = new RecordingReceiver();
    transport.start(receiver);
    expect(await receiver.ended()).toMatchObject({ code: null, error: { code: 'ENOENT' } });
    await transport.stop();
    expect(receiver.ends).toHaveLength(1);
  });

  it('has its stderr drained, so that 10 MB of it hold nothing up', async () => {
    const { receiver } = run(
      `require('fs').writeSync(2, 'e'.repeat(10 * 1024 * 1024)); ${say({ type: 'after' })}`,
    );
    await receiver.ended();
    expect(receiver.frames).toEqual([{ type: 'after' }]);
    expect(receiver.stderrText.length).toBe(10 * 1024 * 1024);
  });

  it('is not read while reading is paused, and is after', async () => {
    const { transport, receiver } = run(
      `process.on('SIGUSR2', () => { ${say({ type: 'second' })} process.stderr.write('written'); });
       ${say({ type: 'first' })} ${stayForever}`,
    );
    await receiver.nth(0);
    transport.pause();
    process.kill(transport.pid!, 'SIGUSR2');
    await waitUntil(() => receiver.stderrText === 'written', { what: 'the word on stderr' });
    expect(receiver.frames).toEqual([{ type: 'first' }]);
    transport.resume();
    expect(await receiver.nth(1)).toEqual({ type: 'second' });
  });
});

describe('sending', () => {
  it('after the end of input is refused with INPUT_CLOSED', async () => {
    const { transport, receiver } = run(echo);
    transport.endInput();
    transport.endInput();
    const refused = expect.objectContaining({ code: 'INPUT_CLOSED' });
    expect(() => transport.send({ type: 'late' })).toThrow(refused);
    await receiver.ended();
    expect(() => transport.send({ type: 'later' })).toThrow(refused);
  });

  it('faster than the process reads says so, and drained() tells when to go on', async () => {
    const { transport, receiver } = run(
      // Reads only once the signal has come.
      `process.on('SIGUSR2', () => process.stdin.resume()); ${say({ type: 'ready' })} ${stayForever}`,
    );
    await receiver.nth(0);
    const frame = { type: 'user', text: 'x'.repeat(100_000) };
    let fast = true;
    for (let count = 0; fast && count < 1_000; count += 1) fast = transport.send(frame);
    expect(fast).toBe(false);
    let drained = false;
    const draining = transport.drained().then(() => {
      drained = true;
    });
    await turn();
    expect(drained).toBe(false);
    process.kill(transport.pid!, 'SIGUSR2');
    await draining;
    await expect(transport.drained()).resolves.toBeUndefined();
  });

  it('to a process that dies unread: drained() resolves all the same', async () => {
    const { transport, receiver } = run(`${say({ type: 'ready' })} ${stayForever}`);
    await receiver.nth(0);
    while (transport.send({ type: 'user', text: 'x'.repeat(100_000) }));
    const drained = transport.drained();
    process.kill(transport.pid!, 'SIGKILL');
    await drained;
    expect(await receiver.ended()).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('into a pipe whose other end was closed never throws EPIPE', async () => {
    const { transport, receiver } = run(
      `require('fs').closeSync(0); ${say({ type: 'deaf' })} ${stayForever}`,
    );
    await receiver.nth(0);
    // The first write fails later, in an event; from then on the input counts as closed.
    const failure = await new Promise<unknown>((resolve) => {
      const write = (): void => {
        try {
          transport.send({ type: 'user', text: 'x'.repeat(10_000) });
          setImmediate(write);
        } catch (error) {
          resolve(error);
        }
      };
      write();
    });
    expect(failure).toMatchObject({ code: 'INPUT_CLOSED' });
    expect(receiver.ends).toEqual([]);
  });
});

describe('the end of a process', () => {
  it('ends what it has left behind in its group', async () => {
    const { receiver } = run(
      `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stayForever)}], { stdio: 'ignore' });
       child.unref();
       process.stdout.write(JSON.stringify({ type: 'child', pid: child.pid }) + '\\n');`,
    );
    const { pid } = (await receiver.nth(0)) as unknown as { pid: number };
    expect(await receiver.ended()).toEqual({ code: 0, signal: null });
    await waitUntil(() => !alive(pid), { what: 'the end of the grandchild' });
  });

  it('is not held up by a grandchild that keeps the pipes open and ignores SIGTERM', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); process.send('up'); process.disconnect(); ${stayForever}`;
    const { receiver } = run(
      `const child = require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
       child.once('message', () => {
         process.stdout.write(JSON.stringify({ type: 'child', pid: child.pid }) + '\\n', () => process.exit(0));
       });`,
    );
    const { pid } = (await receiver.nth(0)) as unknown as { pid: number };
    expect(await receiver.ended()).toEqual({ code: 0, signal: null });
    await waitUntil(() => !alive(pid), { what: 'the end of the grandchild' });
  });
});
