import { isRecord } from '../../protocol/base/kinds.js';

/** What is wrong with a step. The caller adds which step it is. */
export class StepProblem extends Error {}

/** The value as an object with no other keys than these. */
export function onlyKeys(value: unknown, keys: readonly string[], owner: string): Record<string, unknown> {
  if (!isRecord(value)) throw mismatch(owner, 'an object', value);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    throw new StepProblem(
      `unknown key ${JSON.stringify(unknown)} in ${owner}; the keys are ${keys.join(', ')}`,
    );
  }
  return value;
}

export function mismatch(owner: string, expected: string, value: unknown): StepProblem {
  return new StepProblem(`${owner} must be ${expected}, not ${show(value)}`);
}

const MAX_VALUE_LENGTH = 80;

/** A value for error messages. */
export function show(value: unknown): string {
  const shown = asJson(value) ?? String(value);
  return shown.length > MAX_VALUE_LENGTH ? `${shown.slice(0, MAX_VALUE_LENGTH)}…` : shown;
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
