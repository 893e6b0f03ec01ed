/** What scripts branch on; documented in docs/guide/command-line.md. */
export const EXIT = {
  ok: 0,
  /** The agent failed, a check of `doctor` found a fault, a name is not configured. */
  failed: 1,
  /** The command line itself: an unknown option, a bad value, a file that is not there. */
  usage: 2,
  /** Ctrl-C, as shells number it: 128 and the signal. */
  interrupted: 130,
  terminated: 143,
} as const;
