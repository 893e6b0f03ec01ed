/** Exit codes for scripts; documented in docs/guide/command-line.md. */
export const EXIT = {
  ok: 0,
  /** The agent failed, `doctor` found a problem, or a name is not configured. */
  failed: 1,
  /** The command line is invalid: an unknown option, a bad value, a missing file. */
  usage: 2,
  /** Ctrl-C, numbered as in shells: 128 plus the signal. */
  interrupted: 130,
  terminated: 143,
} as const;
