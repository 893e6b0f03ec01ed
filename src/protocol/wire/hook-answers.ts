// What a hook may answer, checked in one place for callbacks and for commands.
import { isRecord } from '../base/kinds.js';
import type { HookJSONOutput } from './hooks.js';

const DECISIONS: readonly unknown[] = [undefined, 'approve', 'block'];
const PERMISSION_DECISIONS: readonly unknown[] = [undefined, 'allow', 'deny', 'ask', 'defer'];

/**
 * The answer of a hook. Throws for one that nobody understands: an unknown decision must not count as none,
 * and input that was to be replaced must not run as it was.
 */
export function hookAnswer(event: string, given: unknown): HookJSONOutput {
  // A hook that returns nothing has no objection.
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw new Error(`${shown(given)} is not an answer: return an object, or nothing`);
  const { decision, hookSpecificOutput: specific } = given;
  if (!DECISIONS.includes(decision)) throw unknown('decision', decision, '"approve" or "block"');
  if (specific === undefined) return given as HookJSONOutput;
  if (!isRecord(specific)) throw new Error('`hookSpecificOutput` must be an object');
  if (event === 'PreToolUse') checkPermission(specific);
  // The CLI drops the whole answer if the name of the event is missing.
  return { ...given, hookSpecificOutput: { hookEventName: event, ...specific } } as HookJSONOutput;
}

function checkPermission({ permissionDecision, updatedInput }: Record<string, unknown>): void {
  if (!PERMISSION_DECISIONS.includes(permissionDecision)) {
    throw unknown('permissionDecision', permissionDecision, '"allow", "deny", "ask" or "defer"');
  }
  if (updatedInput !== undefined && !isRecord(updatedInput)) {
    throw new Error(`\`updatedInput\` must be an object; it is ${shown(updatedInput)}`);
  }
}

function unknown(field: string, value: unknown, known: string): Error {
  return new Error(`unknown \`${field}\`: ${shown(value)}; it can be ${known}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? typeof value).slice(0, 100);
}
