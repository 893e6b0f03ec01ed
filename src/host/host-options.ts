import type { Options } from '../options/options.js';
import { clock, MAX_TIMER_MS } from '../protocol/base/clock.js';
import { OptionError } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import { checkHostOptions } from './check-host-options.js';
import { checkAgentOptions, isCli } from './conversations/agent-options.js';
import { conversationOptions } from './conversations/conversation-options.js';
import type { HostOptions, HostProblem } from './host.js';
import { problemTeller } from './problems.js';
import { checkedCount, checkedDuration, checkedName } from './storage/checked.js';
import { memoryStorage } from './storage/memory/memory-storage.js';
import type { SessionRef } from './storage/port/conversation.js';
import type { HostStorage, Retention } from './storage/port/storage.js';

/** The options of a host as they count, checked. */
export interface HostSettings {
  readonly storage: HostStorage;
  /** The options of a conversation. Rejects when the signal is aborted. */
  optionsFor(ref: SessionRef, signal: AbortSignal): Promise<Options>;
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

export function hostSettings(given: HostOptions): HostSettings {
  checkHostOptions(given);
  const { options, limits = {}, idle = {}, approvals = {}, events = {}, lease = {}, retention = {} } = given;
  if (typeof options !== 'function') checkAgentOptions(options);
  const running = count('limits.running', limits.running, defaultRunning(options));
  const warm = checkedWarm(count('idle.warm', idle.warm, 0, 0), running, options);
  const batchMs = duration('events.batchMs', events.batchMs, 50);
  return {
    storage: given.storage ?? memoryStorage(),
    optionsFor: async (ref, signal) =>
      typeof options === 'function' ? conversationOptions(options, ref, signal) : options,
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
    retention: checkedRetention(retention),
    ttlMs: duration('lease.ttlMs', lease.ttlMs, 15_000, 100),
    maxCrashes: count('lease.maxCrashes', lease.maxCrashes, 5),
    problem: problemTeller(given.onProblem),
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

function count(option: string, value: number | undefined, fallback: number, least = 1): number {
  return value === undefined ? fallback : checkedCount(option, value, least);
}

/** Undefined: no limit. */
function most(option: string, value: number | undefined, least = 1): number | undefined {
  return value === undefined ? undefined : checkedCount(option, value, least);
}

/** Of a timer, which cannot wait for longer. */
function duration(option: string, value: number | undefined, fallback: number, least = 0): number {
  return value === undefined ? fallback : checkedDuration(option, value, least, MAX_TIMER_MS);
}

function age(option: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : checkedDuration(option, value, 0, LIMITS.hostAgeMostMs);
}

function checkedRetention({ events: { maxAgeMs, maxCount } = {}, doneMaxAgeMs }: Retention): Retention {
  return {
    events: {
      maxAgeMs: age('retention.events.maxAgeMs', maxAgeMs),
      maxCount: most('retention.events.maxCount', maxCount, 0),
    },
    doneMaxAgeMs: age('retention.doneMaxAgeMs', doneMaxAgeMs) ?? LIMITS.hostDoneMs,
  };
}
