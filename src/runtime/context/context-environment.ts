import type { ContextOptions } from './context-options.js';

// The variables by which users of Claude Code change how it makes room.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The program keeps what Claude Code keeps. */
export function contextOfProgram({ CLAUDE_AUTOCOMPACT_PCT_OVERRIDE }: Environment): ContextOptions {
  const percent = positive(CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
  return {
    keepTokens: 0,
    ...(percent === undefined || percent > 100 ? {} : { compactAt: percent / 100 }),
  };
}

/** Room is made on demand only. */
export function isSwitchedOff({ DISABLE_AUTO_COMPACT, DISABLE_COMPACT }: Environment): boolean {
  return [DISABLE_AUTO_COMPACT, DISABLE_COMPACT].some((value) => /^(1|true|yes|on)$/i.test(value ?? ''));
}

/** How much of a larger window is used, in tokens. */
export function usedOfWindow({ CLAUDE_CODE_AUTO_COMPACT_WINDOW }: Environment): number | undefined {
  return positive(CLAUDE_CODE_AUTO_COMPACT_WINDOW);
}

/** What is no number means nothing, as in Claude Code. */
function positive(value: string | undefined): number | undefined {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
