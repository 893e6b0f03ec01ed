import { join, resolve } from 'node:path';
import { configDirectory } from '../../protocol/base/user-directories.js';
import type { SettingSource } from '../../protocol/wire/settings.js';
import type { Environment } from '../variables.js';
import { checkedSettings, type SettingsFile, takeFile } from './given-layers.js';
import type { ReadLayers, ReadLayersOptions, SettingsLayer } from './layer.js';
import { readPolicy } from './policy.js';
import { parseSettings, readSettings } from './read-settings.js';
import { isTrusted } from './trust.js';

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];

/** Reads the settings of all sources. One reader for the public functions and for the runtime. */
export function readLayers(options: ReadLayersOptions = {}): ReadLayers {
  const { env = process.env, settings, settingSources } = options;
  const cwd = resolve(options.cwd ?? process.cwd());
  const read: ReadLayers = { layers: [], problems: [], hasUntrustedRules: false, didNotLoad: [] };
  const take = (where: Pick<SettingsLayer, 'source' | 'path'>, file: SettingsFile): void =>
    takeFile(read, where, file);
  for (const source of SOURCES) {
    if (settingSources != null && !settingSources.includes(source)) continue;
    const path = pathOf(source, cwd, env);
    take({ source, path }, readSettings(path));
  }
  if (typeof settings === 'string' && settings.trimStart().startsWith('{')) {
    take({ source: 'flag' }, parseSettings(settings));
  } else if (typeof settings === 'string') {
    const path = resolve(cwd, settings);
    const file = readSettings(path);
    const isMissing = file.settings === undefined && file.problem === undefined;
    take({ source: 'flag', path }, isMissing ? { problem: 'does not exist' } : file);
  } else if (settings != null) take({ source: 'flag' }, checkedSettings(settings));
  const managed = checkedSettings(options.managedSettings ?? {});
  if (managed.problem !== undefined) take({ source: 'managed' }, managed);
  const policy = readPolicy(configDirectory(env), {
    ...options,
    managedSettings: managed.problem === undefined ? options.managedSettings : undefined,
  });
  if (policy.layer !== undefined) read.layers.push(policy.layer);
  read.problems.push(...policy.problems);
  read.didNotLoad.push(...policy.didNotLoad);
  const hasProjectRules = read.layers.some(
    (layer) => layer.source === 'project' && layer.settings.permissions?.allow !== undefined,
  );
  read.hasUntrustedRules = hasProjectRules && !isTrusted(cwd, env);
  return read;
}

function pathOf(source: SettingSource, cwd: string, env: Environment): string {
  if (source === 'user') return join(configDirectory(env), 'settings.json');
  return join(cwd, '.claude', source === 'project' ? 'settings.json' : 'settings.local.json');
}
