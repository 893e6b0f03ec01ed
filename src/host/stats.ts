/** What has happened in this program since its host was made. */
export interface HostCounts {
  readonly turns: { answered: number; failed: number; interrupted: number };
  asked: number;
  answered: number;
  /** Turns that were put away until somebody answers. */
  parked: number;
  evicted: number;
  refused: number;
  lostLeases: number;
  retries: number;
  /** How long a turn takes, lately. */
  turnMs: number | undefined;
}

/** A mean in which the last ten turns count most. */
export function noteTurn(counts: HostCounts, milliseconds: number): void {
  counts.turnMs = counts.turnMs === undefined ? milliseconds : counts.turnMs * 0.9 + milliseconds * 0.1;
}

export function newCounts(): HostCounts {
  return {
    turns: { answered: 0, failed: 0, interrupted: 0 },
    asked: 0,
    answered: 0,
    parked: 0,
    evicted: 0,
    refused: 0,
    lostLeases: 0,
    retries: 0,
    turnMs: undefined,
  };
}
