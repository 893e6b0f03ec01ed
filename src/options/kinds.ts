import { isRecord } from '../protocol/base/kinds.js';

/** How a value is checked: the test, and what error messages say the value must be. */
export interface Kind {
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** The names an object may have where we define its shape. Others are mistakes. */
  readonly fields?: readonly string[];
}

export const text: Kind = { expected: 'a string', accepts: (value) => typeof value === 'string' };
export const truth: Kind = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const list: Kind = { expected: 'an array', accepts: Array.isArray };
export const record: Kind = { expected: 'an object', accepts: isRecord };
export const callback: Kind = { expected: 'a function', accepts: (value) => typeof value === 'function' };
export const callbacks: Kind = {
  expected: 'an array of functions',
  accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'function'),
};
export const positive: Kind = {
  expected: 'a number above 0',
  accepts: (value) => typeof value === 'number' && value > 0,
};
export const nonNegative: Kind = {
  expected: 'a number, 0 or above',
  accepts: (value) => typeof value === 'number' && value >= 0,
};

export function oneOf(...values: readonly string[]): Kind {
  return {
    expected: values.map((value) => JSON.stringify(value)).join(' or '),
    accepts: (value) => values.includes(value as string),
  };
}

/** Any of several kinds. */
export function either(...kinds: readonly Kind[]): Kind {
  return {
    expected: kinds.map(({ expected }) => expected).join(' or '),
    accepts: (value) => kinds.some((kind) => kind.accepts(value)),
    fields: kinds.flatMap(({ fields = [] }) => fields),
  };
}

/** An object that may only have the given names. */
export function shape(
  expected: string,
  fields: readonly string[],
  accepts: Kind['accepts'] = isRecord,
): Kind {
  return { expected, accepts, fields };
}
