import { existsSync, readFileSync } from 'node:fs';
import type { McpPlace } from '../../config/places.js';
import { describeProblem, type McpConfigProblem } from '../../config/problems.js';
import { filesFor, resolveFrom } from '../../config/resolve-mcp-config.js';
import type { McpServerConfig } from '../../protocol/mcp.js';
import { SecretValues } from '../../protocol/secret-values.js';
import { childEnvironment } from '../launch/environment.js';
import type { Options } from '../options.js';
import { type ProcessServerConfig, type SplitServers, splitServers } from './split-servers.js';

/** The servers of one query, and what this side knows about them. */
export interface ConfiguredServers {
  /** Those that the agent is told of: of the options, and of the files that it does not read by itself. */
  split: SplitServers;
  /** The place of those that do not come from the options. */
  places: ReadonlyMap<string, McpPlace>;
  /** Those that cannot be used, with the reason. */
  failed: ReadonlyMap<string, McpConfigProblem>;
  problems: readonly McpConfigProblem[];
  secrets: SecretValues;
  /** When this was found out, in milliseconds. */
  begunAt: number;
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** Throws for an entry of `mcpServers` that cannot work, and with `strictMcpConfig` for any error. */
export function configuredServers(options: Options): ConfiguredServers {
  const split = splitServers(options.mcpServers ?? {});
  const places = new Map<string, McpPlace>();
  const failed = new Map<string, McpConfigProblem>();
  const secrets = new SecretValues();
  const env = environmentOf(options);
  const resolved = resolveFrom(
    { ...options, mcpServers: checkedHere(split, options), env },
    filesToRead({ ...options, env }, Object.keys(split.inProcess)),
  );
  const cliFiles = new Set(resolved.files.filter((file) => file.readByClaudeCode).map(({ path }) => path));
  for (const server of Object.values(resolved.servers)) {
    const { name, origin, written, config, error, shadows, readByClaudeCode } = server;
    secrets.add(written);
    secrets.add(config);
    if (readByClaudeCode) {
      if (error !== undefined) failed.set(name, error);
      // The CLI would start it with the name of the variable as its value.
      if (error?.variable !== undefined) split.contested.push(name);
      continue;
    }
    if (origin.place !== 'options') places.set(name, origin.place);
    const isContested = shadows.some(({ file = '' }) => cliFiles.has(file));
    if (isContested && (error !== undefined || written.type === 'sdk')) split.contested.push(name);
    if (error !== undefined) {
      failed.set(name, error);
      delete split.process[name];
    } else if (written.type !== 'sdk') split.process[name] = written as ProcessServerConfig;
  }
  if (options.spawnClaudeCodeProcess != null)
    for (const each of Object.values(split.process)) secrets.add(each);
  // Of files that are the CLI's, what may be known to it and not to us is none of our business.
  const problems = resolved.problems.filter(
    ({ severity, file }) => severity === 'error' || file === undefined || !cliFiles.has(file),
  );
  // Kept as long as the conversation, and nearly always empty.
  return {
    split,
    places: places.size === 0 ? NONE : places,
    failed: failed.size === 0 ? NONE : failed,
    problems,
    secrets,
    begunAt: Date.now(),
  };
}

/** The environment in which variables are looked up: the agent's. */
export function environmentOf(options: Pick<Options, 'env'>): NodeJS.ProcessEnv {
  return childEnvironment(options.env, {});
}

/** A process that somebody else starts may have variables that are not known here. */
function checkedHere(split: SplitServers, options: Options): Record<string, McpServerConfig> {
  return options.spawnClaudeCodeProcess == null ? { ...split.process, ...split.inProcess } : split.inProcess;
}

/**
 * The CLI reads some files by itself; they matter here where another place has a server of the same name, and where
 * something may be wrong with them. The runtime reads all of them itself, and a process that somebody else starts is on a machine of its own.
 */
function filesToRead(options: Options, inProcess: readonly string[]): ReturnType<typeof filesFor> {
  if (options.runtime != null || options.spawnClaudeCodeProcess != null) return [];
  const files = filesFor(options);
  const pathsOf = (readByClaudeCode: boolean): string[] => [
    ...new Set(files.filter((file) => file.readByClaudeCode === readByClaudeCode).map(({ path }) => path)),
  ];
  const isWanted =
    pathsOf(false).some((path) => existsSync(path)) ||
    pathsOf(true).some((path) => isWorthReading(path, inProcess));
  return isWanted ? files : [];
}

/** A look is cheaper than reading: the CLI's own file can be large. */
function isWorthReading(path: string, names: readonly string[]): boolean {
  try {
    if (!existsSync(path)) return false;
    if (path.endsWith('.mcp.json')) return true;
    const bytes = readFileSync(path);
    return bytes.includes('${') || names.some((name) => bytes.includes(JSON.stringify(name)));
  } catch {
    return false;
  }
}

const warned = new Set<string>();

/** Lenient mode: what is wrong is said, and the query goes on. To the whole process only once. */
export function warnOf(problems: readonly McpConfigProblem[], options: Options): void {
  for (const problem of problems) {
    const text = describeProblem(problem);
    if (options.stderr != null) tell(options.stderr, `tenon: ${text}\n`);
    else if (!warned.has(text)) {
      warned.add(text);
      process.emitWarning(text, { type: 'TenonWarning', code: 'TENON_MCP_CONFIG' });
    }
  }
}

/** A callback that throws must not end a query that has not begun. */
function tell(stderr: (text: string) => void, text: string): void {
  try {
    stderr(text);
  } catch {}
}
