import type { StandardIssue, StandardResult } from './standard-schema.js';

export type Validate = (value: unknown) => StandardResult<unknown> | Promise<StandardResult<unknown>>;

/** zod, Valibot and ArkType all report more about an issue than Standard Schema requires. */
export type DetailedIssue = StandardIssue & { readonly expected?: unknown };

/**
 * JSON has no dates, so models send ISO text. Where an issue says that a date was expected, the text becomes one. Then
 * the rest is tried: where a date is one of several choices, the issue does not mention it. `first` is the verdict on
 * `given` unchanged.
 */
export async function validateWithDates(
  given: unknown,
  validate: Validate,
  first: ReturnType<Validate>,
): Promise<StandardResult<unknown>> {
  let value = given;
  let result = await first;
  if (result.issues === undefined) return result;
  const dated = withDates(value, result.issues.filter(wantsDate));
  if (dated !== undefined) {
    value = dated;
    result = await validate(value);
    if (result.issues === undefined) return result;
  }
  const guessed = withDates(value, result.issues);
  const second = guessed === undefined ? undefined : await validate(guessed);
  return second !== undefined && (second.issues?.length ?? 0) < result.issues.length ? second : result;
}

function wantsDate(issue: DetailedIssue): boolean {
  return /\bdate\b/i.test(String(issue.expected ?? ''));
}

/** A copy with dates where the issues found ISO text; undefined where they found none. */
function withDates(value: unknown, issues: readonly StandardIssue[]): unknown {
  const copy = structuredClone(value);
  let changed = false;
  for (const { path = [] } of issues) {
    const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
    const key = keys.pop();
    const holder = keys.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)?.[step], copy);
    if (key === undefined || typeof holder !== 'object' || holder === null) continue;
    const fields = holder as Record<PropertyKey, unknown>;
    const text = fields[key];
    if (typeof text !== 'string' || !ISO_DATE.test(text) || Number.isNaN(Date.parse(text))) continue;
    fields[key] = new Date(text);
    changed = true;
  }
  return changed ? copy : undefined;
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
