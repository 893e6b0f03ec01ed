import type { SettingSource, Settings } from '../../protocol/wire/settings.js';

/** `managed`: set by the administrator of the machine; `flag`: given with the command. */
export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';

export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

export type ProvenanceEntry = {
  source: ResolvedSettingSource;
  path?: string;
  policyOrigin?: PolicySettingsOrigin;
};

export type ResolvedSettings = {
  effective: Settings;
  /** The strongest source of each key of `effective`. */
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  /** Each source separately, from weakest to strongest. */
  sources: Array<ProvenanceEntry & { settings: Settings }>;
  /** Sources of this machine's policy that may exist but were not read. */
  machinePolicy?: { didNotLoad: false | Array<'profile' | 'registry' | 'file'> };
};

export type ResolveSettingsOptions = {
  cwd?: string | undefined;
  /** Default: all. The policy is always read. */
  settingSources?: SettingSource[] | undefined;
  /** The weakest policy; only its restrictions count. */
  managedSettings?: Settings | undefined;
  /** Replaces the server's policy that the CLI has cached. */
  serverManagedSettings?: Settings | undefined;
};

export type DeniedModelsMatch = {
  denied: boolean[];
  /** Entries that were not understood, or may not mean what they seem to. */
  warnings: string[];
};
