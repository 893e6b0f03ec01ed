import { isRecord } from '../base/kinds.js';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Models like to wrap the structure that they were asked for, as `{ output: … }`, or to give it as text. What does not
 * look like the schema is replaced by what is inside of it, if that does.
 */
export function unwrapStructure(given: unknown, schema: Schema): unknown {
  if (looksLike(given, schema)) return given;
  return insidesOf(given).find((inside) => looksLike(inside, schema)) ?? given;
}

/** What a value may be the wrapping of. */
export function insidesOf(given: unknown): unknown[] {
  const [inside, ...others] = isRecord(given) ? Object.values(given) : [given];
  if (others.length > 0) return [];
  const parsed = typeof inside === 'string' ? parse(inside) : undefined;
  return [inside, parsed].filter((value) => typeof value === 'object' && value !== null && value !== given);
}

/**
 * By its root only: whether a value is valid is for a validator to say. Of a schema without properties at its root, such
 * as a union, nothing can be said.
 */
function looksLike(value: unknown, { type, properties, required }: Schema): boolean {
  if (type === 'array') return Array.isArray(value);
  if (!isRecord(properties)) return type !== 'object' || isRecord(value);
  if (!isRecord(value)) return false;
  const names = Object.keys(value);
  const isKnown = names.length === 0 || names.some((name) => Object.hasOwn(properties, name));
  return isKnown && (!Array.isArray(required) || required.every((name) => names.includes(name)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
