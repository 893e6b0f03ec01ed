/**
 * One family of errors. Each has a `code` to branch on, a message that names the thing, the bad value and the
 * remedy, and a `cause` where there is one. `is()` works across copies of the package: an error carries the
 * names of its classes.
 */
const brand = Symbol.for('tenon.error');

export type TenonErrorCode =
  | 'ABORTED'
  | 'AGENT_NOT_FOUND'
  | 'ALREADY_USED'
  | 'ARGUMENTS_TOO_LONG'
  | 'BAD_FLAG'
  | 'BYPASS_AS_ROOT'
  | 'CANNOT_ISOLATE'
  | 'CASSETTE_MISMATCH'
  | 'CLAIM_REFUSED'
  | 'CLI_NOT_FOUND'
  | 'CLI_TOO_OLD'
  | 'CLOSED'
  | 'CONTROL_ERROR'
  | 'CONTROL_TIMEOUT'
  | 'CWD_NOT_FOUND'
  | 'EXITED'
  | 'FILE_FAILED'
  | 'FILE_NOT_FOUND'
  | 'INPUT_CLOSED'
  | 'INPUT_FAILED'
  | 'INTERPRETER_NOT_FOUND'
  | 'INVALID_MCP_CONFIG'
  | 'INVALID_OPTION'
  | 'INVALID_SCRIPT'
  | 'INVALID_SETTINGS'
  | 'INVALID_TAPE'
  | 'INVALID_TOOL'
  | 'KILLED_BY_SIGNAL'
  | 'LEASE_HELD'
  | 'LEASE_LOST'
  | 'LINK_REFUSED'
  | 'MODEL_FAILED'
  | 'NOT_EXECUTABLE'
  | 'NOT_SUPPORTED'
  | 'NO_RESULT'
  | 'NO_SUCH_REQUEST'
  | 'NO_TEMPORARY_DIRECTORY'
  | 'PACKAGE_NOT_FOUND'
  | 'QUEUE_FULL'
  | 'RESULT_ERROR'
  | 'SCRIPT_FAILED'
  | 'SEARCH_FAILED'
  | 'SERVER_FAILED'
  | 'SERVER_IN_USE'
  | 'SESSION_CONFLICT'
  | 'SESSION_ID_IN_USE'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_STORE_FAILED'
  | 'SPAWN_FAILED'
  | 'STARTUP_TIMEOUT'
  | 'STORAGE_FAILED'
  | 'TAPE_MISMATCH'
  | 'UNCONSUMED_STEPS'
  | 'UNEXPECTED_REQUEST'
  | 'WAKE_FAILED';

export class TenonError extends Error {
  /** The name of the class, also where a bundler has shortened it. */
  static readonly className: string = 'TenonError';
  readonly code: TenonErrorCode;

  constructor(code: TenonErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = ownName(new.target) ?? new.target.name;
    this.code = code;
    Object.defineProperty(this, brand, { value: familyOf(new.target) });
  }

  /** Whether it is an error of this class, or of one derived from it: `ResultError.is(error)`. */
  static is<Kind extends TenonError>(
    // biome-ignore lint/suspicious/noConfusingVoidType: a function that was passed on has no `this`.
    this: (abstract new (...args: never[]) => Kind) | void,
    value: unknown,
  ): value is Kind {
    // biome-ignore lint/complexity/noThisInStatic: the class that it is called on, not this one.
    return belongsTo(this ?? undefined, value);
  }
}

function belongsTo(
  errorClass: (abstract new (...args: never[]) => TenonError) | undefined,
  value: unknown,
): boolean {
  if (typeof value !== 'object' || value === null || !(brand in value)) return false;
  // Without a class `is` was passed on as a function, and the family is meant.
  if (errorClass === undefined || errorClass === (TenonError as unknown)) return true;
  if (value instanceof errorClass) return true;
  const name = ownName(errorClass);
  return name !== undefined && Array.isArray(value[brand]) && value[brand].includes(name);
}

/** Undefined for classes of the user, which are known by themselves. */
function ownName(errorClass: object): string | undefined {
  return Object.hasOwn(errorClass, 'className') ? (errorClass as typeof TenonError).className : undefined;
}

/** The names of the class and those it is derived from. */
function familyOf(errorClass: object): string[] {
  const own = ownName(errorClass);
  if (errorClass === TenonError) return [TenonError.className];
  return [...(own === undefined ? [] : [own]), ...familyOf(Object.getPrototypeOf(errorClass))];
}

/** Thrown from the loop when the caller's signal was aborted. */
export class AbortError extends TenonError {
  static override readonly className = 'AbortError';
  constructor(
    message = 'Operation aborted',
    { code = 'ABORTED', ...options }: { cause?: unknown; code?: TenonErrorCode } = {},
  ) {
    super(code, message, options);
  }
}

/** An option value that cannot work. */
export class OptionError extends TenonError {
  static override readonly className = 'OptionError';
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
  static override readonly className = 'ControlError';
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
  static override readonly className = 'ControlTimeoutError';
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
  static override readonly className = 'ProcessError';
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
