import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import type { HostOptions } from './host.js';

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
  'retention.events': ['maxAgeMs', 'maxCount'],
  lease: ['ttlMs', 'maxCrashes'],
};

/** Names and kinds, before anything is made of them. */
export function checkHostOptions(given: HostOptions): void {
  if (!isRecord(given)) {
    throw new OptionError('createHost', given, 'createHost() needs an object with `options`.');
  }
  checkKnown(given, KNOWN, '');
  for (const [group, names] of Object.entries(GROUPS)) {
    const [outer = '', inner] = group.split('.');
    const value = inner === undefined ? given[outer] : (given[outer] as Record<string, unknown>)?.[inner];
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
