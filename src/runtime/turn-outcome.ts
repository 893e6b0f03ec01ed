/** How a turn has ended. */
export interface TurnOutcome {
  subtype: string;
  isError: boolean;
  terminalReason: string | undefined;
  /** Of a success: the last words; of an error: why. */
  text: string;
  stopReason: string | null;
  numTurns: number;
  apiErrorStatus?: number | undefined;
  apiErrorType?: string | undefined;
  /** The call that a hook has put off. */
  deferredToolUse?: { id: string; name: string; input: unknown } | undefined;
}

/** A turn in which the model was not asked. */
export function emptyTurn(text: string): TurnOutcome {
  return {
    subtype: 'success',
    isError: false,
    terminalReason: undefined,
    text,
    stopReason: null,
    numTurns: 0,
  };
}

/** A fault of our own. */
export function brokenTurn(text: string): TurnOutcome {
  return { ...emptyTurn(text), subtype: 'error_during_execution', isError: true };
}

/** What the `error` field of a line calls the status of the model's API. */
export function errorKindOf(status: number | undefined): string {
  if (status === 401 || status === 403) return 'authentication_failed';
  if (status === 429) return 'rate_limit';
  if (status === 400) return 'invalid_request';
  if (status === 529) return 'overloaded';
  return status !== undefined && status >= 500 ? 'server_error' : 'unknown';
}
