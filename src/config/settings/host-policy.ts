import type { Settings } from '../../protocol/wire/settings.js';

/** Keys with which a program can only restrict. A switch counts if it is on. */
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

/** Includes allow rules, because a policy may say that no others count. */
const PERMISSIONS = [
  'deny',
  'ask',
  'allow',
  'additionalDirectories',
  'disableBypassPermissionsMode',
  'disableAutoMode',
];

/** The part of a policy given by the program that the CLI accepts. */
export function restrictivePart(given: Settings | undefined): Settings | undefined {
  if (given === undefined) return undefined;
  const { permissions = {}, sandbox, disableAllHooks } = given;
  const rules = pick(permissions, PERMISSIONS);
  return {
    ...pick(given, RESTRICTIVE),
    ...(disableAllHooks === true ? { allowManagedHooksOnly: true } : {}),
    ...(Object.keys(rules).length === 0 ? {} : { permissions: rules }),
    ...(sandbox === undefined || sandbox.enabled === false ? {} : { sandbox }),
  };
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    keys.filter((key) => from[key] !== undefined && from[key] !== false).map((key) => [key, from[key]]),
  );
}
