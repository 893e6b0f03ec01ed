// What callers pass in, checked before it reaches a database: names that it cannot store, and values that are no JSON.

import { OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { JournaledCall } from '../../protocol/wire/journal.js';
import type { Lease, SessionRef } from './port/conversation.js';
import type { InboxKind, InboxMessage } from './port/inbox.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Half of a character of two: a database would store something else in its place. */
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A copy, so that later changes of the caller's object have no effect. */
export function checkedRef({ tenant, session }: SessionRef): SessionRef {
  return { tenant: checkedName('tenant', tenant), session: checkedName('session', session) };
}

export function checkedName(option: string, value: unknown): string {
  const most = LIMITS.maxHostNameChars;
  const isGood =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= most &&
    !CONTROL.test(value) &&
    !HALF.test(value);
  if (isGood) return value;
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
  throw new OptionError(
    option,
    value,
    `\`${option}\` must be a text of 1 to ${most} characters without control characters, not ${shown}.`,
  );
}

export function checkedCount(option: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new OptionError(option, value, `\`${option}\` must be a whole number from ${least}, not ${value}.`);
}

export function checkedDuration(option: string, value: number, least = 1, most?: number): number {
  if (Number.isFinite(value) && value >= least && value <= (most ?? value)) return value;
  const range = most === undefined ? `${least}` : `${least} to ${most}`;
  const text = `\`${option}\` must be a number of milliseconds from ${range}, not ${value}.`;
  throw new OptionError(option, value, text);
}

/** How many of a list are read at once. */
export function checkedLimit(limit: number | undefined): number {
  return limit === undefined ? LIMITS.hostPage : Math.min(checkedCount('limit', limit), LIMITS.hostPageMost);
}

/** As it is stored. What JSON has no word for (undefined, a function) is null. */
export function jsonOf(option: string, value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (error) {
    throw new OptionError(option, value, `\`${option}\` must be JSON: ${String(error)}`);
  }
}

const KINDS: readonly string[] = ['prompt', 'answer', 'interrupt'] satisfies InboxKind[];

export function checkedMessage({ kind, body }: InboxMessage): { kind: InboxKind; body: string } {
  if (!KINDS.includes(kind)) {
    throw new OptionError('kind', kind, `\`kind\` must be one of ${KINDS.join(', ')}, not ${String(kind)}.`);
  }
  return { kind, body: jsonOf('body', body) };
}

/** A key that is used for two messages would lose the second without a word. */
export function checkSameMessage(
  key: string | undefined,
  first: { kind: InboxKind; body: string },
  second: { kind: InboxKind; body: string },
): void {
  if (first.kind === second.kind && first.body === second.body) return;
  throw new OptionError(
    'idempotencyKey',
    key,
    `The \`idempotencyKey\` ${JSON.stringify(key)} was used for another message to this conversation. Use a new one for each message.`,
  );
}

/** Why a conversation is parked that its workers did not survive. */
export function crashReason(crashes: number | string, owner: string): string {
  return `Its worker was lost ${crashes} times in a row, the last time "${owner}".`;
}

/** Only the holder of a lease may write. */
export function checkedLease(of: Lease | SessionRef): Lease {
  if ('fence' in of) return of;
  throw new OptionError(
    'lease',
    of,
    'Without a lease a transcript can only be read: pass `transcript()` the lease.',
  );
}

/** JSON, because ids may contain any character. */
export function callName({ sessionId, toolUseId }: JournaledCall): string {
  const name = JSON.stringify([sessionId, toolUseId]);
  if (name.length <= LIMITS.maxHostNameChars * 2) return name;
  throw new OptionError(
    'toolUseId',
    toolUseId,
    'The ids of a call and its session are too long for a journal.',
  );
}
