import type { Settings } from '../../protocol/settings.js';
import type { SettingSource } from '../options.js';

/** `managed`: set by who administers the machine; `flag`: given with the command. */
export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';

export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

export type ProvenanceEntry = {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
};

export type ResolvedSettings = {
  effective: Settings;
  /** For each key of `effective` the strongest source that sets it. */
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  /** Each source by itself, the weakest first. */
  sources: Array<ProvenanceEntry & { settings: Settings }>;
  /** Which sources of this machine's policy may be there and were not read. */
  machinePolicy?: { didNotLoad: false | Array<'profile' | 'registry' | 'file'> };
};

export type ResolveSettingsOptions = {
  cwd?: string | undefined;
  /** All unless given; the policy is read in any case. */
  settingSources?: SettingSource[] | undefined;
  /** The weakest policy; of it only what restricts is taken. */
  managedSettings?: Settings | undefined;
  /** In place of the policy of the server that the CLI has kept. */
  serverManagedSettings?: Settings | undefined;
};

export type DeniedModelsMatch = {
  denied: boolean[];
  /** What was not understood, or may mean something else than it seems. */
  warnings: string[];
};
