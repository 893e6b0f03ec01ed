import { mergeLayers } from './layer.js';
import { readLayers } from './read-layers.js';
import type { ProvenanceEntry, ResolvedSettings, ResolveSettingsOptions } from './resolved-settings.js';

/** As in the CLI, an unusable file is ignored. */
export function resolveSettings(options: ResolveSettingsOptions = {}): ResolvedSettings {
  const { cwd, settingSources, managedSettings, serverManagedSettings } = options;
  const given = { cwd, settingSources, managedSettings, serverManagedSettings };
  const { layers: sources, didNotLoad } = readLayers(given);
  return {
    effective: mergeLayers(sources),
    provenance: provenanceOf(sources),
    sources,
    machinePolicy: { didNotLoad: didNotLoad.length === 0 ? false : didNotLoad },
  };
}

function provenanceOf(sources: ResolvedSettings['sources']): ResolvedSettings['provenance'] {
  const provenance: Record<string, ProvenanceEntry> = {};
  for (const { settings, ...where } of sources) {
    for (const key of Object.keys(settings)) provenance[key] = where;
  }
  return provenance;
}
