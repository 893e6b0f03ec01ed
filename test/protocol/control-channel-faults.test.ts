/** Everything that can go wrong between a request and its answer: cancels, repeats, bad handlers, the end. */
import { describe, expect, it, vi } from 'vitest';
import { byHand, channelPair, settled } from '../support/channel-pair.js';

const patient = { timeoutMs: 0 };
const request = (request_id: string, subtype = 'ask') =>
  ({ type: 'control_request', request_id, request: { subtype } }) as const;
const success = (request_id: string, response?: unknown) =>
  ({ type: 'control_response', response: { subtype: 'success', request_id, response } }) as const;
const cancel = (request_id: string) => ({ type: 'control_cancel_request', request_id }) as const;

describe('a cancelled request', () => {
  it('rejects at its sender, aborts the handler and is never answered', async () => {
    const { requests, serve } = byHand();
    const [left, right] = channelPair(undefined, serve);
    const controller = new AbortController();
    const failure = left.channel
      .request('slow', {}, { ...patient, signal: controller.signal })
      .catch((error) => error);
    await settled();
    controller.abort('enough');
    expect(await failure).toMatchObject({ code: 'ABORTED', cause: 'enough' });
    await settled();
    expect(requests[0]?.signal.aborted).toBe(true);
    requests[0]?.resolve({ too: 'late' });
    await settled();
    expect(right.sent).toEqual([]);
    expect([left.channel.openRequests, right.channel.openRequests]).toEqual([0, 0]);
    expect([left.debug, right.debug]).toEqual([[], []]);
  });

  it('is not sent at all when its signal was aborted before', async () => {
    const [left] = channelPair();
    const signal = AbortSignal.abort('never mind');
    await expect(left.channel.request('x', {}, { ...patient, signal })).rejects.toMatchObject({
      cause: 'never mind',
    });
    expect(left.sent).toEqual([]);
  });

  it('may have its id used again: only the new request is answered', async () => {
    const { requests, serve } = byHand();
    const [, right] = channelPair(undefined, serve);
    right.receive(request('same'));
    right.receive(cancel('same'));
    right.receive(request('same'));
    await settled();
    requests[0]?.resolve('of the first');
    requests[1]?.resolve('of the second');
    await settled();
    expect(right.sent).toEqual([success('same', 'of the second')]);
  });
});

describe('what is out of place', () => {
  it('is served once when an id is repeated in flight, and again once it was answered', async () => {
    const { requests, serve } = byHand();
    const [, right] = channelPair(undefined, serve);
    right.receive(request('same'));
    right.receive(request('same'));
    await settled();
    expect(requests).toHaveLength(1);
    expect(right.debug).toEqual(['repeated control request "same" is still being served: ignored']);
    requests[0]?.resolve(1);
    await settled();
    right.receive(request('same'));
    await settled();
    requests[1]?.resolve(2);
    await settled();
    expect(right.sent).toEqual([success('same', 1), success('same', 2)]);
  });

  it('is ignored with a debug line: answers and cancels of nothing, and second answers', async () => {
    const { serve } = byHand();
    const [left, right] = channelPair(undefined, serve);
    const answer = left.channel.request('x', {}, patient);
    await settled();
    const { request_id } = left.sent[0] as { request_id: string };
    left.receive(success('unknown'));
    left.receive(success(request_id, 'first'));
    left.receive(success(request_id, 'second'));
    right.receive(cancel('unknown'));
    expect((await answer).response).toBe('first');
    await settled();
    const ignored = 'answer to a control request that is not open: ignored';
    expect(left.debug).toEqual([ignored, ignored]);
    expect(right.debug).toEqual(['cancellation of a control request that is not open: ignored']);
  });
});

describe('a handler', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  it.each<[string, () => unknown, RegExp]>([
    [
      'throws at once',
      () => {
        throw new Error('at once');
      },
      /^at once$/,
    ],
    ['rejects', () => Promise.reject(new Error('later')), /^later$/],
    [
      'throws what is no Error',
      () => {
        throw { reason: 'odd' };
      },
      /^\{"reason":"odd"\}$/,
    ],
    [
      'throws undefined',
      () => {
        throw undefined;
      },
      /^undefined$/,
    ],
    ['returns a BigInt', () => ({ value: 1n }), /BigInt/],
    ['returns a cycle', () => cycle, /circular/i],
  ])('that %s makes an error answer, once', async (_, serve, message) => {
    const [left, right] = channelPair(undefined, serve);
    await expect(left.channel.request('x', {}, patient)).rejects.toThrow(message);
    expect(right.sent).toHaveLength(1);
    expect(right.channel.openRequests).toBe(0);
  });
});

describe('closing', () => {
  it('settles everything once: own requests reject, handlers are aborted and not answered', async () => {
    const { requests, serve } = byHand();
    const [left, right] = channelPair(undefined, serve);
    const failures = ['a', 'b'].map((subtype) =>
      left.channel.request(subtype, {}, patient).catch((error) => error),
    );
    await settled();
    const reason = new Error('over');
    right.channel.close(reason);
    const aborted = { name: 'AbortError', message: 'over', cause: reason };
    expect(requests.map(({ signal }) => signal.reason)).toMatchObject([aborted, aborted]);
    left.channel.close(reason);
    left.channel.close(new Error('a second time'));
    expect(await Promise.all(failures)).toEqual([reason, reason]);
    for (const open of requests) open.resolve('too late');
    await settled();
    expect(right.sent).toEqual([]);
    expect([left.channel.openRequests, right.channel.openRequests]).toEqual([0, 0]);
  });

  it('refuses later requests with the same reason and serves none', async () => {
    const serve = vi.fn();
    const [left, right] = channelPair(undefined, serve);
    const reason = new Error('over');
    left.channel.close(reason);
    await expect(left.channel.request('x', {}, patient)).rejects.toBe(reason);
    right.channel.close(reason);
    right.receive(request('late'));
    await settled();
    expect(serve).not.toHaveBeenCalled();
  });
});
