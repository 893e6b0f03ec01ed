/** Which request a client's `notifications/cancelled` is about: an id may be used twice (R16). */
import { expect, it } from 'vitest';
import { RunningRequests } from '../../../src/authoring/running-requests.js';
import { Cancellation } from '../../../src/protocol/cancellation.js';

function request(method: string, requestId = 1) {
  return { method, requestId, cancellation: new Cancellation() };
}

function running(...methods: string[]) {
  const requests = new RunningRequests();
  const all = methods.map((method) => request(method));
  for (const each of all) requests.add(each);
  const cancelled = () => all.map(({ cancellation }) => cancellation.isCancelled);
  return { requests, all, cancelled };
}

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
  'of %j with one id the call is cancelled, the newest of several, never a handshake',
  (methods, expected) => {
    const { requests, all, cancelled } = running(...methods);
    requests.cancel({ requestId: 2 });
    expect(cancelled()).not.toContain(true);
    requests.cancel({ requestId: 1, reason: 'no more' });
    expect(cancelled()).toEqual(expected);
    const [first] = all.filter(({ cancellation }) => cancellation.isCancelled);
    expect(first?.cancellation.reason).toMatchObject({ name: 'AbortError', message: 'no more' });
  },
);

it('what was answered is not cancelled, and at the end all others are', () => {
  const { requests, all, cancelled } = running('tools/call', 'resources/read');
  if (all[0] !== undefined) requests.delete(all[0]);
  requests.cancelAll();
  expect(cancelled()).toEqual([false, true]);
});
