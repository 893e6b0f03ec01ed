import type { Options } from '../options/options.js';
import { clock } from '../protocol/base/clock.js';
import { messageOf, OptionError } from '../protocol/base/errors.js';
import { emitWarning } from '../protocol/base/host-process.js';
import { isRecord } from '../protocol/base/kinds.js';
import { LIMITS } from '../protocol/base/limits.js';
import { checkAgentOptions, isCli } from './conversations/agent-options.js';
import type { HostOptions, HostProblem } from './host.js';
import { checkedCount, checkedDuration, checkedName } from './storage/checked.js';
import { memoryStorage } from './storage/memory/memory-storage.js';
import type { SessionRef } from './storage/port/conversation.js';
import type { HostStorage, Retention } from './storage/port/storage.js';

/** The options of a host as they count, checked. */
export interface HostSettings {
  readonly storage: HostStorage;
  /** The options of a conversation. */
  optionsFor(ref: SessionRef): Promise<Options>;
  /** If they are the same for all. */
  readonly common: Options | undefined;
  readonly owner: string;
  readonly running: number;
  readonly perTenant: number | undefined;
  readonly queued: { all: number; tenant: number | undefined; session: number };
  readonly readers: number;
  readonly evictAfterMs: number;
  readonly keep: number;
  readonly warm: number;
  readonly holdMs: number;
  readonly partialMessages: boolean;
  readonly batchMs: number;
  readonly retention: Retention;
  readonly ttlMs: number;
  readonly maxCrashes: number;
  problem(problem: HostProblem): void;
}

const KNOWN: readonly string[] = [
  'options',
  'storage',
  'limits',
  'idle',
  'approvals',
  'events',
  'retention',
  'lease',
  'name',
  'onProblem',
] satisfies (keyof HostOptions)[];

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  limits: ['running', 'perTenant', 'queued', 'queuedPerTenant', 'queuedPerSession', 'readers'],
  idle: ['evictAfterMs', 'keep', 'warm'],
  approvals: ['holdMs'],
  events: ['partialMessages', 'batchMs'],
  retention: ['events', 'doneMaxAgeMs'],
  lease: ['ttlMs', 'maxCrashes'],
};

export function hostSettings(given: HostOptions): HostSettings {
  checkNames(given);
  const { options, limits = {}, idle = {}, approvals = {}, events = {}, lease = {}, retention = {} } = given;
  if (typeof options !== 'function') checkAgentOptions(options);
  const running = count('limits.running', limits.running, defaultRunning(options));
  const warm = checkedWarm(count('idle.warm', idle.warm, 0, 0), running, options);
  const batchMs = duration('events.batchMs', events.batchMs, 50);
  return {
    storage: given.storage ?? memoryStorage(),
    optionsFor: async (ref) => {
      if (typeof options !== 'function') return options;
      const own = await options(ref);
      if (!isRecord(own))
        throw new OptionError('options', own, '`options()` must return the options of the agent.');
      checkAgentOptions(own);
      return own;
    },
    common: typeof options === 'function' ? undefined : options,
    owner: checkedName('name', given.name ?? `tenon-${clock.uuid().slice(0, 8)}`),
    running,
    perTenant: most('limits.perTenant', limits.perTenant),
    queued: {
      all: count('limits.queued', limits.queued, 10_000),
      tenant: most('limits.queuedPerTenant', limits.queuedPerTenant),
      session: count('limits.queuedPerSession', limits.queuedPerSession, 1_000),
    },
    readers: count('limits.readers', limits.readers, 10_000),
    evictAfterMs: duration('idle.evictAfterMs', idle.evictAfterMs, 60_000),
    keep: count('idle.keep', idle.keep, 10_000, 0),
    warm,
    holdMs: duration('approvals.holdMs', approvals.holdMs, 5_000),
    partialMessages: events.partialMessages ?? true,
    batchMs,
    retention: { doneMaxAgeMs: LIMITS.hostDoneMs, ...retention },
    ttlMs: duration('lease.ttlMs', lease.ttlMs, 15_000, 100),
    maxCrashes: count('lease.maxCrashes', lease.maxCrashes, 5),
    problem: given.onProblem === undefined ? warn : told(given.onProblem),
  };
}

/** A process that waits has its options already, so they must be those of every conversation. */
function checkedWarm(warm: number, running: number, options: HostOptions['options']): number {
  if (warm === 0) return warm;
  const refuse = (why: string): never => {
    throw new OptionError('idle.warm', warm, `\`idle.warm\` is ${warm}, but ${why}`);
  };
  if (typeof options === 'function') refuse('`options` is a function. Give the options themselves.');
  else if (!isCli(options)) refuse('only the CLI has processes that can wait. Leave it out.');
  if (warm > running) refuse(`\`limits.running\` is ${running}, and there are never more processes.`);
  return warm;
}

/** A process of the CLI is large; whether a function gives it is not known before it is called. */
function defaultRunning(options: HostOptions['options']): number {
  if (typeof options === 'function') return 32;
  return isCli(options) ? 8 : 200;
}

function checkNames(given: HostOptions): void {
  if (!isRecord(given)) {
    throw new OptionError('createHost', given, 'createHost() needs an object with `options`.');
  }
  checkKnown(given, KNOWN, '');
  for (const [group, names] of Object.entries(GROUPS)) {
    const value = given[group];
    if (value === undefined) continue;
    if (!isRecord(value)) throw new OptionError(group, value, `\`${group}\` must be an object.`);
    checkKnown(value, names, `${group}.`);
  }
  const { options, storage, onProblem, events } = given as unknown as HostOptions;
  if (typeof options !== 'function' && !isRecord(options)) {
    const text =
      '`options` must be the options of the agents, or a function that gives those of a conversation.';
    throw new OptionError('options', options, text);
  }
  if (storage !== undefined && (!isRecord(storage) || typeof storage.commit !== 'function')) {
    const text =
      '`storage` must be a HostStorage: memoryStorage(), or postgresStorage() of tenon/host/postgres.';
    throw new OptionError('storage', storage, text);
  }
  if (onProblem !== undefined && typeof onProblem !== 'function') {
    throw new OptionError('onProblem', onProblem, '`onProblem` must be a function.');
  }
  const { partialMessages } = events ?? {};
  if (partialMessages !== undefined && typeof partialMessages !== 'boolean') {
    throw new OptionError(
      'events.partialMessages',
      partialMessages,
      '`events.partialMessages` must be true or false.',
    );
  }
}

/** A limit that is misspelled would be none. */
function checkKnown(given: object, known: readonly string[], prefix: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const text = `createHost() has no option \`${prefix}${unknown}\`. It has ${known.map((name) => `\`${prefix}${name}\``).join(', ')}.`;
  throw new OptionError(`${prefix}${unknown}`, (given as Record<string, unknown>)[unknown], text);
}

function count(option: string, value: number | undefined, fallback: number, least = 1): number {
  return value === undefined ? fallback : checkedCount(option, value, least);
}

/** Undefined: no limit. */
function most(option: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : checkedCount(option, value);
}

function duration(option: string, value: number | undefined, fallback: number, least = 0): number {
  return value === undefined ? fallback : checkedDuration(option, value, least);
}

function warn({ during, error, session }: HostProblem): void {
  const whose = session === undefined ? '' : ` ("${session.session}" of "${session.tenant}")`;
  emitWarning(`The host had a problem with ${during}${whose}: ${messageOf(error)}`, {
    type: 'TenonWarning',
    code: 'TENON_HOST',
  });
}

/** The user's code must not end the work. */
function told(onProblem: NonNullable<HostOptions['onProblem']>): HostSettings['problem'] {
  return (problem) => {
    try {
      onProblem(problem);
    } catch (error) {
      warn({ during: '`onProblem`, which has thrown', error });
      warn(problem);
    }
  };
}
