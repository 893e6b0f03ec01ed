// Decides which definitions of MCP servers count. Reads no files itself.

import type { McpServerConfig, McpServerConfigForProcessTransport } from '../mcp/types.js';
import { setOwn } from '../protocol/base/kinds.js';
import { redactConfig } from '../protocol/base/secret-values.js';
import type { McpConfigFile, McpPlace } from './places.js';
import { McpConfigError, type McpConfigProblem } from './problems.js';
import type { FoundServer, ReadFile } from './read-servers.js';
import { checkServer } from './server-shape.js';
import { type Environment, expandServer } from './variables.js';

/** Where a definition comes from. */
export interface McpServerOrigin {
  place: McpPlace;
  file?: string | undefined;
  line?: number | undefined;
}

/** A server as it will be used. Printing it shows no value of `env` or `headers`. */
export interface ResolvedMcpServer {
  readonly name: string;
  readonly origin: McpServerOrigin;
  /** With its variables replaced; undefined if an error prevents its use. */
  readonly config: McpServerConfig | McpServerConfigForProcessTransport | undefined;
  /** As written, with its variables. */
  readonly written: McpServerConfig | McpServerConfigForProcessTransport;
  /** Why it cannot be used. */
  readonly error: McpConfigProblem | undefined;
  /** Overridden definitions of the same name. */
  readonly shadows: readonly McpServerOrigin[];
  /** The Claude Code CLI reads it itself. */
  readonly readByClaudeCode: boolean;
}

export interface ResolvedMcpConfig {
  /** By name, in the order of precedence. */
  servers: Record<string, ResolvedMcpServer>;
  problems: McpConfigProblem[];
  /** The files that were looked for, in order of precedence. */
  files: { place: McpPlace; path: string; found: boolean; readByClaudeCode: boolean }[];
}

/** A file and its contents. */
export interface FileServers extends ReadFile {
  file: McpConfigFile;
}

export interface ServersToResolve {
  mcpServers?: Record<string, McpServerConfig | McpServerConfigForProcessTransport> | undefined;
  env: Environment;
  /** What else is wrong with an entry of `mcpServers`, if anything. */
  check?: ((entry: unknown) => string | undefined) | undefined;
  /** Somebody else replaces variables, in an environment that is unknown here. */
  keepsVariables?: boolean | undefined;
  /** Any error throws `McpConfigError`. */
  isStrict?: boolean | undefined;
}

interface Definition {
  name: string;
  origin: McpServerOrigin;
  entry: Record<string, unknown>;
  error: McpConfigProblem | undefined;
  readByClaudeCode: boolean;
}

/** Options take precedence over files, and earlier files over later ones. */
export function resolveServers(
  { mcpServers = {}, env, check, keepsVariables = false, isStrict }: ServersToResolve,
  files: readonly FileServers[],
): ResolvedMcpConfig {
  const problems: McpConfigProblem[] = [];
  const definitions = Object.entries(mcpServers)
    .filter(([, entry]) => entry !== undefined)
    .map(([name, entry]) => fromOptions(name, entry, check?.(entry), problems));
  const looked: ResolvedMcpConfig['files'] = [];
  for (const { file, found, servers, problems: wrong } of files) {
    const { place, path, readByClaudeCode } = file;
    looked.push({ place, path, found, readByClaudeCode });
    problems.push(...wrong);
    definitions.push(...servers.map(fromFile));
  }
  const servers: Record<string, ResolvedMcpServer> = {};
  for (const definition of definitions) {
    if (Object.hasOwn(servers, definition.name)) continue;
    const others = definitions.filter((other) => other !== definition && other.name === definition.name);
    setOwn(
      servers,
      definition.name,
      resolveOne(definition, others, keepsVariables ? undefined : env, problems),
    );
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (isStrict && errors.length > 0) throw new McpConfigError(errors);
  return { servers, problems, files: looked };
}

function fromOptions(
  name: string,
  entry: unknown,
  problem: string | undefined,
  problems: McpConfigProblem[],
): Definition {
  const origin = { place: 'options' as const };
  const isSdk = (entry as { type?: unknown } | null)?.type === 'sdk';
  // The compiler reports unknown keys here.
  const wrong = isSdk ? undefined : checkServer(entry).find(({ severity }) => severity === 'error');
  const text = problem ?? wrong?.text;
  const error: McpConfigProblem | undefined =
    text === undefined
      ? undefined
      : {
          severity: 'error',
          ...origin,
          server: name,
          ...(wrong === undefined ? {} : { field: wrong.path[0] }),
          message: `the server "${name}": ${text}`,
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
  env: Environment | undefined,
  problems: McpConfigProblem[],
): ResolvedMcpServer {
  const written = entry as McpServerConfigForProcessTransport;
  const fields = { name, origin, written, shadows: others.map((other) => other.origin), readByClaudeCode };
  if (error !== undefined) return printable({ ...fields, config: undefined, error });
  // The CLI does not start with a server of this name.
  if (name === '__proto__') {
    const message = `the server "${name}": this name is reserved; give it another`;
    const reserved: McpConfigProblem = { severity: 'error', ...origin, server: name, message };
    problems.push(reserved);
    return printable({ ...fields, config: undefined, error: reserved });
  }
  if (written.type === 'sdk' || env === undefined) return printable({ ...fields, config: written, error });
  const { config, missing } = expandServer(written, env);
  const found = missing.map(
    ({ variable, field }): McpConfigProblem => ({
      severity: 'error',
      ...origin,
      server: name,
      field,
      variable,
      message:
        `the server "${name}": \`${field}\` needs the variable ${variable}, which is not set. ` +
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

/** Used by JSON and by `console.log` in Node. */
function printable(server: ResolvedMcpServer): ResolvedMcpServer {
  const { config, written } = server;
  const shown = (): object => ({
    ...server,
    // If the configuration is broken, it is unknown where its secrets are.
    written: config === undefined ? undefined : redactConfig(written),
    config: config === undefined ? undefined : redactConfig(config),
  });
  return Object.defineProperties(server, {
    toJSON: { value: shown },
    [Symbol.for('nodejs.util.inspect.custom')]: { value: shown },
  });
}
