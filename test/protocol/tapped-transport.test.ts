import { describe, expect, it } from 'vitest';
import { SecretValues } from '../../src/protocol/base/secret-values.js';
import { frameCopy } from '../../src/protocol/transport/frame-copy.js';
import { tappedTransport } from '../../src/protocol/transport/tapped-transport.js';
import type { Transport, TransportReceiver } from '../../src/protocol/transport/transport.js';
import type { Frame } from '../../src/protocol/wire/frames.js';
import fc from '../support/property.js';

/** A transport that answers within `send`, and refuses what it is told to. */
function answeringTransport(): Transport {
  let owner: TransportReceiver | undefined;
  return {
    pid: undefined,
    start: (receiver) => {
      owner = receiver;
    },
    send: (frame) => {
      if ('refused' in frame) throw new Error('refused');
      if ('answer' in frame) owner?.frame({ type: `answer to ${frame.type}` }, 0);
      return true;
    },
    drained: async () => {},
    endInput: () => {},
    pause: () => {},
    resume: () => {},
    stop: async () => {},
  };
}

function tapped(onReceived: (transport: Transport, frame: Frame) => void = () => {}): {
  transport: Transport;
  told: string[];
} {
  const told: string[] = [];
  const transport = tappedTransport(answeringTransport(), {
    takesLines: false,
    record: (frame, direction) => `${direction} ${frame.type}`,
    tell: (seen) => void told.push(seen),
  });
  transport.start({
    frame: (frame) => onReceived(transport, frame),
    noise: () => {},
    dropped: () => {},
    stderr: () => {},
    end: () => {},
  });
  return { transport, told };
}

describe('a tapped transport (R55)', () => {
  it('tells of an answer after what it answers, also when the transport answers at once', () => {
    const { transport, told } = tapped((inner, { type }) => {
      if (type === 'answer to one') inner.send({ type: 'two', answer: true });
    });
    transport.send({ type: 'one', answer: true });
    transport.send({ type: 'three' });
    expect(told).toEqual([
      'sent one',
      'received answer to one',
      'sent two',
      'received answer to two',
      'sent three',
    ]);
  });

  it('tells of no frame that was refused, and of all others', () => {
    const { transport, told } = tapped();
    expect(() => transport.send({ type: 'one', refused: true })).toThrow('refused');
    transport.send({ type: 'two' });
    expect(told).toEqual(['sent two']);
  });
});

describe('the copy of a frame (R55)', () => {
  const rules = { secrets: new SecretValues(), hidesMaps: false };

  it('reads as its line would', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        const frame = { ...fields, type: 'user' };
        const line: unknown = JSON.parse(JSON.stringify(frame));
        expect(frameCopy(frame, rules)).toEqual(line);
      }),
    );
  });

  it('leaves out what a line cannot have, and ends where a value contains itself', () => {
    const circle: Record<string, unknown> = { type: 'user' };
    circle.self = circle;
    expect(JSON.stringify(frameCopy(circle as Frame, rules))).toContain('"<too deep>"');
    const odd = {
      type: 'user',
      none: undefined,
      call: () => 1,
      big: 5n,
      date: new Date(0),
      list: [undefined],
    };
    expect(frameCopy(odd, rules)).toEqual({
      type: 'user',
      big: '5',
      date: '1970-01-01T00:00:00.000Z',
      list: [null],
    });
  });

  it('is frozen throughout, and shares nothing with the frame', () => {
    const frame = { type: 'user', list: [{ name: 'a' }] };
    const copy = frameCopy(frame, rules) as typeof frame;
    expect(copy).toEqual(frame);
    expect(copy.list).not.toBe(frame.list);
    for (const part of [copy, copy.list, copy.list[0]]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('has no known secret at any depth, and with `hidesMaps` no value of `env` and `headers`', () => {
    const secrets = new SecretValues();
    secrets.addValues(['Bearer top-secret']);
    const deep = (depth: number): unknown => (depth === 0 ? 'so top-secret it is' : [deep(depth - 1)]);
    const frame = { type: 'user', deep: deep(60), env: { KEY: 'own' }, headers: 'own' };
    expect(JSON.stringify(frameCopy(frame, { secrets, hidesMaps: false }))).not.toContain('top-secret');
    expect(frameCopy(frame, { secrets, hidesMaps: true })).toMatchObject({
      env: { KEY: '<redacted>' },
      headers: '<redacted>',
    });
  });
});
