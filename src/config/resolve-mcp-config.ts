import { inspect } from 'node:util';
import type { McpServerConfig, McpServerConfigForProcessTransport } from '../protocol/mcp.js';
import { redactConfig } from '../protocol/redact-config.js';
import { configFiles, MCP_PLACES, type McpConfigFile, type McpPlace } from './places.js';
import { McpConfigError, type McpConfigProblem } from './problems.js';
import { type FoundServer, readServers } from './read-servers.js';
import { checkServer } from './server-shape.js';
import { type Environment, expandServer } from './variables.js';

export interface ResolveMcpConfigOptions {
  mcpServers?: Record<string, McpServerConfig | McpServerConfigForProcessTransport> | undefined;
  /** Default: the directory of this process. */
  cwd?: string | undefined;
  /** The environment of the agent: variables come from it, and HOME and CLAUDE_CONFIG_DIR. Default: that of this process. */
  env?: Environment | undefined;
  /** The places that are read, as in the options of a query. Absent: all. */
  settingSources?: readonly ('user' | 'project' | 'local')[] | undefined;
  /** Only `mcpServers`, and any error throws `McpConfigError`. */
  strictMcpConfig?: boolean | undefined;
  /** As `strictMcpConfig`. */
  hermetic?: boolean | undefined;
}

/** Where a definition stands. */
export interface McpServerOrigin {
  place: McpPlace;
  file?: string | undefined;
  line?: number | undefined;
}

/** A server as it will be used. Printing it shows no value of `env` or `headers`. */
export interface ResolvedMcpServer {
  readonly name: string;
  readonly origin: McpServerOrigin;
  /** Its variables are replaced; undefined when an error keeps it from being used. */
  readonly config: McpServerConfig | McpServerConfigForProcessTransport | undefined;
  /** As it stands there, with its variables. */
  readonly written: McpServerConfig | McpServerConfigForProcessTransport;
  /** Why it cannot be used. */
  readonly error: McpConfigProblem | undefined;
  /** Definitions of the same name in places that lose. */
  readonly shadows: readonly McpServerOrigin[];
  /** The Claude Code CLI reads it by itself. */
  readonly readByClaudeCode: boolean;
}

export interface ResolvedMcpConfig {
  /** By name, in the order of precedence. */
  servers: Record<string, ResolvedMcpServer>;
  problems: McpConfigProblem[];
  /** The files that were looked for, the winning one first. */
  files: { place: McpPlace; path: string; found: boolean; readByClaudeCode: boolean }[];
}

interface Definition {
  name: string;
  origin: McpServerOrigin;
  entry: Record<string, unknown>;
  error: McpConfigProblem | undefined;
  readByClaudeCode: boolean;
}

/** Which MCP servers an agent will have, where each comes from, and what is wrong with the configuration. */
export function resolveMcpConfig(options: ResolveMcpConfigOptions = {}): ResolvedMcpConfig {
  return resolveFrom(options, filesFor(options));
}

/** The files that these options allow to be read. */
export function filesFor(
  {
    cwd = process.cwd(),
    env = process.env,
    settingSources,
    strictMcpConfig,
    hermetic,
  }: ResolveMcpConfigOptions,
  systemRoot?: string,
): McpConfigFile[] {
  if (strictMcpConfig || hermetic) return [];
  const isRead = ({ place }: McpConfigFile): boolean =>
    settingSources == null || place === 'policy' || settingSources.some((source) => source === place);
  return configFiles({ cwd, env, systemRoot }).filter(isRead);
}

export function resolveFrom(
  options: ResolveMcpConfigOptions,
  files: readonly McpConfigFile[],
): ResolvedMcpConfig {
  const env = options.env ?? process.env;
  const problems: McpConfigProblem[] = [];
  const definitions = Object.entries(options.mcpServers ?? {}).map(([name, entry]) =>
    fromOptions(name, entry, problems),
  );
  const looked: ResolvedMcpConfig['files'] = [];
  for (const file of files) {
    const read = readServers(file);
    const { place, path, readByClaudeCode } = file;
    looked.push({ place, path, found: read.found, readByClaudeCode });
    problems.push(...read.problems);
    definitions.push(...read.servers.map(fromFile));
  }
  const servers: Record<string, ResolvedMcpServer> = {};
  for (const definition of definitions) {
    if (Object.hasOwn(servers, definition.name)) continue;
    const others = definitions.filter((other) => other !== definition && other.name === definition.name);
    const server = resolveOne(definition, others, env, problems);
    // `defineProperty`: a server may be called __proto__, and must then still be a server.
    Object.defineProperty(servers, definition.name, { value: server, enumerable: true, writable: true });
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if ((options.strictMcpConfig || options.hermetic) && errors.length > 0) throw new McpConfigError(errors);
  return { servers, problems, files: looked };
}

function fromOptions(name: string, entry: unknown, problems: McpConfigProblem[]): Definition {
  const origin = { place: MCP_PLACES[0] };
  const isSdk = (entry as { type?: unknown } | null)?.type === 'sdk';
  // Unknown keys are the compiler's business here.
  const wrong = isSdk ? undefined : checkServer(entry).find(({ severity }) => severity === 'error');
  const error: McpConfigProblem | undefined = wrong && {
    severity: 'error',
    ...origin,
    server: name,
    field: wrong.path[0],
    message: `the server "${name}": ${wrong.text}`,
  };
  if (error !== undefined) problems.push(error);
  return { name, origin, entry: entry as Record<string, unknown>, error, readByClaudeCode: false };
}

function fromFile({ name, file, line, entry, error }: FoundServer): Definition {
  const origin = { place: file.place, file: file.path, line };
  return { name, origin, entry, error, readByClaudeCode: file.readByClaudeCode };
}

function resolveOne(
  { name, origin, entry, error, readByClaudeCode }: Definition,
  others: readonly Definition[],
  env: Environment,
  problems: McpConfigProblem[],
): ResolvedMcpServer {
  const written = entry as McpServerConfigForProcessTransport;
  const fields = { name, origin, written, shadows: others.map((other) => other.origin), readByClaudeCode };
  if (error !== undefined) return printable({ ...fields, config: undefined, error });
  if (written.type === 'sdk') return printable({ ...fields, config: written, error });
  const { config, missing } = expandServer(written, env);
  const found = missing.map(
    ({ variable, field }): McpConfigProblem => ({
      severity: 'error',
      ...origin,
      server: name,
      field,
      variable,
      message:
        `the server "${name}": \`${field}\` wants the variable ${variable}, which is not set. ` +
        `Set it, or write \${${variable}:-default}.`,
    }),
  );
  problems.push(...found);
  return printable({
    ...fields,
    config: found.length > 0 ? undefined : config,
    error: found[0],
  });
}

/** What prints a value asks these two: JSON, and Node's `console.log`. */
function printable(server: ResolvedMcpServer): ResolvedMcpServer {
  const { config, written } = server;
  const shown = (): object => ({
    ...server,
    // Of what is broken nobody knows where the secrets are.
    written: config === undefined ? undefined : redactConfig(written),
    config: config === undefined ? undefined : redactConfig(config),
  });
  return Object.defineProperties(server, { toJSON: { value: shown }, [inspect.custom]: { value: shown } });
}
