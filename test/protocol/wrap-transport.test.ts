import { describe, expect, it } from 'vitest';
import { memoryTransportPair } from '../../src/protocol/transport/memory-transport.js';
import type { Transport, TransportReceiver } from '../../src/protocol/transport/transport.js';
import { wrapReceiver, wrapTransport } from '../../src/protocol/transport/wrap-transport.js';

/** A transport that writes down what is asked of it. */
function noted(): { calls: unknown[][]; transport: Transport } {
  const calls: unknown[][] = [];
  const note =
    <Result>(name: string, result: Result) =>
    (...args: unknown[]): Result => {
      calls.push([name, ...args]);
      return result;
    };
  const transport: Transport = {
    pid: 7,
    start: note('start', undefined),
    send: note('send', false),
    drained: note('drained', Promise.resolve()),
    endInput: note('endInput', undefined),
    pause: note('pause', undefined),
    resume: note('resume', undefined),
    stop: note('stop', Promise.resolve()),
  };
  return { calls, transport };
}

const quiet: TransportReceiver = {
  frame: () => {},
  noise: () => {},
  dropped: () => {},
  stderr: () => {},
  end: () => {},
};

describe('a wrapped transport (R55)', () => {
  it('passes on every member, with its arguments and its result', async () => {
    const { calls, transport } = noted();
    const wrapped = wrapTransport(transport, {});
    expect(wrapped.pid).toBe(7);
    wrapped.start(quiet);
    expect(wrapped.send({ type: 'user' }, '{"type":"user"}')).toBe(false);
    await wrapped.drained();
    wrapped.pause();
    wrapped.resume();
    wrapped.endInput();
    await wrapped.stop(5);
    expect(calls).toEqual([
      ['start', quiet],
      ['send', { type: 'user' }, '{"type":"user"}'],
      ['drained'],
      ['pause'],
      ['resume'],
      ['endInput'],
      ['stop', 5],
    ]);
  });

  it('reads the process id anew each time: it is known only once the process runs', () => {
    const { transport } = noted();
    const later: { -readonly [Key in keyof Transport]: Transport[Key] } = { ...transport, pid: undefined };
    const wrapped = wrapTransport(later, {});
    later.pid = 9;
    expect(wrapped.pid).toBe(9);
  });

  it('does what is given in place of what it wraps', () => {
    const { calls, transport } = noted();
    const sent: unknown[] = [];
    const wrapped = wrapTransport(transport, {
      send: (frame) => {
        sent.push(frame);
        return transport.send({ type: 'changed' });
      },
    });
    wrapped.send({ type: 'user' });
    expect(sent).toEqual([{ type: 'user' }]);
    expect(calls).toEqual([['send', { type: 'changed' }]]);
  });

  it('lets a wrapped receiver stand in the way of what arrives', async () => {
    const [left, right] = memoryTransportPair();
    const heard: unknown[] = [];
    const wrapped = wrapTransport(left, {
      start: (receiver) =>
        left.start(wrapReceiver(receiver, { frame: (frame) => receiver.frame({ ...frame, seen: true }, 0) })),
    });
    const ended = new Promise<void>((resolve) =>
      wrapped.start({ ...quiet, frame: (frame) => void heard.push(frame), end: () => resolve() }),
    );
    right.start(quiet);
    right.send({ type: 'user' });
    right.endInput();
    await ended;
    expect(heard).toEqual([{ type: 'user', seen: true }]);
  });
});
