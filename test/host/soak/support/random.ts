/** Chance that is the same again for the same seed. */
export interface Random {
  /** A whole number from 0 up to, and without, this one. */
  below(limit: number): number;
  between(least: number, most: number): number;
  of<Value>(values: readonly Value[]): Value;
  /** Once in so many. */
  once(times: number): boolean;
  /** Another one, with numbers of its own: whoever shares one has them by the order in which others ask. */
  named(name: string): Random;
}

export function random(seed: string): Random {
  let state = hash(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    of: (values) => values[below(values.length)] as (typeof values)[number],
    once: (times) => below(times) === 0,
    named: (name) => random(`${seed} ${name}`),
  };
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
