import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRecord } from '../../protocol/kinds.js';
import type { Settings } from '../../protocol/settings.js';
import type { SettingSource } from '../options.js';
import { readPolicy } from './policy.js';
import { readSettings } from './read-settings.js';
import type { ProvenanceEntry, ResolvedSettings, ResolveSettingsOptions } from './resolved-settings.js';

const SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];

export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const wanted = new Set(options.settingSources ?? SOURCES);
  const sources: ResolvedSettings['sources'] = [];
  for (const source of SOURCES.filter((each) => wanted.has(each))) {
    const path = pathOf(source, cwd);
    const settings = await readSettings(path);
    if (settings !== undefined && Object.keys(settings).length > 0) sources.push({ source, settings, path });
  }
  const policy = await readPolicy(configDirectory(), options);
  if (policy.source !== undefined) sources.push(policy.source);
  const effective = sources.reduce<Settings>(
    (merged, { settings }) => merge(merged, settings) as Settings,
    {},
  );
  return {
    effective,
    provenance: provenanceOf(sources),
    sources,
    machinePolicy: { didNotLoad: policy.didNotLoad.length === 0 ? false : policy.didNotLoad },
  };
}

function pathOf(source: SettingSource, cwd: string): string {
  if (source === 'user') return join(configDirectory(), 'settings.json');
  return join(cwd, '.claude', source === 'project' ? 'settings.json' : 'settings.local.json');
}

function configDirectory(): string {
  return process.env.CLAUDE_CONFIG_DIR ?? join(process.env.HOME ?? homedir(), '.claude');
}

/** Lists add up, objects go into each other, anything else is replaced. */
function merge(weaker: unknown, stronger: unknown): unknown {
  if (Array.isArray(weaker) && Array.isArray(stronger)) {
    const seen = new Set<string>();
    return [...weaker, ...stronger].filter((item) => {
      const text = JSON.stringify(item);
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    });
  }
  if (!isRecord(weaker) || !isRecord(stronger)) return stronger;
  const merged: Record<string, unknown> = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    merged[key] = key in merged ? merge(merged[key], value) : value;
  }
  return merged;
}

function provenanceOf(sources: ResolvedSettings['sources']): ResolvedSettings['provenance'] {
  const provenance: Record<string, ProvenanceEntry> = {};
  for (const { settings, ...where } of sources) {
    for (const key of Object.keys(settings)) provenance[key] = where;
  }
  return provenance;
}
