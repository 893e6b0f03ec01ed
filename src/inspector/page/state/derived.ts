import type { Run } from '../../../observe/run/run.js';
import { touch, version } from './store.js';

interface Memo {
  value: unknown;
  /** How far the run was. */
  revision: number;
  /** What else it was made of. */
  key: unknown;
  madeAt: number;
  cost: number;
}

/** Twenty times a second is live enough for people. */
const LEAST_WAIT_MS = 50;
/** No view takes more than this part of the time. */
const SHARE = 8;

const memos = new WeakMap<Run, Map<unknown, Memo>>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * A view of a run. It is made again when the run has grown, but not more often than the machine can bear: meanwhile the
 * one before is shown. `name` tells views apart; another `key` makes it again at once.
 */
export function derived<Value>(run: Run, name: unknown, make: (run: Run) => Value, key?: unknown): Value {
  void version.value;
  const known = memos.get(run) ?? new Map<unknown, Memo>();
  memos.set(run, known);
  const memo = known.get(name);
  const now = performance.now();
  if (memo !== undefined && memo.key === key) {
    if (memo.revision === run.revision) return memo.value as Value;
    const wait = memo.madeAt + Math.max(LEAST_WAIT_MS, memo.cost * SHARE) - now;
    if (wait > 0) {
      if (timer === undefined) timer = setTimeout(again, wait);
      return memo.value as Value;
    }
  }
  const { revision } = run;
  const value = make(run);
  const madeAt = performance.now();
  known.set(name, { value, revision, key, madeAt, cost: madeAt - now });
  return value;
}

function again(): void {
  timer = undefined;
  touch();
}
