/** One request and its answer, in either direction. */
import { describe, expect, it, vi } from 'vitest';
import {
  ControlError,
  ControlFault,
  ControlTimeoutError,
  unsupportedRequest,
} from '../../src/protocol/index.js';
import { byHand, channelPair, settled } from '../support/channel-pair.js';

const patient = { timeoutMs: 0 };

describe('a request', () => {
  it('is answered in either direction, each with ids of its own', async () => {
    const [left, right] = channelPair();
    const answers = await Promise.all([
      left.channel.request('a', { from: 'left' }, patient),
      right.channel.request('b', { from: 'right' }, patient),
      left.channel.request('c', { from: 'left again' }, patient),
    ]);
    expect(answers.map((answer) => answer.response)).toMatchObject([
      { from: 'left' },
      { from: 'right' },
      { from: 'left again' },
    ]);
    expect(left.channel.lastSubtype).toBe('c');
    expect([left.debug, right.debug]).toEqual([[], []]);
  });

  it('is matched by its id, whatever the order of the answers (R16)', async () => {
    const { requests, serve } = byHand();
    const [left] = channelPair(undefined, serve);
    const all = ['one', 'two', 'three'].map((subtype) => left.channel.request(subtype, {}, patient));
    await settled();
    for (const open of requests.toReversed()) open.resolve({ to: open.subtype });
    expect((await Promise.all(all)).map(({ response }) => response)).toEqual([
      { to: 'one' },
      { to: 'two' },
      { to: 'three' },
    ]);
  });

  it('that is forgotten is open no more, and the other side hears nothing of it', async () => {
    const { requests, serve } = byHand();
    const [left] = channelPair(undefined, serve);
    const forgotten = new AbortController();
    const answer = left.channel.request('mcp_message', {}, { ...patient, forgottenBy: forgotten.signal });
    await settled();
    forgotten.abort();
    await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
    expect(left.channel.openRequests).toBe(0);
    requests[0]?.resolve({ late: true });
    await settled();
    expect(left.sent).toMatchObject([{ type: 'control_request' }]);
    expect(left.debug).toEqual(['answer to a control request that is not open: ignored']);
  });

  it('may be answered without a payload', async () => {
    const [left, right] = channelPair(undefined, () => undefined);
    const answer = await left.channel.request('mcp_toggle', {}, patient);
    expect(answer.response).toBeUndefined();
    expect(right.sent).toEqual([
      { type: 'control_response', response: { subtype: 'success', request_id: answer.request_id } },
    ]);
  });

  it('rejects with the message and the error_code of an error answer', async () => {
    const [left] = channelPair(undefined, () => {
      throw new ControlFault('invalid_mode', 'No such mode: x');
    });
    const error = await left.channel.request('set_permission_mode', {}, patient).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ControlError);
    expect(error).toMatchObject({
      code: 'CONTROL_ERROR',
      subtype: 'set_permission_mode',
      message: 'No such mode: x',
      errorCode: 'invalid_mode',
    });
  });

  it('of an unknown subtype is refused as unsupported_request', async () => {
    const [left, right] = channelPair(undefined, ({ subtype }) => {
      throw unsupportedRequest(subtype);
    });
    await expect(left.channel.request('no_such', {}, patient)).rejects.toMatchObject({
      errorCode: 'unsupported_request',
      message: 'Unsupported control request subtype: no_such',
    });
    expect(right.sent[0]).toMatchObject({ response: { error_code: 'unsupported_request' } });
  });

  it('rejects after its time out, and a later answer is ignored with a debug line', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { requests, serve } = byHand();
      const [left] = channelPair(undefined, serve);
      const failure = left.channel.request('slow', {}, { timeoutMs: 500 }).catch((error) => error);
      await settled();
      vi.advanceTimersByTime(499);
      expect(left.channel.openRequests).toBe(1);
      vi.advanceTimersByTime(1);
      expect(await failure).toBeInstanceOf(ControlTimeoutError);
      expect(await failure).toMatchObject({ code: 'CONTROL_TIMEOUT', subtype: 'slow', timeoutMs: 500 });
      expect(left.channel.openRequests).toBe(0);
      requests[0]?.resolve({});
      await settled();
      expect(left.debug).toEqual(['answer to a control request that is not open: ignored']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves neither a timer nor a listener behind once it is answered', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const [left] = channelPair();
      const { signal } = new AbortController();
      const add = vi.spyOn(signal, 'addEventListener');
      const remove = vi.spyOn(signal, 'removeEventListener');
      await left.channel.request('quick', {}, { timeoutMs: 60_000, signal });
      expect(vi.getTimerCount()).toBe(0);
      expect(remove.mock.calls.length).toBe(add.mock.calls.length);
    } finally {
      vi.useRealTimers();
    }
  });

  it('that cannot be sent rejects with the reason and does not stay open', async () => {
    const [left] = channelPair();
    await expect(left.channel.request('odd', { value: 1n }, patient)).rejects.toThrow(/BigInt/);
    expect(left.channel.openRequests).toBe(0);
  });

  it('in the background does not count as open', async () => {
    const { requests, serve } = byHand();
    const [left, right] = channelPair(undefined, serve);
    const notification = left.channel.request('mcp_message', {}, { timeoutMs: 0, background: true });
    const question = left.channel.request('mcp_status', {}, patient);
    expect(left.channel.openRequests).toBe(1);
    await settled();
    expect(right.channel.openRequests).toBe(2);
    for (const open of requests) open.resolve(undefined);
    await Promise.all([notification, question]);
    expect([left.channel.openRequests, right.channel.openRequests]).toEqual([0, 0]);
  });
});

it('tells its owner whenever the number of open requests changes', async () => {
  const [left, right] = channelPair();
  const answer = left.channel.request('x', {}, patient);
  await settled();
  await answer;
  // The answer at the left; arrival and answer at the right.
  expect([left.changes, right.changes]).toEqual([1, 2]);
});
