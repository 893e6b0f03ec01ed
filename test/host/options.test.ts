/** What `createHost()` takes, and what it refuses with a clear error (R60). */
import { describe, expect, it, vi } from 'vitest';
import {
  createHost,
  type HostMessage,
  type HostOptions,
  type HostProblem,
  memoryStorage,
} from '../../src/host/index.js';
import { OptionError, type Options } from '../../src/index.js';
import { clock, useClock } from '../../src/protocol/base/clock.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { type AgentRuntime, embedded } from '../../src/runtime/index.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { holdTimers } from '../support/held-timers.js';
import { isDone, REF, until, words } from './support/host.js';

const runtime = embedded({ model: scriptedModel([]) });
const options: Options = { runtime };

/** What is thrown; a host that is made after all is closed again. */
function refusal(given: unknown): unknown {
  try {
    void createHost(given as HostOptions).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Numbers of milliseconds that a timer cannot wait: Node fires those at once. */
const TOO_LONG = 2 ** 31;

const WRONG: [option: string, given: unknown, message: RegExp][] = [
  ['createHost', undefined, /needs an object with `options`/],
  ['createHost', 'options', /needs an object/],
  ['options', {}, /`options` must be the options of the agents, or a function/],
  ['options', { options: null }, /or a function/],
  ['storages', { options, storages: memoryStorage() }, /no option `storages`.*`storage`/],
  ['engine', { options, engine: {} }, /no option `engine`/],
  ['storage', { options, storage: null }, /memoryStorage\(\), or postgresStorage\(\)/],
  ['storage', { options, storage: { query: () => {} } }, /must be a HostStorage/],
  ['limits', { options, limits: 200 }, /`limits` must be an object/],
  ['idle', { options, idle: null }, /`idle` must be an object/],
  ['limits.runing', { options, limits: { runing: 5 } }, /no option `limits\.runing`.*`limits\.running`/],
  ...['running', 'perTenant', 'queued', 'queuedPerTenant', 'queuedPerSession', 'readers'].flatMap(
    (name): [string, unknown, RegExp][] =>
      [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null, true].map((value) => [
        `limits.${name}`,
        { options, limits: { [name]: value } },
        /must be a whole number from 1, not /,
      ]),
  ),
  ...['keep', 'warm'].flatMap((name): [string, unknown, RegExp][] =>
    [-1, 0.5, '1'].map((value) => [
      `idle.${name}`,
      { options, idle: { [name]: value } },
      /whole number from 0/,
    ]),
  ),
  ['idle.warm', { options, idle: { warm: 1 } }, /only the CLI has processes/],
  ['idle.warm', { options: () => options, idle: { warm: 1 } }, /`options` is a function/],
  ['idle.warm', { options: {}, idle: { warm: 9 }, limits: { running: 4 } }, /never more processes/],
  ...(
    [
      ['idle', 'evictAfterMs', 0],
      ['approvals', 'holdMs', 0],
      ['events', 'batchMs', 0],
      ['lease', 'ttlMs', 100],
    ] as const
  ).flatMap(([group, name, least]): [string, unknown, RegExp][] =>
    [least - 1, Number.NaN, Number.POSITIVE_INFINITY, TOO_LONG, '50', null].map((value) => [
      `${group}.${name}`,
      { options, [group]: { [name]: value } },
      new RegExp(`must be a number of milliseconds from ${least} to 2147483647, not `),
    ]),
  ),
  ['approvals.hold', { options, approvals: { hold: 5 } }, /`approvals\.holdMs`/],
  ['events.partial', { options, events: { partial: true } }, /`events\.partialMessages`/],
  ['events.partialMessages', { options, events: { partialMessages: 1 } }, /must be true or false/],
  ['lease.maxCrashes', { options, lease: { maxCrashes: 0 } }, /whole number from 1/],
  ['retention.doneMaxAgeMs', { options, retention: { doneMaxAgeMs: -1 } }, /milliseconds from 0 to/],
  ['retention.doneMaxAgeMs', { options, retention: { doneMaxAgeMs: 1e300 } }, /milliseconds from 0 to/],
  ['retention.events', { options, retention: { events: 100 } }, /`retention\.events` must be an object/],
  ['retention.events.max', { options, retention: { events: { max: 1 } } }, /`retention\.events\.maxCount`/],
  ['retention.events.maxCount', { options, retention: { events: { maxCount: 1.5 } } }, /whole number from 0/],
  ['retention.events.maxAgeMs', { options, retention: { events: { maxAgeMs: Number.NaN } } }, /milliseconds/],
  ['name', { options, name: '' }, /text of 1 to 256 characters/],
  ['name', { options, name: 'a\nb' }, /without control characters/],
  ['onProblem', { options, onProblem: true }, /must be a function/],
  // What a conversation is, the host decides.
  ...(
    [
      ['resume', 'some-id'],
      ['continue', true],
      ['sessionId', 'some-id'],
      ['sessionStore', {}],
      ['sessionStoreFlush', 'eager'],
      ['forkSession', true],
      ['resumeSessionAt', 'some-id'],
      ['abortController', new AbortController()],
      ['signal', new AbortController().signal],
      ['throwOnErrorResult', true],
    ] as const
  ).map(([name, value]): [string, unknown, RegExp] => [
    name,
    { options: { ...options, [name]: value } },
    new RegExp(`\`options\\.${name}\` is the host's to decide.*Leave it out`),
  ]),
  ['persistSession', { options: { ...options, persistSession: false } }, /a host stores its conversations/],
  ['runtime', { options: { runtime: { open: () => {} } } }, /has no `withJournal\(\)`.*Use `embedded\(\)`/],
  // What any query refuses is refused at once, not by the first prompt.
  ['maxTurns', { options: { ...options, maxTurns: 'many' } }, /`maxTurns` must be/],
];

describe('createHost()', () => {
  it.each(WRONG)('refuses a wrong `%s`, and says what it must be: %j', (option, given, message) => {
    const error = refusal(given);
    expect(error).toBeInstanceOf(OptionError);
    expect(error).toMatchObject({ code: 'INVALID_OPTION', option });
    expect((error as Error).message).toMatch(message);
  });

  it('takes options that are there and undefined as if they were not', async () => {
    const limits = { running: undefined, perTenant: undefined, queued: undefined, readers: undefined };
    const given: HostOptions = {
      options,
      storage: undefined,
      limits,
      idle: { evictAfterMs: undefined, keep: undefined, warm: undefined },
      approvals: undefined,
      events: { partialMessages: undefined, batchMs: undefined },
      retention: { events: undefined, doneMaxAgeMs: undefined },
      lease: { ttlMs: undefined, maxCrashes: undefined },
      name: undefined,
      onProblem: undefined,
    };
    await createHost(given).close();
  });

  it('keeps what is done with for 30 days, and events for good, unless it is told otherwise', async () => {
    const asked: unknown[] = [];
    const rounds: (() => void)[] = [];
    const real = clock;
    const restore = useClock({
      ...real,
      setInterval: (callback, milliseconds) => {
        if (milliseconds === LIMITS.hostSweepMs) rounds.push(callback);
        return real.setInterval(callback, milliseconds);
      },
    });
    try {
      const sweep = async (retention: unknown): Promise<void> => void asked.push(retention);
      const given = [undefined, { doneMaxAgeMs: undefined }, { doneMaxAgeMs: 5, events: { maxCount: 9 } }];
      for (const retention of given) {
        await using _ = createHost({ options, storage: { ...memoryStorage(), sweep }, retention });
        rounds.pop()?.();
      }
      const thirtyDays = 30 * 24 * 60 * 60_000;
      expect(asked).toMatchObject([
        { doneMaxAgeMs: thirtyDays },
        { doneMaxAgeMs: thirtyDays },
        { doneMaxAgeMs: 5, events: { maxCount: 9 } },
      ]);
    } finally {
      restore();
    }
  });
});

describe('onProblem', () => {
  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('mine');
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('that %s disturbs nothing, and is told as a warning', async (_, onProblem) => {
    const warnings: string[] = [];
    const hear = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', hear);
    try {
      await using host = createHost({
        options: () => 5 as unknown as Options,
        onProblem: onProblem as (problem: HostProblem) => void,
      });
      await host.send(REF, 'Hello.');
      await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('parked'));
      await vi.waitFor(() => expect(warnings.join('\n')).toMatch(/`onProblem`.*mine/));
      expect(warnings.join('\n')).toMatch(/`options\(\)` must return/);
    } finally {
      process.off('warning', hear);
    }
  });
});

describe('options() of a conversation', () => {
  /** A host whose `options` does what the test says, and what it was told of. */
  function odd(first: () => unknown) {
    const problems: HostProblem[] = [];
    const state = { give: first };
    const host = createHost({
      options: () => state.give() as Options,
      onProblem: (problem) => problems.push(problem),
    });
    return { host, problems, state };
  }
  const good = (): Options => ({
    runtime: embedded({ model: scriptedModel([text('Fine now.')]) }),
    cwd: '/work',
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /`options\(\)` must return the options of the agent/],
    ['a text', 'options', /must return the options/],
    ['options that are not its to give', { runtime, resume: 'x' }, /`options\.resume` is the host's/],
    [
      'a runtime without a journal',
      { runtime: { open: () => {} } as unknown as AgentRuntime },
      /withJournal/,
    ],
    ['a wrong value', { runtime, maxTurns: 'many' }, /`maxTurns` must be/],
  ])('that gives %s parks it with the reason; unpark() after a fix goes on', async (_, given, reason) => {
    const { host, problems, state } = odd(() => given);
    await using _host = host;
    const { id } = await host.send(REF, 'Hello.');
    const isParked = (message: HostMessage) => message.type === 'host' && message.subtype === 'parked';
    const parked = (await until(host, REF, isParked)).at(-1);
    expect(parked?.message).toMatchObject({ reason: expect.stringMatching(reason) });
    expect(await host.session(REF)).toMatchObject({ state: 'parked', reason: expect.stringMatching(reason) });
    expect(problems).toMatchObject([{ during: 'a turn', session: REF, error: { code: 'INVALID_OPTION' } }]);
    expect((await host.stats()).sessions.parked).toBe(1);
    // It waits, whatever is sent to it.
    await host.send(REF, 'Still there?');
    expect((await host.session(REF))?.state).toBe('parked');
    state.give = good;
    expect(await host.unpark(REF)).toBe(true);
    expect(await host.unpark(REF)).toBe(false);
    const events = await until(
      host,
      REF,
      (message) => isDone(message) && JSON.stringify(message).includes(id),
    );
    expect(words(events)).toContain('assistant text: Fine now.');
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no database'))],
  ])('that %s is tried again a few times, then parks it with the reason', async (_, give) => {
    let ahead = 0;
    const real = clock;
    const restore = useClock({ ...real, monotonic: () => real.monotonic() + ahead });
    try {
      const { host, problems, state } = odd(give);
      await using _host = host;
      await host.send(REF, 'Hello.');
      for (const [tries, delay] of LIMITS.hostRetryMs.entries()) {
        await vi.waitFor(async () => {
          expect((await host.stats()).retries).toBe(tries + 1);
          expect(await host.session(REF)).toMatchObject({ state: 'queued' });
        });
        ahead += delay;
      }
      await vi.waitFor(async () =>
        expect(await host.session(REF)).toMatchObject({ state: 'parked', reason: 'no database' }),
      );
      expect(problems.map(({ error }) => String(error))).toEqual(Array(4).fill('Error: no database'));
      state.give = good;
      expect(await host.unpark(REF)).toBe(true);
      expect(words(await until(host, REF, isDone))).toContain('done: answered');
    } finally {
      restore();
    }
  });

  it('that never answers is not waited for forever', async () => {
    using timers = holdTimers(LIMITS.hostOptionsMs);
    const { host, problems } = odd(() => new Promise(() => {}));
    await using _ = host;
    await host.send(REF, 'Hello.');
    await vi.waitFor(() => expect(timers.count).toBe(1));
    timers.expire();
    await vi.waitFor(() =>
      expect(String(problems[0]?.error)).toMatch(/`options\(\)` has not answered within/),
    );
    await vi.waitFor(() => expect(timers.count).toBe(0));
  });

  it('that never answers does not keep the host from closing', async () => {
    const { host } = odd(() => new Promise(() => {}));
    await host.send(REF, 'Hello.');
    await vi.waitFor(async () => expect((await host.stats()).running).toBe(1));
    await host.close();
  });
});
