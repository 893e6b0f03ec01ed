import type { McpPlace } from '../../config/places.js';
import { describeProblem, type McpConfigProblem } from '../../config/problems.js';
import {
  type FileServers,
  type ResolvedMcpConfig,
  type ResolvedMcpServer,
  resolveServers,
} from '../../config/resolve-servers.js';
import { mcpToolPrefix } from '../../mcp/tool-names.js';
import type {
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerConfigForProcessTransport,
  McpServerInstance,
} from '../../mcp/types.js';
import { childEnvironment } from '../../options/environment.js';
import { warningsTo } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import type { AgentPlan } from '../../options/plan.js';
import type { GivenOptions } from '../../options/row.js';
import { clock } from '../../protocol/base/clock.js';
import { setOwn } from '../../protocol/base/kinds.js';
import { SecretValues } from '../../protocol/base/secret-values.js';

export type ProcessServerConfig = Exclude<McpServerConfigForProcessTransport, { type: 'sdk' }>;

/** Servers that the agent connects to itself, and those in this process. */
export interface SplitServers {
  process: Record<string, ProcessServerConfig>;
  inProcess: Record<string, McpSdkServerConfigWithInstance>;
  /**
   * Names that the agent also finds in a file but must not use from there. Announcing them as ours prevents
   * that.
   */
  contested: string[];
}

/** The servers of one query, and what the client knows about them. */
export interface ConfiguredServers {
  /** Those that the agent is told about: from the options, and from files that it does not read itself. */
  split: SplitServers;
  /** Where servers come from that are not in the options. */
  places: ReadonlyMap<string, McpPlace>;
  /** Unusable servers, with the reason. */
  failed: ReadonlyMap<string, McpConfigProblem>;
  problems: readonly McpConfigProblem[];
  secrets: SecretValues;
  /** When the configuration was read, in milliseconds since 1970. */
  begunAt: number;
}

/** What configuration files say of servers, as far as it matters to a query with these in-process servers. */
export type ReadConfiguration = (options: GivenOptions, inProcess: readonly string[]) => FileServers[];

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

/** With `strictMcpConfig` or `hermetic`, any error throws. */
export function configuredServers(
  options: GivenOptions,
  env: NodeJS.ProcessEnv,
  readFiles: ReadConfiguration,
): ConfiguredServers {
  const given = options.mcpServers ?? {};
  const split: SplitServers = { process: {}, inProcess: {}, contested: [] };
  const places = new Map<string, McpPlace>();
  const failed = new Map<string, McpConfigProblem>();
  const secrets = new SecretValues();
  const inProcess = Object.keys(given).filter((name) => given[name]?.type === 'sdk');
  const files = readFiles({ ...options, env }, inProcess);
  const resolved = resolveGiven(given, options, env, files);
  const kept = new Map(files.flatMap(keptFromCli));
  const cliFiles = new Set(resolved.files.filter((file) => file.readByClaudeCode).map(({ path }) => path));
  for (const server of Object.values(resolved.servers)) {
    const { name, origin, written, config, error, shadows, readByClaudeCode } = server;
    secrets.add(written);
    secrets.add(config);
    // Named on the command line, ours takes precedence over the one in a file that is not trusted.
    if (readByClaudeCode && !kept.has(name)) {
      if (error !== undefined) failed.set(name, error);
      // The CLI would start it with the variable's name in place of its value.
      if (error?.variable !== undefined) split.contested.push(name);
      continue;
    }
    if (origin.place !== 'options') places.set(name, origin.place);
    const isContested = kept.has(name) || shadows.some(({ file = '' }) => cliFiles.has(file));
    if (isContested && (error !== undefined || written.type === 'sdk')) split.contested.push(name);
    if (error !== undefined) failed.set(name, error);
    else addTo(split, name, written);
  }
  for (const [name, problem] of kept) {
    if (Object.hasOwn(resolved.servers, name)) continue;
    failed.set(name, problem);
    split.contested.push(name);
  }
  // Warnings about the CLI's own files are dropped: it may know more about them than we do.
  const warnings = new Set(kept.values());
  const problems = resolved.problems.filter(
    (problem) =>
      problem.severity === 'error' ||
      problem.file === undefined ||
      !cliFiles.has(problem.file) ||
      warnings.has(problem),
  );
  problems.push(...sharedPrefixes(Object.values(resolved.servers)));
  // Lives as long as the conversation and is nearly always empty.
  return {
    split,
    places: places.size === 0 ? NONE : places,
    failed: failed.size === 0 ? NONE : failed,
    problems,
    secrets,
    begunAt: clock.now(),
  };
}

/** Servers that the model could not tell apart, as "a.b" and "a b". */
function sharedPrefixes(servers: readonly ResolvedMcpServer[]): McpConfigProblem[] {
  const owners = new Map<string, string>();
  return servers.flatMap(({ name, origin: { place, file } }) => {
    const prefix = mcpToolPrefix(name);
    const other = owners.get(prefix);
    owners.set(prefix, other ?? name);
    if (other === undefined) return [];
    const message =
      `the servers "${other}" and "${name}" are both "${prefix}" for the model, so rules for one count for the other, ` +
      'and of two tools with the same name only one can be called. Rename one.';
    return [{ severity: 'warning', place, server: name, message, ...(file === undefined ? {} : { file }) }];
  });
}

/** Names that the CLI would take from a file that is ignored here, and why it must not. */
function keptFromCli({ file, ignored, problems }: FileServers): [string, McpConfigProblem][] {
  const [reason] = problems;
  return file.readByClaudeCode && reason !== undefined ? ignored.map((name) => [name, reason]) : [];
}

/** The environment in which variables are looked up, which is the agent's. */
export function environmentOf(options: Pick<Options, 'env'>): NodeJS.ProcessEnv {
  return childEnvironment(options.env, {});
}

/** The servers that the agent connects to itself, and the names that it must not take from elsewhere. */
export function serversOnWire({ process: servers, contested }: SplitServers): AgentPlan['mcpServers'] {
  return {
    ...servers,
    ...Object.fromEntries(contested.map((name) => [name, { type: 'sdk' as const, name }])),
  };
}

/** The user's code provides the agent, which may run on another machine. */
export function hasOwnLauncher({ spawnClaudeCodeProcess, transport }: Options): boolean {
  return spawnClaudeCodeProcess != null || transport != null;
}

/** Lenient mode: problems are reported, and the query continues. */
export function warnAbout(problems: readonly McpConfigProblem[], options: Options): void {
  const warn = warningsTo(options, 'TENON_MCP_CONFIG');
  for (const problem of problems) warn(describeProblem(problem));
}

/**
 * Which of the servers that a program gives can be used, and what is wrong with the others. With
 * `strictMcpConfig` or `hermetic` any error throws.
 */
export function resolveGiven(
  mcpServers: Record<string, McpServerConfig>,
  options: Options,
  env: NodeJS.ProcessEnv,
  files: readonly FileServers[] = [],
): ResolvedMcpConfig {
  const isStrict = (options.strictMcpConfig || options.hermetic) ?? undefined;
  // A process started by the user's code may have variables that are unknown here.
  const keepsVariables = hasOwnLauncher(options);
  return resolveServers({ mcpServers, env, check: problemOf, keepsVariables, isStrict }, files);
}

/** What the compiler reports of entries that are written down, but not of those that a program passes on. */
function problemOf(entry: unknown): string | undefined {
  const { type, instance, headers } = (entry ?? {}) as Record<string, unknown>;
  if (type === 'sdk' && typeof (instance as McpServerInstance | undefined)?.connect !== 'function') {
    return 'it has type "sdk" but no `instance`; make one with createSdkMcpServer()';
  }
  // It would silently get lost on the way to the agent.
  return typeof headers === 'function'
    ? 'it has a function as `headers`; give it to embedded({ mcpAuth })'
    : undefined;
}

/** Adds a server that can be used to those of its kind. */
export function addTo(
  { process, inProcess }: Pick<SplitServers, 'process' | 'inProcess'>,
  name: string,
  config: ResolvedMcpServer['written'],
): void {
  if (config.type === 'sdk') setOwn(inProcess, name, config as McpSdkServerConfigWithInstance);
  else setOwn(process, name, config);
}
