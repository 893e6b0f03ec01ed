// `tenon` where there is no Node: the same names. Types are those of index.ts. What needs processes or files throws.

import { explainWith, type PermissionsExplanation } from './client/explain-permissions.js';
import { portableMachine } from './client/launch/portable-machine.js';
import { openSession, type Session } from './client/query/create-session.js';
import { type QueryParameters, runQuery } from './client/query/open-agent.js';
import type { Query } from './client/query/query-type.js';
import { type ResolvedMcpConfig, resolveServers } from './config/resolve-servers.js';
import { givenLayers } from './config/settings/given-layers.js';
import { childEnvironment } from './options/environment.js';
import type { Options } from './options/options.js';
import { TenonError } from './protocol/base/errors.js';

export { content } from './authoring/results/content.js';
export { createSdkMcpServer } from './authoring/server/sdk-mcp-server.js';
export { tool } from './authoring/tool/tool.js';
export { isSuccess, ResultError } from './client/query/results.js';
export { McpConfigError } from './config/problems.js';
export { EXECUTABLE_VARIABLE } from './options/environment.js';
export {
  AbortError,
  ControlError,
  ControlTimeoutError,
  OptionError,
  ProcessError,
  TenonError,
} from './protocol/base/errors.js';
export { EXIT_REASONS, HOOK_EVENTS } from './protocol/wire/hooks.js';
export {
  BUILTIN_TOOL_NAMES,
  LEGACY_TOOL_NAME_ALIASES,
  ORG_POLICY_LIMIT_PREFIXES,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from './protocol/wire/names.js';
export { InMemorySessionStore } from './sessions/memory-session-store.js';
export { lastEntryId, SessionConflictError } from './sessions/session-conflict.js';
export { foldSessionSummary } from './sessions/summary.js';

/** Runs an agent. Without processes that is one with `options.runtime`. */
export function query(parameters: QueryParameters): Query {
  return runQuery(parameters, portableMachine);
}

/** Opens a conversation that stays open. */
export function createSession(options: Options = {}): Session {
  return openSession(options, query);
}

/** Which tools an agent with these options would have, and who decides about their calls. There are no files of settings. */
export function explainPermissions(options: Options = {}): PermissionsExplanation {
  return explainWith(givenLayers, options);
}

/** Which MCP servers an agent with these options will have: those of the options, as there are no files. */
export function resolveMcpConfig(options: Options = {}): ResolvedMcpConfig {
  const { mcpServers = {}, env, strictMcpConfig, hermetic } = options;
  const isStrict = (strictMcpConfig || hermetic) === true;
  return resolveServers(
    { mcpServers: mcpServers ?? {}, env: childEnvironment(env ?? undefined, {}), isStrict },
    [],
  );
}

export const archiveSession: () => never = needsNode('archiveSession');
export const deleteSession: () => never = needsNode('deleteSession');
export const fileSessionStore: () => never = needsNode('fileSessionStore');
export const filterEscalatingDefaultMode: () => never = needsNode('filterEscalatingDefaultMode');
export const findClaudeCode: () => never = needsNode('findClaudeCode');
export const forkSession: () => never = needsNode('forkSession');
export const getSessionInfo: () => never = needsNode('getSessionInfo');
export const getSessionMessages: () => never = needsNode('getSessionMessages');
export const getSubagentMessages: () => never = needsNode('getSubagentMessages');
export const importSessionToStore: () => never = needsNode('importSessionToStore');
export const listSessions: () => never = needsNode('listSessions');
export const listSubagents: () => never = needsNode('listSubagents');
export const matchDeniedModels: () => never = needsNode('matchDeniedModels');
export const prewarm: () => never = needsNode('prewarm');
export const proxyMcpServer: () => never = needsNode('proxyMcpServer');
export const renameSession: () => never = needsNode('renameSession');
export const resolveSettings: () => never = needsNode('resolveSettings');
export const serveHttp: () => never = needsNode('serveHttp');
export const serveStdio: () => never = needsNode('serveStdio');
export const startup: () => never = needsNode('startup');
export const tagSession: () => never = needsNode('tagSession');
export const unarchiveSession: () => never = needsNode('unarchiveSession');
export const warmPool: () => never = needsNode('warmPool');

function needsNode(name: string): () => never {
  return () => {
    throw new TenonError(
      'NOT_SUPPORTED',
      `${name}() needs processes or files, and there are none here. Where there are, a bundler took the files of "tenon" that are meant for workers and browsers.`,
    );
  };
}
