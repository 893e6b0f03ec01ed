import { basename, extname } from 'node:path';
import {
  type AnyTool,
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  OptionError,
} from '../../index.js';

/** An in-process server of a file. */
export interface FoundServer {
  name: string;
  config: McpSdkServerConfigWithInstance;
  /** Its tools, if known. */
  tools: string[];
}

/** With more tools, their descriptions would crowd out the task; Claude Code then finds them by search. */
const ALWAYS_LOAD_UP_TO = 30;

/**
 * The servers in a module: the default export, or else every named one. Each may be a tool, a list of tools
 * or a server. Tools without a server get one, named after the file.
 */
export function serversIn(module: Record<string, unknown>, file: string, option: string): FoundServer[] {
  const exported = 'default' in module ? [module.default] : Object.values(module);
  const servers: FoundServer[] = [];
  const tools: AnyTool[] = [];
  for (const value of exported) {
    if (isServer(value)) servers.push({ name: value.name, config: value, tools: toolNames(value) });
    else if (isTool(value)) tools.push(value);
    else if (Array.isArray(value) && value.length > 0 && value.every(isTool)) tools.push(...value);
    else if ('default' in module) throw unusable(value, 'its default export', file, option);
  }
  // Files often export both a list of tools and each of them, or a server and its tools.
  const free = [...new Set(tools)].filter((tool) => !servers.some((server) => holds(server.config, tool)));
  if (free.length > 0) servers.push(serverOf(free, file));
  if (servers.length === 0) throw noTools(module, file, option);
  checkNames(servers, file, option);
  return servers;
}

function serverOf(tools: readonly AnyTool[], file: string): FoundServer {
  const name = basename(file, extname(file)).replaceAll(/[^a-zA-Z0-9_-]+/g, '_') || 'tools';
  const config = createSdkMcpServer({
    name,
    tools: [...tools],
    alwaysLoad: tools.length <= ALWAYS_LOAD_UP_TO,
  });
  return { name, config, tools: tools.map((tool) => tool.name) };
}

function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema, handler } = value as Partial<AnyTool>;
  return typeof name === 'string' && inputSchema !== undefined && typeof handler === 'function';
}

function isServer(value: unknown): value is McpSdkServerConfigWithInstance {
  if (typeof value !== 'object' || value === null) return false;
  const { type, name, instance } = value as Partial<McpSdkServerConfigWithInstance>;
  return type === 'sdk' && typeof name === 'string' && typeof instance?.connect === 'function';
}

/** Structural: the file may use another copy of Tenon, or another SDK. */
interface Registry {
  names?: string[];
  get?(name: string): unknown;
}

function registryOf({ instance }: McpSdkServerConfigWithInstance): Registry {
  return ((instance as { tools?: unknown }).tools as Registry | undefined) ?? {};
}

function toolNames(server: McpSdkServerConfigWithInstance): string[] {
  return registryOf(server).names ?? [];
}

function holds(server: McpSdkServerConfigWithInstance, tool: AnyTool): boolean {
  return registryOf(server).get?.(tool.name) === tool;
}

function checkNames(servers: readonly FoundServer[], file: string, option: string): void {
  const duplicate = servers.find(
    ({ name }, index) => servers.findIndex((other) => other.name === name) !== index,
  );
  if (duplicate === undefined) return;
  throw new OptionError(
    option,
    file,
    `${option} "${file}" has two servers named "${duplicate.name}". Give one of them another name.`,
  );
}

const EXPECTED = 'Export tools (from tool()), an array of them, or a server (from createSdkMcpServer()).';

function unusable(value: unknown, what: string, file: string, option: string): OptionError {
  return new OptionError(option, file, `${option} "${file}": ${what} is ${kindOf(value)}. ${EXPECTED}`);
}

function noTools(module: Record<string, unknown>, file: string, option: string): OptionError {
  const names = Object.entries(module).map(([name, value]) => `${name} (${kindOf(value)})`);
  const found = names.length === 0 ? 'exports nothing' : `exports no tools, only ${names.join(', ')}`;
  return new OptionError(option, file, `${option} "${file}" ${found}. ${EXPECTED}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array of something else';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
