import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../protocol/settings.js';
import { readSettings } from './read-settings.js';
import type { PolicySettingsOrigin, ResolvedSettings, ResolveSettingsOptions } from './resolved-settings.js';

interface Policy {
  source: ResolvedSettings['sources'][number] | undefined;
  didNotLoad: ('profile' | 'registry' | 'file')[];
}

/**
 * What the administrator of the machine has set. There is one policy: that of the server, else that of the machine's
 * files, else that of the program. Profiles of macOS and the registry of Windows are not read, and the result says so.
 */
export async function readPolicy(configDirectory: string, options: ResolveSettingsOptions): Promise<Policy> {
  const server =
    options.serverManagedSettings ?? (await readSettings(join(configDirectory, 'remote-settings.json')));
  const candidates: [PolicySettingsOrigin, Settings | undefined, path?: string][] = [
    ['remote', server],
    ['file', await machineFiles(), join(machineFolder(), 'managed-settings.json')],
    ['parent', restrictive(options.managedSettings)],
  ];
  const found = candidates.find(([, settings]) => settings !== undefined && Object.keys(settings).length > 0);
  const [policyOrigin, settings, path] = found ?? [];
  return {
    source:
      policyOrigin === undefined || settings === undefined
        ? undefined
        : { source: 'managed', settings, policyOrigin, ...(path === undefined ? {} : { path }) },
    didNotLoad: UNREAD[process.platform] ?? [],
  };
}

const UNREAD: Partial<Record<NodeJS.Platform, Policy['didNotLoad']>> = {
  darwin: ['profile'],
  win32: ['registry'],
};

function machineFolder(): string {
  if (process.platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return process.platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
}

/** `managed-settings.json`, and over it what is dropped into the folder beside it, in the order of the names. */
async function machineFiles(): Promise<Settings | undefined> {
  const dropIns = join(machineFolder(), 'managed-settings.d');
  const names = (await readdir(dropIns).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
  const paths = [join(machineFolder(), 'managed-settings.json'), ...names.map((name) => join(dropIns, name))];
  const all = await Promise.all(paths.map(readSettings));
  return all.some((settings) => settings !== undefined) ? Object.assign({}, ...all) : undefined;
}

/** Keys with which a program can only take something away. */
const RESTRICTIVE = [
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
  'allowManagedPermissionRulesOnly',
  'allowedMcpServers',
  'availableModels',
  'deniedMcpServers',
  'deniedModels',
  'strictKnownMarketplaces',
];
const RESTRICTIVE_PERMISSIONS = ['deny', 'ask', 'disableBypassPermissionsMode', 'disableAutoMode'];

function restrictive(given: Settings | undefined): Settings | undefined {
  if (given === undefined) return undefined;
  const { permissions = {}, sandbox } = given;
  // Rules that allow restrict too, where no others count.
  const rules =
    given.allowManagedPermissionRulesOnly === true
      ? [...RESTRICTIVE_PERMISSIONS, 'allow']
      : RESTRICTIVE_PERMISSIONS;
  const kept = pick(permissions, rules);
  return {
    ...pick(given, RESTRICTIVE),
    ...(Object.keys(kept).length === 0 ? {} : { permissions: kept }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}
