import type { McpPlace } from '../../config/places.js';
import { describeProblem, type McpConfigProblem } from '../../config/problems.js';
import { type FileServers, resolveServers } from '../../config/resolve-servers.js';
import type {
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerConfigForProcessTransport,
} from '../../mcp/types.js';
import { childEnvironment } from '../../options/environment.js';
import { warningsTo } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import type { AgentPlan } from '../../options/plan.js';
import type { GivenOptions } from '../../options/row.js';
import { clock } from '../../protocol/base/clock.js';
import { OptionError } from '../../protocol/base/errors.js';
import { redactConfig, SecretValues } from '../../protocol/base/secret-values.js';

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

/** Throws for an entry of `mcpServers` that cannot work, and with `strictMcpConfig` for any error. */
export function configuredServers(
  options: GivenOptions,
  env: NodeJS.ProcessEnv,
  readFiles: ReadConfiguration,
): ConfiguredServers {
  const split = splitServers(options.mcpServers ?? {});
  const places = new Map<string, McpPlace>();
  const failed = new Map<string, McpConfigProblem>();
  const secrets = new SecretValues();
  const isStrict = options.strictMcpConfig || options.hermetic;
  const files = readFiles({ ...options, env }, Object.keys(split.inProcess));
  const resolved = resolveServers({ mcpServers: checkableServers(split, options), env, isStrict }, files);
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
    if (error !== undefined) {
      failed.set(name, error);
      delete split.process[name];
    } else if (written.type !== 'sdk') split.process[name] = written as ProcessServerConfig;
  }
  for (const [name, problem] of kept) {
    if (Object.hasOwn(resolved.servers, name)) continue;
    failed.set(name, problem);
    split.contested.push(name);
  }
  if (hasOwnLauncher(options)) for (const each of Object.values(split.process)) secrets.add(each);
  // Warnings about the CLI's own files are dropped: it may know more about them than we do.
  const warnings = new Set(kept.values());
  const problems = resolved.problems.filter(
    (problem) =>
      problem.severity === 'error' ||
      problem.file === undefined ||
      !cliFiles.has(problem.file) ||
      warnings.has(problem),
  );
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
export function hasOwnLauncher({ spawnClaudeCodeProcess, transport }: GivenOptions): boolean {
  return spawnClaudeCodeProcess !== undefined || transport !== undefined;
}

/** A process started by the user's code may have variables that are unknown here. */
function checkableServers(split: SplitServers, options: GivenOptions): Record<string, McpServerConfig> {
  return hasOwnLauncher(options) ? split.inProcess : { ...split.process, ...split.inProcess };
}

/** Lenient mode: problems are reported, and the query continues. */
export function warnAbout(problems: readonly McpConfigProblem[], options: Options): void {
  const warn = warningsTo(options, 'TENON_MCP_CONFIG');
  for (const problem of problems) warn(describeProblem(problem));
}

export function splitServers(servers: Record<string, McpServerConfig> = {}): SplitServers {
  const split: SplitServers = { process: {}, inProcess: {}, contested: [] };
  for (const [name, config] of Object.entries(servers)) {
    if (config === undefined) continue;
    if (isInProcess(name, config)) split.inProcess[name] = config;
    else split.process[name] = checkedProcessServer(name, config);
  }
  return split;
}

function isInProcess(name: string, config: McpServerConfig): config is McpSdkServerConfigWithInstance {
  if (typeof config !== 'object' || config === null) throw invalid(name, config, 'is not an object');
  if (config.type !== 'sdk') return false;
  if (typeof config.instance?.connect !== 'function') {
    throw invalid(name, config, 'has type "sdk" but no `instance`; make one with createSdkMcpServer()');
  }
  return true;
}

function checkedProcessServer(name: string, config: ProcessServerConfig): ProcessServerConfig {
  if (config.type === 'http' || config.type === 'sse') {
    if (typeof config.url !== 'string')
      throw invalid(name, config, `has type "${config.type}" but no \`url\``);
    // It would silently get lost on the way to the agent.
    if (typeof config.headers === 'function') {
      throw invalid(name, config, 'has a function as `headers`; give it to embedded({ mcpAuth })');
    }
  } else if (config.type === undefined || config.type === 'stdio') {
    // The CLI silently drops such an entry.
    if (typeof config.command !== 'string') throw invalid(name, config, 'has no `command`');
  } else {
    const { type } = config as { type: unknown };
    throw invalid(name, config, `has the unknown type ${JSON.stringify(type)}`);
  }
  return config;
}

function invalid(name: string, value: unknown, problem: string): OptionError {
  return new OptionError(
    `mcpServers.${name}`,
    typeof value === 'object' && value !== null ? redactConfig(value) : value,
    `mcpServers: the server "${name}" ${problem}. Expected { command, args?, env? }, ` +
      '{ type: "http" | "sse", url, headers? }, or a value of createSdkMcpServer().',
  );
}
