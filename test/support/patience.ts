/**
 * How long tests wait for what must happen. A limit for what hangs, not a guess about speed: the machine may be busy with
 * something else.
 */
export const PATIENCE_MS = 120_000;
