/** Colours for one stream: none in a pipe. */
export type Palette = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>;

const CODES: Record<keyof Palette, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Matches, and captures, each sequence of a palette. */
export const SEQUENCES: RegExp = new RegExp(`(\\u001b\\[(?:${Object.values(CODES).flat().join('|')})m)`);

export function palette(
  stream: { isTTY?: boolean | undefined },
  env: NodeJS.ProcessEnv = process.env,
): Palette {
  const coloured = wantsColour(stream, env);
  const paint = ([on, off]: readonly [number, number]) =>
    coloured ? (text: string) => `\u001b[${on}m${text}\u001b[${off}m` : (text: string) => text;
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, paint(codes)])) as Palette;
}

/** NO_COLOR and FORCE_COLOR have their usual meaning; the former takes precedence. */
function wantsColour({ isTTY }: { isTTY?: boolean | undefined }, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return isTTY === true && env.TERM !== 'dumb';
}
