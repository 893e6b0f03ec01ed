/** The turn under way is found from the end of a conversation, however long the turn is (R62). */
import { describe, expect, it } from 'vitest';
import type { HostMessage } from '../../../src/host/host-messages.js';
import { findTurn } from '../../../src/host/http/chat/turn-position.js';
import type { Host } from '../../../src/host/index.js';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { done, numbered, resumed, said, user } from './support/told.js';

/** A host that only has events, and how many of them were read. */
function told(messages: readonly HostMessage[]) {
  const all = numbered(messages);
  const state = { read: 0 };
  async function* events(_: unknown, { after = 0 }: { after?: number }) {
    for (const event of all.slice(after)) {
      state.read += 1;
      yield event;
    }
  }
  const host = { events } as unknown as Host;
  const find = () => findTurn(host, { tenant: 't', session: 's' }, all.length, new AbortController().signal);
  return { state, find };
}

const turn = (prompt: string, length: number): HostMessage[] => [
  user('Hi.', prompt),
  ...Array.from({ length }, () => said('m', 'word')),
];
const whole = (prompt: string, length: number): HostMessage[] => [
  ...turn(prompt, length),
  done('answered', prompt),
];
/** In the user's name, as after an interrupt. */
const aside = user([{ type: 'text', text: '[Request interrupted by user]' }], 'aside');
const PAGE = LIMITS.hostPage;

describe('the turn under way', () => {
  it.each([
    ['none in an empty conversation', [], undefined],
    ['none after the last one is done', whole('a', 5), undefined],
    ['none after a long one is done', whole('a', 3 * PAGE), undefined],
    ['the first', turn('a', 5), { prompt: 'a', after: 1 }],
    ['the second', [...whole('a', 5), ...turn('b', 5)], { prompt: 'b', after: 8 }],
    ['a prompt that was just told', [...whole('a', 5), ...turn('b', 0)], { prompt: 'b', after: 8 }],
    ['a long one', [...whole('a', 5), ...turn('b', 4 * PAGE)], { prompt: 'b', after: 8 }],
    ['the first, if it is long', turn('a', 4 * PAGE), { prompt: 'a', after: 1 }],
    [
      'one with something in the user’s name',
      [...turn('a', 5), aside, said('m', '')],
      { prompt: 'a', after: 1 },
    ],
    [
      'one with something in the user’s name, in the last page of many',
      [...whole('a', 5), ...turn('b', 2 * PAGE), aside, said('m', '')],
      { prompt: 'b', after: 8 },
    ],
    [
      'one that begins where a page does',
      [...whole('a', PAGE), ...turn('b', PAGE - 1)],
      { prompt: 'b', after: PAGE + 3 },
    ],
    ['one that was begun anew', [...turn('a', 5), resumed('a'), ...turn('a', 2)], { prompt: 'a', after: 7 }],
    ['one that is to begin anew', [...turn('a', 5), resumed('a')], { prompt: 'a', after: 7 }],
  ] as const)('is %s', async (_, messages, expected) => {
    expect(await told(messages).find()).toEqual(expected);
  });

  it('costs no more than it is long, and not as much as the conversation', async () => {
    const before = Array.from({ length: 100 }, (_, index) => whole(`p${index}`, 100)).flat();
    const { state, find } = told([...before, ...turn('last', 10)]);
    expect((await find())?.prompt).toBe('last');
    expect(state.read).toBeLessThanOrEqual(PAGE);
  });
});
