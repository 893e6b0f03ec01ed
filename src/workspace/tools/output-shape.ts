import { isRecord } from '../../protocol/base/kinds.js';

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'object';

/**
 * Whether a value has these fields, each of its kind. A hook may put an output in place of a tool's own; only one that
 * has the form of the tool's own can be shown in its way.
 */
export function hasShape<Output>(value: unknown, shape: Readonly<Record<string, Kind>>): value is Output {
  return isRecord(value) && Object.entries(shape).every(([name, kind]) => isOf(value[name], kind));
}

function isOf(value: unknown, kind: Kind): boolean {
  if (kind === 'array') return Array.isArray(value);
  return kind === 'object' ? isRecord(value) : typeof value === kind;
}
