import {
  ProcessError,
  type ProcessErrorDetails,
  TenonError,
  type TenonErrorCode,
} from '../../protocol/base/errors.js';
import type { TransportEnd } from '../../protocol/transport/transport.js';
import { CLAUDE_CODE } from './launch.js';

export interface FailureContext
  extends Pick<ProcessErrorDetails, 'argv' | 'cliVersion' | 'lastControlRequest'> {
  /** How errors name the agent. */
  agent: string;
  stderrTail: string;
  interpreter: string | undefined;
}

/** Why a process gave no result, as an error with a separate code for each cause that a user can act on. */
export function processFailure(end: TransportEnd, context: FailureContext): TenonError {
  if (end.error !== undefined) return startFailure(end.error, context);
  const details: ProcessErrorDetails = { ...context, exitCode: end.code, signal: end.signal };
  const lastWords = lastLine(context.stderrTail);
  // As the official SDK says it of the CLI, because programs match its texts.
  const isCli = context.agent === CLAUDE_CODE;
  const agent = isCli ? 'Claude Code process' : context.agent;
  const stderrText = lastWords === '' ? 'It wrote nothing to stderr.' : `stderr: ${lastWords}`;
  if (end.signal !== null) {
    const hint = end.signal === 'SIGKILL' ? ' The system may have run out of memory.' : '';
    return new ProcessError(
      'KILLED_BY_SIGNAL',
      `${agent} terminated by signal ${end.signal}.${hint} ${stderrText}`,
      details,
    );
  }
  if (end.code === 0 || end.code === null) {
    return new ProcessError('NO_RESULT', `${agent} ended without a result. ${stderrText}`, details);
  }
  const known = KNOWN_EXITS.find(({ pattern }) => pattern.test(context.stderrTail));
  const remedy = known === undefined ? '' : ` ${known.remedy}`;
  return new ProcessError(
    known?.code ?? 'EXITED',
    `${agent} ${isCli ? 'exited' : 'ended'} with code ${end.code}. ${stderrText}${remedy}`,
    details,
  );
}

const KNOWN_EXITS: readonly { pattern: RegExp; code: TenonErrorCode; remedy: string }[] = [
  {
    pattern: /unknown option/i,
    code: 'BAD_FLAG',
    remedy:
      'This version of the agent does not know that flag: update it, or leave out the option (or the entry of `extraArgs`).',
  },
  {
    pattern: /cannot be used with root/i,
    code: 'BYPASS_AS_ROOT',
    remedy:
      'Run as another user, or choose a `permissionMode` other than "bypassPermissions", with `allowedTools`.',
  },
  {
    pattern: /No conversation found/i,
    code: 'SESSION_NOT_FOUND',
    remedy: 'Check `resume` and `cwd`: conversations are kept per working directory.',
  },
  {
    pattern: /Session ID .* is already in use/i,
    code: 'SESSION_ID_IN_USE',
    remedy: 'Leave out `sessionId`, or use `resume` to continue that conversation.',
  },
];

function startFailure(error: Error, context: FailureContext): TenonError {
  if (TenonError.is(error)) return error;
  const details: ProcessErrorDetails = { ...context, cause: error };
  const [program] = context.argv ?? [];
  const command = program === undefined ? context.agent : `"${program}"`;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return new ProcessError(
        'INTERPRETER_NOT_FOUND',
        context.interpreter === undefined
          ? `${command} exists but cannot be started: the interpreter or loader that it needs is missing ` +
              '(a script with a wrong "#!" line, or a build for another C library).'
          : `The interpreter "${context.interpreter}" was not found. Install it, or give another \`executable\`.`,
        details,
      );
    case 'E2BIG':
    case 'ENAMETOOLONG':
      return new ProcessError(
        'ARGUMENTS_TOO_LONG',
        'The command line is longer than the system allows. Shorten `extraArgs`, `additionalDirectories` or `env`.',
        details,
      );
    case 'EACCES':
      return new ProcessError('NOT_EXECUTABLE', `${command} is not executable: ${error.message}`, details);
    default:
      return new ProcessError('SPAWN_FAILED', `${command} could not be started: ${error.message}`, details);
  }
}

/**
 * The line that explains the failure: the last one, or, in Node's crash report, which ends with a version,
 * the exception.
 */
function lastLine(text: string): string {
  const lines = text.trimEnd().split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  if (!/^Node\.js v\d/.test(last)) return last;
  return lines.findLast((line) => /^(Uncaught )?[\w.]*(Error|Exception)\b/.test(line))?.trim() ?? last;
}

export function startupTimeout(timeoutMs: number, context: FailureContext): TenonError {
  const lastWords = lastLine(context.stderrTail);
  return new ProcessError(
    'STARTUP_TIMEOUT',
    `${context.agent} wrote nothing for ${timeoutMs} ms after its start. ` +
      `${lastWords === '' ? '' : `stderr: ${lastWords} `}Raise \`startupTimeoutMs\` if this machine is that slow.`,
    context,
  );
}
