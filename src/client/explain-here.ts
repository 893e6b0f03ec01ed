import { readLayers } from '../config/settings/read-layers.js';
import type { Options } from '../options/options.js';
import { explainWith, type PermissionsExplanation } from './explain-permissions.js';

/**
 * Which tools an agent with these options would have, and who decides about their calls: no agent is started for it.
 * Settings count as in a query: files, `settings` and policies, each rule named by its source.
 * Tools of in-process servers are known; others are those that `tools`, `allowedTools` and `disallowedTools` name. A
 * PreToolUse hook may still decide otherwise.
 */
export function explainPermissions(options: Options = {}): PermissionsExplanation {
  return explainWith(readLayers, options);
}
