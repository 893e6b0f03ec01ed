// Settings that are available without reading a file.

import type { Settings } from '../../protocol/wire/settings.js';
import { restrictivePart } from './host-policy.js';
import { placeOf, type ReadLayers, type ReadLayersOptions, type SettingsLayer } from './layer.js';
import { shapeProblem } from './shape.js';

/** With neither field, the file does not exist. */
export interface SettingsFile {
  settings?: Settings;
  /** Why it cannot be used. */
  problem?: string;
}

/** Only the sources that the host provides itself, for environments without files. */
export function givenLayers({ settings, managedSettings }: ReadLayersOptions): ReadLayers {
  const read: ReadLayers = { layers: [], problems: [], hasUntrustedRules: false, didNotLoad: [] };
  if (typeof settings === 'string') {
    takeFile(
      read,
      { source: 'flag', path: settings },
      { problem: 'cannot be read: there are no files here' },
    );
  } else takeFile(read, { source: 'flag' }, checkedSettings(settings ?? {}));
  const managed = checkedSettings(managedSettings ?? {});
  takeFile(
    read,
    { source: 'managed' },
    managed.problem === undefined ? { settings: restrictivePart(managedSettings) ?? {} } : managed,
  );
  return read;
}

export function checkedSettings(settings: Settings): SettingsFile {
  const problem = shapeProblem(settings);
  return problem === undefined ? { settings } : { problem };
}

export function takeFile(
  { layers, problems }: ReadLayers,
  where: Pick<SettingsLayer, 'source' | 'path'>,
  { settings = {}, problem }: SettingsFile,
): void {
  if (problem !== undefined) problems.push({ source: where.source, place: placeOf(where), message: problem });
  else if (Object.keys(settings).length > 0) layers.push({ ...where, settings });
}
