import { isRecord } from '../../protocol/base/kinds.js';

type Check = readonly [expected: string, test: (value: unknown) => boolean];

const isText = (value: unknown): boolean => typeof value === 'string';
const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
const isListOf = (test: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(test);

const TEXT: Check = ['a string', isText];
const TEXTS: Check = ['a list of strings', isListOf(isText)];
const SWITCH: Check = ['true or false', (value) => typeof value === 'boolean'];
const RECORD: Check = ['an object', isRecord];
const VARIABLES: Check = [
  'an object of strings',
  (value) => isRecord(value) && Object.values(value).every(isScalar),
];
const SERVERS: Check = [
  'a list of { serverName }, { serverCommand } or { serverUrl }',
  isListOf(
    (entry) =>
      isRecord(entry) &&
      (isText(entry.serverName) || isText(entry.serverUrl) || TEXTS[1](entry.serverCommand)),
  ),
];
const HOOKS: Check = [
  'an object of lists of { matcher?, hooks: [{ type, … }] }',
  (value) => isRecord(value) && Object.values(value).every(isListOf(isHookMatcher)),
];

function isHookMatcher(entry: unknown): boolean {
  if (!isRecord(entry) || !(entry.matcher === undefined || isText(entry.matcher))) return false;
  return isListOf((hook) => isRecord(hook) && isText(hook.type))(entry.hooks);
}

/** Keys where a mistake would lose a restriction, or that the runtime acts on. */
const CHECKS: Readonly<Record<string, Check>> = {
  allowManagedHooksOnly: SWITCH,
  allowManagedMcpServersOnly: SWITCH,
  allowManagedPermissionRulesOnly: SWITCH,
  allowedMcpServers: SERVERS,
  availableModels: TEXTS,
  deniedMcpServers: SERVERS,
  deniedModels: TEXTS,
  disableAllHooks: SWITCH,
  disabledMcpjsonServers: TEXTS,
  env: VARIABLES,
  hooks: HOOKS,
  model: TEXT,
  permissions: RECORD,
  'permissions.additionalDirectories': TEXTS,
  'permissions.allow': TEXTS,
  'permissions.ask': TEXTS,
  'permissions.defaultMode': TEXT,
  'permissions.deny': TEXTS,
  'permissions.disableBypassPermissionsMode': TEXT,
  sandbox: RECORD,
  'sandbox.enabled': SWITCH,
};

/** Describes the first value of the wrong kind. The CLI ignores a whole file for one such value. */
export function shapeProblem(settings: unknown): string | undefined {
  if (!isRecord(settings)) return 'the settings must be an object';
  for (const [key, [expected, test]] of Object.entries(CHECKS)) {
    const value = valueAt(settings, key);
    if (value !== undefined && !test(value)) return `\`${key}\` must be ${expected}`;
  }
  return undefined;
}

/** The value at a path such as `permissions.deny`, or undefined. */
export function valueAt(settings: Readonly<Record<string, unknown>>, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (isRecord(value) ? value[part] : undefined), settings);
}
