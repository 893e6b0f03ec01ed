import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { InitializeRequest } from '../../protocol/control-requests.js';
import { messageOf, OptionError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import type { McpServerConfigForProcessTransport } from '../../protocol/mcp.js';
import type { SplitServers } from '../mcp/split-servers.js';
import { placeOptions } from '../option-table.js';
import type { Options } from '../options.js';
import { childEnvironment } from './environment.js';
import { adaptToVersion } from './older-versions.js';
import type { PrivateFiles } from './private-files.js';

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

export interface CommandLine {
  args: string[];
  env: NodeJS.ProcessEnv;
  initialize: InitializeRequest;
}

/** Arguments, environment and `initialize` fields of one conversation. Nothing secret or large is in the arguments. */
export function commandLine(
  options: Options,
  servers: SplitServers,
  announcement: InitializeRequest,
  version: string | undefined,
  files: PrivateFiles,
): CommandLine {
  const placed = placeOptions(options);
  const initialize: InitializeRequest = { ...announcement, ...placed.initialize };
  const mcpServers: Record<string, McpServerConfigForProcessTransport> = { ...servers.process };
  for (const name of servers.contested) mcpServers[name] = { type: 'sdk', name };
  const plan = {
    args: placed.args,
    initialize,
    mcpServers,
    sdkServerNames: Object.keys(servers.inProcess),
    settings: placed.settings,
  };
  adaptToVersion(plan, version);
  const env = childEnvironment(options.env, placed.env);
  // A process that somebody else starts may run where our files are not: then the environment has to carry what is
  // secret. A runtime is no process: nobody else sees its arguments.
  const isProcess = options.runtime == null;
  const remote = !isProcess || options.spawnClaudeCodeProcess !== undefined;
  const settings = { ...placed.settings };
  const args = [
    ...BASE,
    ...(remote ? mergeLists(plan.args) : moveLongLists(mergeLists(plan.args), settings)),
  ];
  if (Object.keys(plan.mcpServers).length > 0) {
    const config = remote && isProcess ? secretsToEnvironment(plan.mcpServers, env) : plan.mcpServers;
    const json = JSON.stringify({ mcpServers: config });
    args.push(
      '--mcp-config',
      remote || !needsFile(plan.mcpServers, json) ? json : files.write('mcp.json', json),
    );
  }
  return { args: withSettings(args, settings, options, remote, files), env, initialize };
}

/** `--allowedTools` can come from two options (`allowedTools`, `skills`): one flag with both. */
function mergeLists(args: readonly string[]): string[] {
  const merged: string[] = [];
  for (const arg of args) {
    const earlier = merged.findIndex((other) => arg.startsWith(ALLOWED) && other.startsWith(ALLOWED));
    if (earlier === -1) merged.push(arg);
    else merged[earlier] = `${merged[earlier]},${arg.slice(ALLOWED.length)}`;
  }
  return merged;
}

const ALLOWED = '--allowedTools=';
const LISTS: readonly [flag: string, key: 'allow' | 'deny'][] = [
  [ALLOWED, 'allow'],
  ['--disallowedTools=', 'deny'],
];

/** Hundreds of rules do not fit on a command line; as settings they mean the same. */
function moveLongLists(args: readonly string[], settings: Record<string, unknown>): string[] {
  return args.filter((arg) => {
    const list = LISTS.find(([flag]) => arg.startsWith(flag));
    if (list === undefined || arg.length <= LIMITS.maxArgumentBytes) return true;
    const [flag, key] = list;
    const permissions = (settings.permissions ?? {}) as Record<string, unknown>;
    const rules = [
      ...((permissions[key] as string[] | undefined) ?? []),
      ...arg.slice(flag.length).split(','),
    ];
    settings.permissions = { ...permissions, [key]: rules };
    return false;
  });
}

function needsFile(servers: Record<string, McpServerConfigForProcessTransport>, json: string): boolean {
  if (json.length > LIMITS.maxArgumentBytes) return true;
  return Object.values(servers).some((config) => 'env' in config || 'headers' in config);
}

/** Values of `env` and `headers` become `${NAME}`, which the CLI replaces from its environment. */
function secretsToEnvironment(
  servers: Record<string, McpServerConfigForProcessTransport>,
  env: NodeJS.ProcessEnv,
): object {
  let count = 0;
  const hide = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        // A value with a variable in it is for the CLI to replace, and it replaces only once.
        if (value.includes('${')) return [key, value];
        const name = `TENON_MCP_VALUE_${count++}`;
        env[name] = value;
        return [key, `\${${name}}`];
      }),
    );
  return Object.fromEntries(
    Object.entries(servers).map(([name, config]) => [
      name,
      {
        ...config,
        ...('env' in config && config.env ? { env: hide(config.env) } : {}),
        ...('headers' in config && config.headers ? { headers: hide(config.headers) } : {}),
      },
    ]),
  );
}

/** One `--settings`: the user's own (a path or an object) with what other options put there. */
function withSettings(
  args: string[],
  settings: Record<string, unknown>,
  options: Options,
  remote: boolean,
  files: PrivateFiles,
): string[] {
  const given = args.indexOf('--settings');
  const own = given === -1 ? '' : (args[given + 1] ?? '');
  if (Object.keys(settings).length === 0 && !isJson(own)) return args;
  let merged = settings;
  let rest = args;
  if (given !== -1) {
    merged = mergeSettings(readSettings(own, options.cwd), settings);
    rest = args.toSpliced(given, 2);
  }
  const json = JSON.stringify(merged);
  const inline = remote || (json.length <= LIMITS.maxArgumentBytes && !('env' in merged));
  return [...rest, '--settings', inline ? json : files.write('settings.json', json)];
}

/** What options put there wins over the user's file, but rules add up: a lost `deny` would allow. */
function mergeSettings(
  own: Record<string, unknown>,
  added: Record<string, unknown>,
): Record<string, unknown> {
  type Rules = Record<string, unknown[] | undefined>;
  const [ownRules, addedRules] = [own.permissions, added.permissions] as (Rules | undefined)[];
  const merged = { ...own, ...added };
  if (!ownRules || !addedRules) return merged;
  const both = (key: 'allow' | 'deny') => [...(ownRules[key] ?? []), ...(addedRules[key] ?? [])];
  return { ...merged, permissions: { ...ownRules, allow: both('allow'), deny: both('deny') } };
}

function readSettings(pathOrJson: string, cwd: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(
      isJson(pathOrJson) ? pathOrJson : readFileSync(resolve(cwd ?? '.', pathOrJson), 'utf8'),
    );
  } catch (error) {
    throw new OptionError(
      'settings',
      pathOrJson,
      `settings: "${pathOrJson.slice(0, 200)}" could not be read: ${messageOf(error)}`,
    );
  }
}

function isJson(pathOrJson: string): boolean {
  return pathOrJson.trimStart().startsWith('{');
}
