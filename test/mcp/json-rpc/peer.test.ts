/** One end of a JSON-RPC connection: every request settles exactly once, in both directions (R16). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JsonRpcFault } from '../../../src/mcp/json-rpc/fault.js';
import { JsonRpcPeer, JsonRpcTimeout, type PeerPort } from '../../../src/mcp/json-rpc/peer.js';
import type { JsonRpcMessage, JsonRpcRequest } from '../../../src/mcp/types.js';
import { Cancellation } from '../../../src/protocol/base/cancellation.js';
import { AbortError, TenonError } from '../../../src/protocol/base/errors.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A peer, and what it has sent. */
function peerWith(port: Partial<PeerPort> = {}, ids: { firstId?: number; idPrefix?: string } = {}) {
  const sent: JsonRpcMessage[] = [];
  const send: PeerPort['send'] = async (message) => void sent.push(message);
  return { sent, peer: new JsonRpcPeer({ send, ...port }, ids) };
}

const request = (method: string, id: number | string = 1): JsonRpcRequest => ({ jsonrpc: '2.0', id, method });
const cancelled = (requestId: number | string, reason: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason },
});

describe('a request of ours', () => {
  it('resolves with its result, and what comes later under its id changes nothing', async () => {
    const { peer, sent } = peerWith();
    const results = Promise.all([peer.request('one', undefined), peer.request('two', { x: 1 })]);
    expect(sent).toEqual([request('one', 1), { ...request('two', 2), params: { x: 1 } }]);
    peer.receive({ jsonrpc: '2.0', id: 2, result: { two: 2 } });
    peer.receive({ jsonrpc: '2.0', id: 1, result: { one: 1 } });
    peer.receive({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'late' } });
    peer.receive({ jsonrpc: '2.0', id: 99, result: {} });
    expect(await results).toEqual([{ one: 1 }, { two: 2 }]);
  });

  it('rejects with the code, text and data of an error answer, or with the error of a link that answers for the server', async () => {
    const { peer } = peerWith();
    const refused = peer.request('x', undefined);
    peer.receive({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no', data: { why: 1 } } });
    await expect(refused).rejects.toEqual(new JsonRpcFault(-32602, 'no', { why: 1 }));
    const failed = peer.request('x', undefined);
    const data = new TenonError('SERVER_FAILED', 'It is gone.');
    peer.receive({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'It is gone.', data } });
    await expect(failed).rejects.toBe(data);
  });

  it('rejects when it cannot be sent, with an error whatever was thrown', async () => {
    const { peer } = peerWith({ send: () => Promise.reject('no wire') });
    await expect(peer.request('x', undefined)).rejects.toEqual(new Error('no wire'));
  });

  it('has ids that begin and look as its side wants', () => {
    const { peer, sent } = peerWith({}, { firstId: 7, idPrefix: 'q_' });
    for (const method of ['a', 'b']) void peer.request(method, undefined);
    expect(sent).toMatchObject([{ id: 'q_7' }, { id: 'q_8' }]);
  });

  it.each(['signal', 'cancellation'] as const)(
    'is settled by a %s, and the other side is told why, once',
    async (kind) => {
      const { peer, sent } = peerWith();
      const controller = new AbortController();
      const cancellation = new Cancellation();
      const options = kind === 'signal' ? { signal: controller.signal } : { cancellation };
      const outcome = peer.request('slow', undefined, options);
      const reason = new Error('Nobody wants it.');
      controller.abort(reason);
      cancellation.cancel(reason);
      await expect(outcome).rejects.toMatchObject({ code: 'ABORTED', message: 'The call was cancelled.' });
      expect(sent).toEqual([request('slow'), cancelled(1, 'Nobody wants it.')]);
      // Called off before it began: nothing is sent at all.
      await expect(peer.request('never', undefined, options)).rejects.toBeInstanceOf(AbortError);
      expect(sent).toHaveLength(2);
    },
  );

  it('that is answered hears of no cancellation any more', async () => {
    const { peer, sent } = peerWith();
    const cancellation = new Cancellation();
    const outcome = peer.request('quick', undefined, { cancellation, timeoutMs: 50 });
    peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await outcome).toEqual({});
    cancellation.cancel(new Error('late'));
    expect(vi.getTimerCount()).toBe(0);
    expect(sent).toHaveLength(1);
  });

  it('ends with its time limit, and the other side is told, in the words of the port', async () => {
    const { peer, sent } = peerWith({ describe: (error) => `too late: ${error instanceof JsonRpcTimeout}` });
    const outcome = peer.request('slow', undefined, { timeoutMs: 1_500 });
    const settled = expect(outcome).rejects.toThrow(new JsonRpcTimeout(1_500));
    await vi.advanceTimersByTimeAsync(1_500);
    await settled;
    expect(sent).toEqual([request('slow'), cancelled(1, 'too late: true')]);
  });

  it.each([0, Number.POSITIVE_INFINITY, 2 ** 31])(
    'has no time limit with %d ms, which no timer can wait',
    async (timeoutMs) => {
      const { peer, sent } = peerWith();
      const outcome = peer.request('slow', undefined, { timeoutMs });
      await vi.advanceTimersByTimeAsync(1_000);
      peer.receive({ jsonrpc: '2.0', id: 1, result: { late: true } });
      expect(await outcome).toEqual({ late: true });
      expect(sent).toHaveLength(1);
    },
  );

  it('asks for progress where somebody listens, and hears of its own only', async () => {
    const notified = vi.fn();
    const { peer, sent } = peerWith({ notified });
    const progress = vi.fn();
    const outcome = peer.request('long', { _meta: { other: 1 } }, { onProgress: progress });
    expect(sent).toMatchObject([{ params: { _meta: { other: 1, progressToken: 1 } } }]);
    const report = (progressToken: number): JsonRpcMessage => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: 5 },
    });
    peer.receive(report(1));
    peer.receive(report(2));
    peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
    await outcome;
    peer.receive(report(1));
    expect(progress).toHaveBeenCalledExactlyOnceWith({ progressToken: 1, progress: 5 });
    expect(notified).toHaveBeenCalledTimes(2);
  });

  it('says what it was made for while it is open', async () => {
    const { peer } = peerWith();
    const outcome = peer.request('x', undefined, { relatedRequestId: 'theirs' });
    expect(peer.relatedRequestId(1)).toBe('theirs');
    peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
    await outcome;
    expect(peer.relatedRequestId(1)).toBeUndefined();
  });

  it('fails with a lost connection; the next one is sent as before, until the end', async () => {
    const { peer, sent } = peerWith();
    const open = [peer.request('a', undefined), peer.request('b', undefined)];
    peer.fail(new Error('lost'));
    expect(await Promise.allSettled(open)).toMatchObject(
      Array(2).fill({ status: 'rejected', reason: { message: 'lost' } }),
    );
    const next = peer.request('c', undefined);
    peer.end(new Error('over'));
    peer.end(new Error('again'));
    await expect(next).rejects.toThrow('over');
    await expect(peer.request('d', undefined)).rejects.toThrow('over');
    await expect(peer.notify('e')).rejects.toThrow('over');
    expect(sent).toHaveLength(3);
  });
});

describe('a request of the other side', () => {
  it.each<[string, PeerPort['serve'], object]>([
    ['a result', async () => ({ a: 1 }), { result: { a: 1 } }],
    ['a result at once', () => ({ a: 1 }), { result: { a: 1 } }],
    [
      'a fault',
      () => Promise.reject(new JsonRpcFault(5, 'no', 1)),
      { error: { code: 5, message: 'no', data: 1 } },
    ],
    ['any other error', () => Promise.reject(new Error('oh')), { error: { code: -32603, message: 'oh' } }],
    [
      'an error at once',
      () => {
        throw new JsonRpcFault(5, 'no');
      },
      { error: { code: 5, message: 'no' } },
    ],
    ['nobody who serves it', undefined, { error: { code: -32601, message: 'Method not found' } }],
  ])('is answered with %s', async (_, serve, answer) => {
    const { peer, sent } = peerWith(serve === undefined ? {} : { serve });
    const response = { jsonrpc: '2.0', id: 'x', ...answer };
    expect(await peer.answer(request('m', 'x'), new Cancellation())).toEqual(response);
    peer.receive(request('m', 'x'));
    await vi.waitFor(() => expect(sent).toEqual([response]));
  });

  it('that is cancelled is answered at once where it is a call, and not at all where it is a message', async () => {
    const cancellations: Cancellation[] = [];
    const serve: PeerPort['serve'] = (_, cancellation) => {
      cancellations.push(cancellation);
      return new Promise(() => {});
    };
    const { peer, sent } = peerWith({ serve });
    const called = peer.answer(request('m', 1), new Cancellation());
    peer.receive(request('m', 2));
    for (const id of [1, 2]) peer.receive(cancelled(id, 'no more') as JsonRpcMessage);
    expect(await called).toMatchObject({ id: 1, error: { code: -32800, message: 'Request cancelled' } });
    expect(cancellations.map(({ reason }) => reason)).toMatchObject(
      Array(2).fill({ name: 'AbortError', message: 'no more' }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([]);
  });

  it('that was cancelled before it began is never served', async () => {
    const serve = vi.fn();
    const { peer } = peerWith({ serve });
    const over = new Cancellation();
    over.cancel(new Error('early'));
    expect(await peer.answer(request('m'), over)).toMatchObject({ error: { code: -32800 } });
    expect(serve).not.toHaveBeenCalled();
  });

  it.each([
    [
      ['tools/call', 'initialize'],
      [true, false],
    ],
    [
      ['initialize', 'tools/call', 'tools/list'],
      [false, true, false],
    ],
    [
      ['tools/call', 'tools/call'],
      [false, true],
    ],
    [
      ['initialize', 'tools/list'],
      [false, true],
    ],
  ])(
    'of %j with one id: the call is cancelled, the newest of several, never a handshake',
    (methods, expected) => {
      const { peer } = peerWith({ serve: () => new Promise(() => {}) });
      const all = methods.map((method) => {
        const cancellation = new Cancellation();
        void peer.answer(request(method), cancellation);
        return cancellation;
      });
      peer.receive(cancelled(2, 'another id') as JsonRpcMessage);
      expect(all.map(({ isCancelled }) => isCancelled)).not.toContain(true);
      peer.receive(cancelled(1, 'no more') as JsonRpcMessage);
      expect(all.map(({ isCancelled }) => isCancelled)).toEqual(expected);
    },
  );

  it.each([
    ['an end', new AbortError('The conversation has ended.'), -32800],
    ['a fault', new JsonRpcFault(-32603, 'The MCP server "s" was closed.'), -32603],
  ])(
    'hears of %s of the connection, and so does each later one; what was answered does not',
    async (_, reason, code) => {
      const serve: PeerPort['serve'] = ({ method }) => (method === 'quick' ? {} : new Promise(() => {}));
      const { peer, sent } = peerWith({ serve });
      const cancellations = [new Cancellation(), new Cancellation()] as const;
      await peer.answer(request('quick', 1), cancellations[0]);
      const slow = peer.answer(request('slow', 2), cancellations[1]);
      peer.receive(request('slow', 3));
      peer.end(reason);
      const error = { code, message: reason.message };
      expect(await slow).toEqual({ jsonrpc: '2.0', id: 2, error });
      expect(await peer.answer(request('late', 4), new Cancellation())).toMatchObject({ id: 4, error });
      expect(cancellations[0].isCancelled).toBe(false);
      expect(cancellations[1].reason).toMatchObject({ name: 'AbortError', message: reason.message });
      expect(sent).toEqual([]);
    },
  );
});
