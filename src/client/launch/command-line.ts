import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import { writeArguments } from '../../options/flags.js';
import type { AgentPlan } from '../../options/plan.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Settings } from '../../protocol/wire/settings.js';
import type { PrivateFiles } from './private-files.js';
import { mergedSettings } from './settings-argument.js';

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/** The arguments of a process on this machine. Anything secret or large goes into private files. */
export function localArguments(plan: AgentPlan, cwd: string | undefined, files: PrivateFiles): string[] {
  const { plan: short, rules } = withoutLongLists(plan);
  const settings = mergedSettings(short, cwd, rules);
  return [
    ...BASE,
    ...writeArguments(
      { ...short, settings },
      {
        ...asFile('mcpServers', serversFile(plan.mcpServers, files)),
        ...asFile('settings', settingsFile(settings, files)),
      },
    ),
  ];
}

/** The arguments of a process that may run where our files do not exist: secrets go into its environment. */
export function remoteArguments(plan: AgentPlan, cwd: string | undefined, env: NodeJS.ProcessEnv): string[] {
  return openArguments({ ...plan, mcpServers: secretsToEnvironment(plan.mcpServers, env) }, cwd);
}

/** The complete arguments, secrets included, for an agent whose arguments nobody else can see. */
export function openArguments(plan: AgentPlan, cwd: string | undefined): string[] {
  return [...BASE, ...writeArguments({ ...plan, settings: mergedSettings(plan, cwd) })];
}

function asFile<Field extends string>(field: Field, path: string | undefined): { [Key in Field]?: string } {
  return (path === undefined ? {} : { [field]: path }) as { [Key in Field]?: string };
}

const LISTS = [
  ['allowedTools', 'allow'],
  ['disallowedTools', 'deny'],
] as const;

/** Hundreds of rules do not fit on a command line; in the settings they have the same meaning. */
function withoutLongLists(plan: AgentPlan): { plan: AgentPlan; rules: Settings['permissions'] } {
  const short = { ...plan };
  let rules: Settings['permissions'];
  for (const [field, key] of LISTS) {
    if (plan[field].join(',').length + `--${field}=`.length <= LIMITS.maxArgumentBytes) continue;
    rules = { ...rules, [key]: [...plan[field]] };
    short[field] = [];
  }
  return { plan: short, rules };
}

function serversFile(servers: AgentPlan['mcpServers'], files: PrivateFiles): string | undefined {
  const json = JSON.stringify({ mcpServers: servers });
  const hasSecrets = Object.values(servers).some((config) => 'env' in config || 'headers' in config);
  return hasSecrets || json.length > LIMITS.maxArgumentBytes ? files.write('mcp.json', json) : undefined;
}

function settingsFile(settings: AgentPlan['settings'], files: PrivateFiles): string | undefined {
  if (settings === undefined || typeof settings === 'string') return undefined;
  const json = JSON.stringify(settings);
  return 'env' in settings || json.length > LIMITS.maxArgumentBytes
    ? files.write('settings.json', json)
    : undefined;
}

/** Values of `env` and `headers` become `${NAME}`, which the CLI replaces from its environment. */
function secretsToEnvironment(
  servers: AgentPlan['mcpServers'],
  env: NodeJS.ProcessEnv,
): Record<string, McpServerConfigForProcessTransport> {
  let count = 0;
  const hide = (values: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        // A value that contains a variable is left for the CLI to expand: it expands only once.
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
