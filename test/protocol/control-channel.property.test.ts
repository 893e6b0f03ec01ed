/** Any interleaving of requests, answers, cancels and closes: every promise settles once, every request at most once. */

import { expect, it } from 'vitest';
import {
  ControlFault,
  type Frame,
  type InboundRequest,
  isControlResponse,
  type MessageFrame,
} from '../../src/protocol/index.js';
import { type ChannelEnd, channelPair, settled } from '../support/channel-pair.js';
import fc from '../support/property.js';

type Side = 0 | 1;

type Action =
  | { do: 'ask'; side: Side; background: boolean }
  | { do: 'answer'; side: Side; which: number; how: 'payload' | 'nothing' | 'throw' | 'fault' | 'bigint' }
  | { do: 'cancel'; side: Side; which: number }
  | { do: 'repeat'; side: Side; which: number }
  | { do: 'close'; side: Side }
  | { do: 'wait' };

const side = fc.constantFrom<Side>(0, 1);
const which = fc.nat({ max: 20 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), side, background: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      side,
      which,
      how: fc.constantFrom('payload' as const, 'nothing' as const, 'throw', 'fault', 'bigint'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), side, which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('repeat' as const), side, which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close' as const), side }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const) }) },
);

interface Asked {
  controller: AbortController;
  settlements: number;
  outcome?: unknown;
}

interface Open {
  request: InboundRequest;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Both ends, the requests that each has made, and those that each is serving. */
function world() {
  const open: [Open[], Open[]] = [[], []];
  const asked: [Asked[], Asked[]] = [[], []];
  const serveOn = (at: Side) => (request: InboundRequest) =>
    new Promise((resolve, reject) => open[at].push({ request, resolve, reject }));
  const ends = channelPair(serveOn(0), serveOn(1));
  return { ends, open, asked };
}

type World = ReturnType<typeof world>;

async function perform(action: Action, { ends, open, asked }: World): Promise<void> {
  if (action.do === 'wait') return settled();
  const { side } = action;
  switch (action.do) {
    case 'ask': {
      const entry: Asked = { controller: new AbortController(), settlements: 0 };
      const count = (outcome: unknown) => {
        entry.settlements += 1;
        entry.outcome = outcome;
      };
      asked[side].push(entry);
      ends[side].channel
        .request('x', {}, { timeoutMs: 0, signal: entry.controller.signal, background: action.background })
        .then(count, count);
      return;
    }
    case 'answer': {
      // Also twice the same one: a promise takes the first.
      const target = open[side][action.which];
      if (action.how === 'throw') target?.reject(new Error('no'));
      else if (action.how === 'fault') target?.reject(new ControlFault('code', 'no'));
      else if (action.how === 'bigint') target?.resolve(1n);
      else target?.resolve(action.how === 'payload' ? { id: target.request.requestId } : undefined);
      return;
    }
    case 'cancel':
      asked[side][action.which]?.controller.abort();
      return;
    case 'repeat': {
      // The wire repeats an answer. (A repeated request would be served again, and rightly so.)
      const frame = ends[side === 0 ? 1 : 0].sent[action.which];
      if (frame?.type === 'control_response') ends[side].receive(frame);
      return;
    }
    case 'close':
      ends[side].channel.close(new Error(`end ${side} closed`));
      return;
  }
}

const ofType = (end: ChannelEnd, type: string) => end.sent.filter((frame) => frame.type === type);
const idOf = (frame: Frame): string =>
  isControlResponse(frame) ? frame.response.request_id : String((frame as MessageFrame).request_id);

it('settles every promise exactly once and answers each request at most once (R16)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const here = world();
      for (const each of actions) await perform(each, here);
      await settled();
      for (const { channel } of here.ends) channel.close(new Error('the test is over'));
      await settled();
      for (const { settlements } of here.asked.flat()) expect(settlements).toBe(1);
      for (const [index, end] of here.ends.entries()) {
        expect(end.channel.openRequests).toBe(0);
        const answered = ofType(end, 'control_response').map(idOf);
        expect(new Set(answered).size).toBe(answered.length);
        // Nothing is answered that was not asked.
        const requested = new Set(ofType(here.ends[index === 0 ? 1 : 0], 'control_request').map(idOf));
        expect(answered.filter((id) => !requested.has(id))).toEqual([]);
      }
      // A payload goes to the request that it answers.
      for (const [index, list] of here.asked.entries()) {
        const ids = ofType(here.ends[index as Side], 'control_request').map(idOf);
        for (const [position, { outcome }] of list.entries()) {
          const payload = (outcome as { response?: { id: string } } | undefined)?.response;
          if (payload !== undefined && ids.length === list.length) expect(payload.id).toBe(ids[position]);
        }
      }
    }),
    { numRuns: 300 },
  );
});
