import { isRecord } from '../../protocol/base/kinds.js';
import type { PermissionResult, PermissionUpdate } from '../../protocol/permissions/permissions.js';
import type { HostAnswer } from '../host-messages.js';
import { Problem } from './problems.js';

/** An answer to a question that a stranger has sent, with the fields that are known. */
export function givenAnswer(body: Record<string, unknown>): HostAnswer {
  if (body.behavior === 'allow') return allowed(body);
  if (body.behavior === 'deny') return denied(body);
  if (isRecord(body.answers)) return { answers: texts(body.answers) };
  if (body.action === 'accept' || body.action === 'decline' || body.action === 'cancel') {
    return { action: body.action, ...content(body.content) } as HostAnswer;
  }
  throw wrong('`behavior` ("allow" or "deny"), `answers`, or `action` ("accept", "decline" or "cancel")');
}

function allowed({ updatedInput, updatedPermissions }: Record<string, unknown>): HostAnswer {
  if (updatedInput !== undefined && !isRecord(updatedInput)) throw wrong('`updatedInput` as an object');
  if (updatedPermissions !== undefined && !Array.isArray(updatedPermissions)) {
    throw wrong('`updatedPermissions` as a list');
  }
  return {
    behavior: 'allow',
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(updatedPermissions === undefined
      ? {}
      : { updatedPermissions: updatedPermissions as PermissionUpdate[] }),
  };
}

function denied({ message, interrupt }: Record<string, unknown>): HostAnswer {
  if (message !== undefined && typeof message !== 'string') throw wrong('`message` as a text');
  if (interrupt !== undefined && typeof interrupt !== 'boolean') {
    throw wrong('`interrupt` as true or false');
  }
  return {
    behavior: 'deny',
    message: message ?? 'The user does not want this.',
    ...(interrupt === undefined ? {} : { interrupt }),
  };
}

function texts(answers: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(answers).map(([question, answer]): [string, string] => {
    if (typeof answer !== 'string') throw wrong('`answers` as texts by question');
    return [question, answer];
  });
  return Object.fromEntries(entries);
}

function content(value: unknown): { content?: Record<string, unknown> } {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw wrong('`content` as an object');
  return { content: value };
}

function wrong(wanted: string): Problem {
  return new Problem(400, `The answer must have ${wanted}.`);
}

/** The answer, if it is one to a question for permission. */
export function permissionIn(answer: HostAnswer): PermissionResult | undefined {
  return 'behavior' in answer ? (answer as PermissionResult) : undefined;
}

/**
 * Whoever answers may grant for good what was suggested with the question, and nothing else: "allow everything" is not for a
 * page to say.
 */
export function isSuggested(
  updates: readonly PermissionUpdate[],
  suggestions: readonly PermissionUpdate[] = [],
): boolean {
  const known = new Set(suggestions.map(sorted));
  return updates.every((update) => known.has(sorted(update)));
}

/** As a text that is the same for the same value, in whatever order its fields were written. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}
