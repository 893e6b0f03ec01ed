import { toolInvocation } from '../../mcp/call-middleware.js';
import { errorResult } from '../../mcp/error-result.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND } from '../../mcp/json-rpc/codes.js';
import { JsonRpcFault } from '../../mcp/json-rpc/fault.js';
import { invalidParams } from '../../mcp/json-rpc/message.js';
import type { CallToolResult } from '../../mcp/types.js';
import { negotiateProtocolVersion } from '../../mcp/versions.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { keepBlocksBesideStructure } from '../results/tool-result.js';
import { callTool, unknownToolResult } from '../tool/call-tool.js';
import { reconcileTool } from '../tool/reconcile-tool.js';
import type { AnyTool } from '../tool/tool.js';
import { type CallScope, LOG_LEVELS, type LogLevel } from '../tool/tool-context.js';
import { promptMessages } from './prompts.js';
import type { SdkMcpServer } from './sdk-mcp-server.js';
import type { Audience } from './tool-registry.js';

type Params = Record<string, unknown>;
type Result = Record<string, unknown>;

/** What a method needs from the connection it was called on. */
export interface MethodScope extends CallScope {
  readonly audience: Audience;
  readonly clientInfo: (name: unknown) => void;
  readonly setLogLevel: (level: LogLevel) => void;
  readonly subscriptions: Set<string>;
}

type Method = (server: SdkMcpServer, params: Params, scope: MethodScope) => Result | Promise<Result>;

const ITEMS_PER_PAGE = 1000;
const MAX_COMPLETIONS = 100;

/** Every method that an in-process server serves, one row each. */
const METHODS: Record<string, Method> = {
  initialize: (server, { protocolVersion, clientInfo }, scope) => {
    scope.clientInfo(isRecord(clientInfo) ? clientInfo.name : undefined);
    return server.initializeResult(negotiateProtocolVersion(protocolVersion));
  },
  ping: () => ({}),
  'logging/setLevel': (_server, { level }, scope) => {
    if (!LOG_LEVELS.includes(level as LogLevel)) {
      throw new JsonRpcFault(INVALID_PARAMS, `Unknown log level: ${JSON.stringify(level)}`);
    }
    scope.setLogLevel(level as LogLevel);
    return {};
  },
  'tools/list': async (server, { cursor }, scope) =>
    page('tools', await server.listTools(scope.audience), cursor),
  'tools/call': callNamedTool,
  'resources/list': async (server, { cursor }) => page('resources', await server.resources.list(), cursor),
  'resources/templates/list': (server, { cursor }) =>
    page('resourceTemplates', server.resources.listTemplates(), cursor),
  'resources/read': readResource,
  'resources/subscribe': (_server, { uri }, scope) => {
    scope.subscriptions.add(text(uri, 'uri'));
    return {};
  },
  'resources/unsubscribe': (_server, { uri }, scope) => {
    scope.subscriptions.delete(text(uri, 'uri'));
    return {};
  },
  'prompts/list': (server, { cursor }) => page('prompts', server.prompts.list(), cursor),
  'prompts/get': getPrompt,
  'completion/complete': complete,
};

export function runMethod(
  name: string,
  server: SdkMcpServer,
  params: Params,
  scope: MethodScope,
): Result | Promise<Result> {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (method === undefined) throw new JsonRpcFault(METHOD_NOT_FOUND, `Method not found: ${name}`);
  return method(server, params, scope);
}

async function callNamedTool(server: SdkMcpServer, params: Params, scope: MethodScope): Promise<Result> {
  const name = text(params.name, 'name');
  const args = argumentsOf(params, 'tools/call');
  const tool = server.tools.get(name);
  if (tool === undefined) return unknownToolResult(name, server.tools.names);
  const result = await call(server, tool, args, scope);
  const isForCli = scope.audience === 'claude-code';
  const shown = isForCli ? keepBlocksBesideStructure(result) : result;
  const maxChars = server.tools.maxResultChars(tool);
  const cut = maxChars === undefined ? shown : server.longResults.cut(shown, maxChars);
  if (cut === shown || !isForCli) return cut;
  // The CLI would show the model the whole structure, in place of the text that was cut.
  const { structuredContent: _tooLong, ...withoutStructure } = cut;
  return withoutStructure;
}

/** Never rejects, whatever the middleware does. */
function call(
  server: SdkMcpServer,
  tool: AnyTool,
  args: Params,
  scope: MethodScope,
): Promise<CallToolResult> {
  const limits = { timeoutMs: tool.timeout ?? server.timeout, server };
  if (scope.meta['tenon/reconcile'] === true) return reconcileTool(tool, args, scope, limits);
  const { middleware } = server;
  if (middleware === undefined) return callTool(tool, args, scope, limits);
  return middleware(toolInvocation(server.name, tool.name, args, scope), (input) =>
    callTool(tool, input, scope, limits),
  ).catch((error) => errorResult(messageOf(error)));
}

async function readResource(server: SdkMcpServer, params: Params, scope: MethodScope): Promise<Result> {
  const uri = text(params.uri, 'uri');
  const rest = server.longResults.read(uri);
  if (rest !== undefined) return { contents: [rest] };
  const contents = await server.resources.read(uri, {
    signal: scope.cancellation.signal,
    sessionId: scope.sessionId,
  });
  if (contents === undefined) throw new JsonRpcFault(RESOURCE_NOT_FOUND, `Resource not found: ${uri}`);
  return { contents };
}

async function getPrompt(server: SdkMcpServer, params: Params, scope: MethodScope): Promise<Result> {
  const name = text(params.name, 'name');
  const prompt = server.prompts.get(name);
  if (prompt === undefined) throw new JsonRpcFault(INVALID_PARAMS, `Prompt not found: ${name}`);
  const args = argumentsOf(params, 'prompts/get') as Record<string, string>;
  const missing = (prompt.arguments ?? []).filter((each) => each.required && !Object.hasOwn(args, each.name));
  if (missing.length > 0) {
    const names = missing.map((each) => each.name).join(', ');
    throw new JsonRpcFault(INVALID_PARAMS, `Prompt "${name}" needs the argument ${names}.`);
  }
  const messages = promptMessages(await prompt.get(args, { signal: scope.cancellation.signal }));
  return { ...(prompt.description === undefined ? {} : { description: prompt.description }), messages };
}

async function complete(server: SdkMcpServer, params: Params): Promise<Result> {
  const reference = isRecord(params.ref) ? params.ref : {};
  const argument = isRecord(params.argument) ? params.argument : {};
  const name = text(argument.name, 'argument.name');
  const value = text(argument.value ?? '', 'argument.value');
  let proposals: readonly string[];
  if (reference.type === 'ref/prompt') {
    proposals = await server.prompts.complete(text(reference.name, 'ref.name'), name, value);
  } else if (reference.type === 'ref/resource') {
    proposals = await server.resources.complete(text(reference.uri, 'ref.uri'), name, value);
  } else {
    throw new JsonRpcFault(INVALID_PARAMS, `Unknown reference: ${JSON.stringify(reference.type)}`);
  }
  const values = proposals.slice(0, MAX_COMPLETIONS);
  return { completion: { values, total: proposals.length, hasMore: proposals.length > values.length } };
}

function page(key: string, items: readonly unknown[], cursor: unknown): Result {
  if (cursor !== undefined && !(typeof cursor === 'string' && /^\d+$/.test(cursor))) {
    throw new JsonRpcFault(INVALID_PARAMS, `Invalid cursor: ${JSON.stringify(cursor)}`);
  }
  const start = Number(cursor ?? 0);
  const end = start + ITEMS_PER_PAGE;
  const shown = items.slice(start, end);
  return end < items.length ? { [key]: shown, nextCursor: String(end) } : { [key]: shown };
}

function argumentsOf(params: Params, method: string): Params {
  const args = params.arguments ?? {};
  if (isRecord(args)) return args;
  throw invalidParams(method, 'arguments', args);
}

function text(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  throw new JsonRpcFault(INVALID_PARAMS, `\`${field}\` must be a string; it is ${JSON.stringify(value)}.`);
}
