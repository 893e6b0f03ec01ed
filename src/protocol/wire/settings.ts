// Settings go to the agent as JSON. The keys most often given to an SDK are typed; every other key is
// allowed, so that a newer agent's settings need no newer SDK.

import type { PermissionMode } from '../permissions/permissions.js';
import type { EffortLevel } from './control-payloads.js';

/** The settings files: the user's, the project's, and the user's own for this project. */
export type SettingSource = 'user' | 'project' | 'local';

export interface SettingsPermissions {
  allow?: string[] | undefined;
  deny?: string[] | undefined;
  ask?: string[] | undefined;
  defaultMode?: PermissionMode | (string & {}) | undefined;
  additionalDirectories?: string[] | undefined;
  [key: string]: unknown;
}

export interface Settings {
  agent?: string | undefined;
  apiKeyHelper?: string | undefined;
  autoCompactEnabled?: boolean | undefined;
  cleanupPeriodDays?: number | undefined;
  disableAllHooks?: boolean | undefined;
  effortLevel?: EffortLevel | undefined;
  enableAllProjectMcpServers?: boolean | undefined;
  enabledMcpjsonServers?: string[] | undefined;
  disabledMcpjsonServers?: string[] | undefined;
  env?: Record<string, string> | undefined;
  fastMode?: boolean | undefined;
  hooks?: Record<string, unknown> | undefined;
  includeCoAuthoredBy?: boolean | undefined;
  language?: string | undefined;
  model?: string | undefined;
  outputStyle?: string | undefined;
  permissions?: SettingsPermissions | undefined;
  sandbox?: SandboxSettings | undefined;
  [key: string]: unknown;
}

export type SandboxNetworkConfig = {
  allowedDomains?: string[] | undefined;
  deniedDomains?: string[] | undefined;
  strictAllowlist?: boolean | undefined;
  allowManagedDomainsOnly?: boolean | undefined;
  allowUnixSockets?: string[] | undefined;
  allowAllUnixSockets?: boolean | undefined;
  allowLocalBinding?: boolean | undefined;
  allowMachLookup?: string[] | undefined;
  httpProxyPort?: number | undefined;
  socksProxyPort?: number | undefined;
  tlsTerminate?: { caCertPath?: string | undefined; caKeyPath?: string | undefined } | undefined;
};

export type SandboxFilesystemConfig = {
  allowWrite?: string[] | undefined;
  denyWrite?: string[] | undefined;
  denyRead?: string[] | undefined;
  allowRead?: string[] | undefined;
  allowManagedReadPathsOnly?: boolean | undefined;
  disabled?: boolean | undefined;
};

type MaskedCredential = {
  mode: 'deny' | 'mask';
  extract?: string | undefined;
  onExtractNoMatch?: 'deny' | 'error' | 'warn' | undefined;
  decode?: 'jwt' | undefined;
  maskClaims?: string[] | undefined;
  injectHosts?: string[] | undefined;
};

type SigningMode = 'deny' | 'passthrough' | undefined;

export type SandboxCredentialsConfig = {
  files?: (MaskedCredential & { path: string; maskDuplicates?: boolean | undefined })[] | undefined;
  envVars?: (MaskedCredential & { name: string })[] | undefined;
  allowPlaintextInject?: boolean | undefined;
  awsPairs?:
    | { accessKeyIdVar: string; secretAccessKeyVar: string; sessionTokenVar?: string | undefined }[]
    | undefined;
  sigv4?: { streaming?: SigningMode; presigned?: SigningMode; sigv4a?: SigningMode } | undefined;
};

export type SandboxIgnoreViolations = Record<string, string[]>;

export type SandboxSettings = {
  enabled?: boolean | undefined;
  failIfUnavailable?: boolean | undefined;
  autoAllowBashIfSandboxed?: boolean | undefined;
  allowUnsandboxedCommands?: boolean | undefined;
  network?: SandboxNetworkConfig | undefined;
  filesystem?: SandboxFilesystemConfig | undefined;
  credentials?: SandboxCredentialsConfig | undefined;
  ignoreViolations?: SandboxIgnoreViolations | undefined;
  enableWeakerNestedSandbox?: boolean | undefined;
  allowNestedUserNamespaces?: boolean | undefined;
  enableWeakerNetworkIsolation?: boolean | undefined;
  allowAppleEvents?: boolean | undefined;
  excludedCommands?: string[] | undefined;
  ripgrep?: { command: string; args?: string[] | undefined } | undefined;
  bwrapPath?: string | undefined;
  socatPath?: string | undefined;
  [key: string]: unknown;
};
