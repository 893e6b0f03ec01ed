/**
 * One family of errors. Each has a `code` to branch on, a message that names the thing, the bad value and the
 * remedy, and a `cause` where there is one. `TenonError.is(e)` works across copies of the package.
 */
const brand = Symbol.for('tenon.error');

export type TenonErrorCode =
  | 'ABORTED'
  | 'ALREADY_USED'
  | 'ARGUMENTS_TOO_LONG'
  | 'BAD_FLAG'
  | 'BYPASS_AS_ROOT'
  | 'CLAIM_REFUSED'
  | 'CLI_NOT_FOUND'
  | 'CLI_TOO_OLD'
  | 'CLOSED'
  | 'CONTROL_ERROR'
  | 'CONTROL_TIMEOUT'
  | 'CWD_NOT_FOUND'
  | 'EXITED'
  | 'INPUT_CLOSED'
  | 'INPUT_FAILED'
  | 'INTERPRETER_NOT_FOUND'
  | 'INVALID_MCP_CONFIG'
  | 'INVALID_OPTION'
  | 'INVALID_SETTINGS'
  | 'INVALID_TOOL'
  | 'KILLED_BY_SIGNAL'
  | 'NO_RESULT'
  | 'NOT_EXECUTABLE'
  | 'NOT_SUPPORTED'
  | 'RESULT_ERROR'
  | 'SERVER_FAILED'
  | 'SERVER_IN_USE'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_ID_IN_USE'
  | 'SESSION_STORE_FAILED'
  | 'SPAWN_FAILED'
  | 'STARTUP_TIMEOUT';

export class TenonError extends Error {
  readonly code: TenonErrorCode;

  constructor(code: TenonErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }

  static is(value: unknown): value is TenonError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

/** Thrown from the loop when the caller's signal was aborted. */
export class AbortError extends TenonError {
  constructor(
    message = 'Operation aborted',
    { code = 'ABORTED', ...options }: { cause?: unknown; code?: TenonErrorCode } = {},
  ) {
    super(code, message, options);
  }
}

/** An option value that cannot work. */
export class OptionError extends TenonError {
  readonly option: string;
  readonly value: unknown;

  constructor(option: string, value: unknown, message: string, code: TenonErrorCode = 'INVALID_OPTION') {
    super(code, message);
    this.option = option;
    this.value = value;
  }
}

/** The agent answered a control request with an error. */
export class ControlError extends TenonError {
  readonly subtype: string;
  /** The agent's own `error_code`, where it gave one. */
  readonly errorCode: string | undefined;

  constructor(subtype: string, message: string, errorCode?: string) {
    super('CONTROL_ERROR', message);
    this.subtype = subtype;
    this.errorCode = errorCode;
  }
}

/** The agent did not answer a control request in time. */
export class ControlTimeoutError extends TenonError {
  readonly subtype: string;
  readonly timeoutMs: number;

  constructor(subtype: string, timeoutMs: number) {
    super(
      'CONTROL_TIMEOUT',
      `The agent did not answer the control request "${subtype}" within ${timeoutMs} ms. ` +
        'Claude Code before 2.1.50 does not answer requests that it does not know: update it, or raise `controlTimeoutMs`.',
    );
    this.subtype = subtype;
    this.timeoutMs = timeoutMs;
  }
}

export interface ProcessErrorDetails {
  exitCode?: number | null;
  signal?: string | null;
  /** The last 8 KB of stderr. */
  stderrTail?: string;
  /** The command line, with secrets and long values replaced. */
  argv?: readonly string[];
  cliVersion?: string | undefined;
  /** Subtype of the last control request sent. */
  lastControlRequest?: string | undefined;
  cause?: unknown;
}

/** The agent's process could not start, or ended without a result. */
export class ProcessError extends TenonError {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stderrTail: string;
  readonly argv: readonly string[];
  readonly cliVersion: string | undefined;
  readonly lastControlRequest: string | undefined;

  constructor(code: TenonErrorCode, message: string, details: ProcessErrorDetails = {}) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause });
    this.exitCode = details.exitCode ?? null;
    this.signal = details.signal ?? null;
    this.stderrTail = details.stderrTail ?? '';
    this.argv = details.argv ?? [];
    this.cliVersion = details.cliVersion;
    this.lastControlRequest = details.lastControlRequest;
  }
}

/** The text of anything thrown, for a message to a model or a developer. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  if (typeof thrown === 'string') return thrown;
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
