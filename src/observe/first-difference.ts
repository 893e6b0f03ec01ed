import { isRecord } from '../protocol/base/kinds.js';

export interface Difference {
  /** Where, from the root: `messages[1].content[0].text`. */
  path: string;
  left: unknown;
  right: unknown;
}

/** Where two JSON values first differ, in the key order of the left one. `same` compares what is neither list nor object. */
export function firstDifference(
  left: unknown,
  right: unknown,
  path = '',
  same: (left: unknown, right: unknown) => boolean = Object.is,
): Difference | undefined {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
      const found = firstDifference(left[index], right[index], `${path}[${index}]`, same);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (isRecord(left) && isRecord(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = firstDifference(left[key], right[key], path === '' ? key : `${path}.${key}`, same);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return same(left, right) ? undefined : { path, left, right };
}
