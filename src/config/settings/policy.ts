import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../protocol/wire/settings.js';
import { restrictivePart } from './host-policy.js';
import type { ReadLayers, ReadLayersOptions, SettingsLayer, SettingsProblem } from './layer.js';
import { readSettings } from './read-settings.js';
import type { PolicySettingsOrigin } from './resolved-settings.js';

export interface Policy extends Pick<ReadLayers, 'problems' | 'didNotLoad'> {
  layer: SettingsLayer | undefined;
}

type PolicyOptions = Pick<ReadLayersOptions, 'managedSettings' | 'serverManagedSettings'>;

/**
 * The administrator's settings. There is one policy: the server's, otherwise that of the machine's files,
 * otherwise the program's. macOS profiles and the Windows registry are not read, and the result says so.
 */
export function readPolicy(configDirectory: string, options: PolicyOptions): Policy {
  const problems: SettingsProblem[] = [];
  const read = (path: string): Settings | undefined => {
    const { settings, problem } = readSettings(path);
    if (problem !== undefined) problems.push({ source: 'managed', place: path, message: problem });
    return settings;
  };
  const server = options.serverManagedSettings ?? read(join(configDirectory, 'remote-settings.json'));
  const candidates: [PolicySettingsOrigin, Settings | undefined, path?: string][] = [
    ['remote', server],
    ['file', machineFiles(read), join(machineFolder(), 'managed-settings.json')],
    ['parent', restrictivePart(options.managedSettings)],
  ];
  const found = candidates.find(([, settings]) => settings !== undefined && Object.keys(settings).length > 0);
  const [policyOrigin, settings, path] = found ?? [];
  return {
    layer:
      policyOrigin === undefined || settings === undefined
        ? undefined
        : { source: 'managed', settings, policyOrigin, ...(path === undefined ? {} : { path }) },
    problems,
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

/** `managed-settings.json`, overridden by the files in the folder next to it, in order of their names. */
function machineFiles(read: (path: string) => Settings | undefined): Settings | undefined {
  const dropIns = join(machineFolder(), 'managed-settings.d');
  const paths = [
    join(machineFolder(), 'managed-settings.json'),
    ...jsonFilesIn(dropIns).map((name) => join(dropIns, name)),
  ];
  const all = paths.map(read);
  return all.some((settings) => settings !== undefined) ? Object.assign({}, ...all) : undefined;
}

function jsonFilesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch {
    return [];
  }
}
