/** What can be checked without starting an agent: Node, the environment, the CLI. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { versionOf } from '../../client/launch/cli-versions.js';
import { type FoundClaudeCode, findClaudeCode, type TriedPlace } from '../../index.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Finding } from './finding.js';

const OLDEST_NODE = [20, 19] as const;

export function checkNode(version: string = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
  const details = { version };
  if (!isOld) return { check: 'node', state: 'ok', message: `Node ${version}`, details };
  return {
    check: 'node',
    state: 'error',
    message: `Node ${version} is too old: Tenon needs ${OLDEST_NODE.join('.')} or newer.`,
    remedy: 'nvm install 22',
    details,
  };
}

/** Variables that change how an agent behaves, and that people rarely think of. */
export function checkEnvironment(env: NodeJS.ProcessEnv): Finding[] {
  const warn = (name: string, message: string, remedy: string): Finding => ({
    check: 'environment',
    state: 'warning',
    message: `${name} ${message}`,
    remedy,
    details: { variable: name },
  });
  const findings: Finding[] = [];
  for (const name of ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT']) {
    if (env[name] === undefined) continue;
    const message =
      'is set, as inside a Claude Code session. A CLI that inherits it believes that it is nested.';
    findings.push(
      warn(name, message, `Tenon does not pass it on. For a CLI that you start yourself: unset ${name}`),
    );
  }
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL']) {
    const value = env[name];
    if (value === undefined || value === value.trim()) continue;
    findings.push(
      warn(name, 'begins or ends with white space, which the API rejects.', `Set ${name} again without it.`),
    );
  }
  if (env.ANTHROPIC_API_KEY && env.ANTHROPIC_AUTH_TOKEN) {
    const message = 'and ANTHROPIC_AUTH_TOKEN are both set; which one is used depends on the runtime.';
    findings.push(warn('ANTHROPIC_API_KEY', message, 'Unset one of them.'));
  }
  if (findings.length > 0) return findings;
  return [{ check: 'environment', state: 'ok', message: 'No environment variable gets in the way' }];
}

/** A key is optional: the CLI has its own login. */
export function checkModel(env: NodeJS.ProcessEnv): Finding {
  const source = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'].find(
    (name) => env[name],
  );
  const details = { source: source ?? null };
  if (source === undefined) {
    return {
      check: 'model',
      state: 'ok',
      message:
        'No API key in the environment: the CLI uses its own login, the embedded runtime cannot be used',
      details,
    };
  }
  return { check: 'model', state: 'ok', message: `${source} is set`, details };
}

export interface CheckedCli {
  finding: Finding;
  path: string | undefined;
}

/** The location and version of the CLI; if there is none, all the places that were searched. */
export async function checkCli(env: NodeJS.ProcessEnv): Promise<CheckedCli> {
  const found = findClaudeCode({ env });
  const { path, source } = found;
  if (path === undefined) return { path, finding: noCli(found, env) };
  const version = versionOf(path) ?? (await askVersion(path, env));
  const details = { path, source, version: version ?? null };
  if (version !== undefined) {
    const message = `Claude Code CLI ${version}: ${path} (${source})`;
    return { path, finding: { check: 'cli', state: 'ok', message, details } };
  }
  return {
    path,
    finding: {
      check: 'cli',
      state: 'warning',
      message: `Claude Code CLI: ${path} (${source}) does not report its version`,
      remedy: `See what it prints: ${path} --version`,
      details,
    },
  };
}

async function askVersion(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const isScript = /\.[mc]?js$/.test(path);
  const [command, args] = isScript ? [process.execPath, [path, '--version']] : [path, ['--version']];
  try {
    const { stdout } = await promisify(execFile)(command, args, { env, timeout: LIMITS.doctorVersionMs });
    return /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  } catch {
    return undefined;
  }
}

function noCli({ tried }: FoundClaudeCode, env: NodeJS.ProcessEnv): Finding {
  const canDoWithout = Boolean(env.ANTHROPIC_API_KEY || env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_BASE_URL);
  return {
    check: 'cli',
    state: canDoWithout ? 'warning' : 'error',
    message: `No Claude Code CLI was found${canDoWithout ? '; the embedded runtime does not need it' : ''}`,
    remedy: [
      'npm install @anthropic-ai/claude-code, or CLAUDE_CODE_EXECUTABLE=/path/to/claude',
      ...(canDoWithout ? [] : ['or set ANTHROPIC_API_KEY and use --runtime embedded']),
      ...searchedPlaces(tried),
    ].join('\n'),
    details: { tried },
  };
}

/** Counts the places that were empty, and names those with something that cannot be used. */
function searchedPlaces(tried: FoundClaudeCode['tried']): string[] {
  const isAbsent = ({ source, reason }: TriedPlace): boolean =>
    source === 'packages' || reason === 'no such file';
  const absent = new Map<string, number>();
  for (const { source } of tried.filter(isAbsent)) absent.set(source, (absent.get(source) ?? 0) + 1);
  const counted = [...absent].map(([source, times]) =>
    times === 1 ? source : `${source} (${times} places)`,
  );
  return [
    ...tried
      .filter((place) => !isAbsent(place))
      .map(({ path, reason }) => `${path} cannot be used: ${reason}`),
    `not found in: ${counted.join(', ')}; tenon doctor --json lists all places`,
  ];
}
