import { hostEnvironment } from '../protocol/base/host-process.js';
import type { TraceHeaders } from '../protocol/base/trace-context.js';

/** The environment variable that names the CLI's executable. */
export const EXECUTABLE_VARIABLE = 'CLAUDE_CODE_EXECUTABLE';

/**
 * The child's environment. `options.env` replaces the host's, as in the official SDK, except for the
 * variables that practically every program needs. Two variables of a surrounding Claude Code session are
 * never inherited: with them the child believes it is a nested session and refuses to start.
 */
const NEVER_INHERITED = ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'];

const ALWAYS_INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'TMP',
  'TEMP',
  'Path',
  'PATHEXT',
  'SystemRoot',
  'SYSTEMROOT',
  'SystemDrive',
  'windir',
  'ComSpec',
  'COMSPEC',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramFiles',
  'ProgramData',
];

/** Set for every child unless the caller sets them. */
const DEFAULTS = {
  // Tells the CLI that a TypeScript SDK drives it.
  CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
  // Makes the CLI report when it is idle: the only reliable sign that the work is done.
  CLAUDE_CODE_SDK_READS_SESSION_STATE: '1',
};

export function childEnvironment(
  given: Record<string, string | undefined> | undefined,
  fromOptions: Record<string, string>,
  host: NodeJS.ProcessEnv = hostEnvironment(),
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = given === undefined ? { ...host } : pick(host, ALWAYS_INHERITED);
  for (const name of NEVER_INHERITED) delete env[name];
  Object.assign(env, DEFAULTS, fromOptions, given);
  // `undefined` and `null` mean "not set"; spawn would write them out as text.
  if (given !== undefined) for (const name of Object.keys(given)) if (given[name] == null) delete env[name];
  return given === undefined ? shared(env) : env;
}

/**
 * The same, with the trace that the agent is to join, as in the official SDK: it takes precedence over one that the host has
 * inherited itself, and what the caller sets takes precedence over it.
 */
export function withTrace(
  env: NodeJS.ProcessEnv,
  given: Record<string, string | undefined> = {},
  headers: TraceHeaders | undefined,
): NodeJS.ProcessEnv {
  if (headers === undefined) return env;
  const joined = { ...env };
  // A state says something about its parent: that of another trace must not be passed on with this one.
  if ('traceparent' in headers && !Object.hasOwn(given, 'TRACESTATE')) delete joined.TRACESTATE;
  for (const [name, value] of Object.entries(headers)) {
    const variable = name.toUpperCase();
    if (!Object.hasOwn(given, variable)) joined[variable] = value;
  }
  return joined;
}

let latest: NodeJS.ProcessEnv = {};

/** Idle conversations by the thousand hold one copy of the host's environment between them, not one each. */
function shared(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = Object.keys(env);
  const isSame =
    names.length === Object.keys(latest).length && names.every((name) => env[name] === latest[name]);
  if (!isSame) latest = Object.freeze(env);
  return latest;
}

function pick(host: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => name in host).map((name) => [name, host[name]]));
}
