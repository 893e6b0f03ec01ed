import { writeArguments } from '../../options/flags.js';
import { joinSettings } from '../../options/joined-settings.js';
import { unreadableSettings } from '../../options/places.js';
import type { AgentPlan } from '../../options/plan.js';
import { hostModule } from '../../protocol/base/host-process.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { type RuleKind, spelled } from '../../protocol/permissions/permission-rules.js';
import type { Settings, SettingsPermissions } from '../../protocol/wire/settings.js';
import { secretsToEnvironment } from './hidden-values.js';
import type { PrivateFiles } from './private-files.js';

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/** The arguments of a process on this machine. Anything secret or large goes into private files. */
export function localArguments(plan: AgentPlan, cwd: string | undefined, files: PrivateFiles): string[] {
  const { plan: short, rules } = withoutLongLists(withSpelledRules(plan));
  const settings = mergedSettings(short, cwd, rules);
  return [
    ...BASE,
    ...writeArguments(
      { ...short, settings, managedSettings: shownPolicy(short.managedSettings) },
      {
        ...asFile('mcpServers', serversFile(plan.mcpServers, files)),
        ...asFile('settings', settingsFile(settings, files)),
      },
    ),
  ];
}

/** The arguments of a process that may run where our files do not exist: secrets go into its environment. */
export function remoteArguments(plan: AgentPlan, cwd: string | undefined, env: NodeJS.ProcessEnv): string[] {
  const managedSettings = shownPolicy(plan.managedSettings);
  return openArguments(
    { ...plan, managedSettings, mcpServers: secretsToEnvironment(plan.mcpServers, env) },
    cwd,
  );
}

/** The complete arguments, secrets included, for an agent whose arguments nobody else can see. */
export function openArguments(plan: AgentPlan, cwd: string | undefined): string[] {
  const spelt = withSpelledRules(plan);
  return [...BASE, ...writeArguments({ ...spelt, settings: mergedSettings(spelt, cwd) })];
}

/** The CLI passes over a rule that it cannot read, also one that denies. */
function withSpelledRules(plan: AgentPlan): AgentPlan {
  const list = (texts: readonly string[], kind: RuleKind): string[] =>
    texts.map((text) => spelled(text, kind));
  const inside = <Given extends AgentPlan['settings']>(settings: Given): Given => {
    if (typeof settings !== 'object' || !isRecord(settings.permissions)) return settings;
    const permissions = { ...settings.permissions };
    for (const kind of KINDS) {
      const texts: unknown = permissions[kind];
      if (isListOfTexts(texts)) permissions[kind] = list(texts, kind);
    }
    return { ...settings, permissions };
  };
  return {
    ...plan,
    allowedTools: list(plan.allowedTools, 'allow'),
    disallowedTools: list(plan.disallowedTools, 'deny'),
    settings: inside(plan.settings),
    managedSettings: inside(plan.managedSettings),
  };
}

const KINDS: readonly RuleKind[] = ['allow', 'deny', 'ask'];

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
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

/** Whatever configures a server may be secret: arguments, the path of a URL, a header. */
function serversFile(servers: AgentPlan['mcpServers'], files: PrivateFiles): string | undefined {
  const json = JSON.stringify({ mcpServers: servers });
  const isOurs = Object.values(servers).every(({ type }) => type === 'sdk');
  return isOurs && json.length <= LIMITS.maxArgumentBytes ? undefined : files.write('mcp.json', json);
}

function settingsFile(settings: AgentPlan['settings'], files: PrivateFiles): string | undefined {
  if (settings === undefined || typeof settings === 'string') return undefined;
  return files.write('settings.json', JSON.stringify(settings));
}

/** The CLI takes only restrictions from a host's policy, and passes over these, which may be secret. */
const NO_RESTRICTION = [
  'env',
  'apiKeyHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'otelHeadersHelper',
  'proxyAuthHelper',
];

/** The policy can only be written on the command line: of a file the CLI would read nothing at all. */
function shownPolicy(policy: AgentPlan['managedSettings']): AgentPlan['managedSettings'] {
  if (policy === undefined) return undefined;
  return Object.fromEntries(Object.entries(policy).filter(([key]) => !NO_RESTRICTION.includes(key)));
}

/** The settings for a process: the user's own (a path or an object), merged with what other options add. */
function mergedSettings(
  { settings: own, sandbox }: AgentPlan,
  cwd: string | undefined,
  rules?: SettingsPermissions,
): AgentPlan['settings'] {
  const added: Settings = {
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(rules === undefined ? {} : { permissions: rules }),
  };
  const hasAdditions = Object.keys(added).length > 0;
  // The agent reads the file itself, unless something has to be added to it.
  if (typeof own === 'string') return hasAdditions ? joinSettings(readSettings(own, cwd), added) : own;
  const merged = own === undefined ? added : joinSettings(own, added);
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function readSettings(path: string, cwd: string | undefined): Settings {
  try {
    const files = hostModule('node:fs');
    const paths = hostModule('node:path');
    if (files === undefined || paths === undefined) throw new Error('there are no files here.');
    return JSON.parse(files.readFileSync(paths.resolve(cwd ?? '.', path), 'utf8'));
  } catch (error) {
    throw unreadableSettings(path, error);
  }
}

/** As words of the name: `--max-thinking-tokens` is none. */
const SECRET_NAME = /(key|token|secret|password|credentials?|auth)(-|$)/i;
const JSON_FLAGS = new Set(['--mcp-config', '--settings', '--managed-settings', '--json-schema', '--agents']);
const PROMPT_FLAGS = new Set(['--system-prompt', '--append-system-prompt']);
const SHOWN = 120;

/** A command line that is safe to show in an error: secret or long values are described, not printed. */
export function redactArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const previous = args[index - 1] ?? '';
    if (JSON_FLAGS.has(previous) && arg.trimStart().startsWith('{'))
      return `<JSON, ${arg.length} characters>`;
    if (PROMPT_FLAGS.has(previous)) return `<text, ${arg.length} characters>`;
    if (SECRET_NAME.test(previous) && previous.startsWith('--') && !arg.startsWith('--')) return '<redacted>';
    const [, flag, value] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
    if (flag !== undefined && value !== undefined) {
      if (SECRET_NAME.test(flag)) return `${flag}=<redacted>`;
      return value.length > SHOWN ? `${flag}=<${value.length} characters>` : arg;
    }
    return arg.length > SHOWN * 2 ? `<${arg.length} characters>` : arg;
  });
}
