/** Two transports joined in memory. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { memoryTransportPair, type TransportReceiver } from '../../src/protocol/index.js';
import { RecordingReceiver } from '../support/recording-receiver.js';

function started() {
  const [left, right] = memoryTransportPair();
  const [atLeft, atRight] = [new RecordingReceiver(), new RecordingReceiver()];
  left.start(atLeft);
  right.start(atRight);
  return { left, right, atLeft, atRight };
}

describe('a pair of memory transports', () => {
  it('hands objects over in order and makes no copies', async () => {
    const { left, right, atLeft, atRight } = started();
    const frames = [{ type: 'a', value: 1n }, { type: 'b' }, { type: 'c' }];
    for (const frame of frames) expect(left.send(frame)).toBe(true);
    right.send({ type: 'back' });
    await turn();
    expect(atRight.frames).toEqual(frames);
    expect(atRight.frames[0]).toBe(frames[0]);
    expect(atLeft.frames).toEqual([{ type: 'back' }]);
  });

  it('never runs the receiver inside the call of the sender', async () => {
    const { left, atRight } = started();
    left.send({ type: 'a' });
    expect(atRight.frames).toEqual([]);
    await turn();
    expect(atRight.frames).toHaveLength(1);
  });

  it('keeps what was sent before the other end has started', async () => {
    const [left, right] = memoryTransportPair();
    left.send({ type: 'early' });
    left.endInput();
    await turn();
    const atRight = new RecordingReceiver();
    right.start(atRight);
    await turn();
    expect(atRight.frames).toEqual([{ type: 'early' }]);
    expect(atRight.ends).toHaveLength(1);
  });

  it('delivers nothing while it is paused, and everything in order after', async () => {
    const { left, right, atRight } = started();
    right.pause();
    right.pause();
    left.send({ type: 'a' });
    left.send({ type: 'b' });
    left.endInput();
    await turn();
    expect([atRight.frames, atRight.ends]).toEqual([[], []]);
    right.resume();
    right.resume();
    await turn();
    expect(atRight.frames.map(({ type }) => type)).toEqual(['a', 'b']);
    expect(atRight.ends).toHaveLength(1);
  });

  it('may be paused from inside the receiver', async () => {
    const [left, right] = memoryTransportPair();
    const seen: string[] = [];
    const receiver: TransportReceiver = {
      frame: ({ type }) => {
        seen.push(type);
        right.pause();
      },
      noise: () => {},
      dropped: () => {},
      stderr: () => {},
      end: () => {},
    };
    right.start(receiver);
    for (const type of ['a', 'b']) left.send({ type });
    await turn();
    expect(seen).toEqual(['a']);
    right.resume();
    await turn();
    expect(seen).toEqual(['a', 'b']);
  });

  it('refuses to send after the end of input with INPUT_CLOSED', async () => {
    const { left, atRight } = started();
    left.send({ type: 'last' });
    left.endInput();
    left.endInput();
    expect(() => left.send({ type: 'more' })).toThrow(expect.objectContaining({ code: 'INPUT_CLOSED' }));
    await turn();
    expect(atRight.frames).toEqual([{ type: 'last' }]);
    expect(atRight.ends).toEqual([{ code: null, signal: null }]);
    await expect(left.drained()).resolves.toBeUndefined();
  });

  it('ends both sides once and last when one side stops', async () => {
    const { left, right, atLeft, atRight } = started();
    right.send({ type: 'unread' });
    await left.stop();
    await left.stop();
    await turn();
    for (const end of [atLeft, atRight]) {
      expect(end.ends).toHaveLength(1);
      expect(end.afterEnd).toEqual([]);
    }
    expect(() => left.send({ type: 'x' })).toThrow(expect.objectContaining({ code: 'INPUT_CLOSED' }));
    expect(() => right.send({ type: 'x' })).toThrow(expect.objectContaining({ code: 'INPUT_CLOSED' }));
    expect([left.pid, right.pid]).toEqual([undefined, undefined]);
  });
});
