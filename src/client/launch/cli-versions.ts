import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import type { AgentPlan } from '../../options/plan.js';
import { ProcessError } from '../../protocol/base/errors.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';

/**
 * The one place that knows what older CLIs need before they start. Everything else is written for the
 * current protocol. `npm run test:versions` checks it against the CLIs themselves. A CLI of unknown version
 * (see `versionOf`) is treated as current.
 */
export interface LaunchPlan {
  plan: AgentPlan;
  initialize: InitializeRequest;
  readonly sdkServerNames: readonly string[];
}

interface Adaptation {
  /** The first version that needs it, if even older ones do not. */
  from?: string;
  /** The first version that no longer needs it. */
  until: string;
  apply(launch: LaunchPlan): void;
}

const ADAPTATIONS: readonly Adaptation[] = [
  {
    // Names in `initialize` alone register nothing.
    until: '1.0.128',
    apply: ({ plan, sdkServerNames }) => {
      const own = sdkServerNames.map((name): [string, McpServerConfigForProcessTransport] => [
        name,
        { type: 'sdk', name },
      ]);
      plan.mcpServers = { ...plan.mcpServers, ...Object.fromEntries(own) };
    },
  },
  {
    // The output schema is only read from the command line.
    until: '2.0.50',
    apply: ({ plan, initialize }) => {
      plan.jsonSchema = initialize.jsonSchema;
    },
  },
  {
    // Prompts and agents are flags.
    until: '2.0.76',
    apply: ({ plan, initialize }) => {
      if (initialize.systemPrompt !== undefined) plan.systemPrompt = joinPrompt(initialize);
      plan.appendSystemPrompt = initialize.appendSystemPrompt;
      plan.agents = initialize.agents;
    },
  },
  {
    // For all tools of a server, the rule is its name. `mcp__calc__*` would match nothing, not even to deny.
    until: '2.0.76',
    apply: ({ plan }) => {
      const serverNames = (rules: readonly string[]): string[] =>
        rules.map((rule) => rule.replace(/^(mcp__.+)__\*$/, '$1'));
      plan.allowedTools = serverNames(plan.allowedTools);
      plan.disallowedTools = serverNames(plan.disallowedTools);
    },
  },
  {
    // A prompt is a string, not a list.
    until: '2.1.140',
    apply: ({ initialize }) => {
      if (initialize.systemPrompt === undefined) return;
      Object.assign(initialize, { systemPrompt: joinPrompt(initialize) });
    },
  },
  {
    // By default these start in `auto` mode, which runs tools that nobody allowed, without asking.
    from: '2.1.285',
    until: '2.1.302',
    apply: ({ plan }) => {
      const settings = typeof plan.settings === 'object' ? plan.settings : undefined;
      const chosen = settings?.permissions?.defaultMode ?? plan.extraArgs?.['permission-mode'];
      if (chosen == null) plan.permissionMode ??= 'default';
    },
  },
];

interface Requirement {
  /** The first version that has it. */
  since: string;
  what: string;
  isWanted(launch: LaunchPlan): boolean;
  remedy: string;
}

/** What older CLIs silently ignore. A hook that denies must not be skipped, so the launch fails instead. */
const REQUIREMENTS: readonly Requirement[] = [
  {
    since: '1.0.85',
    what: 'does not call `hooks`',
    isWanted: ({ initialize }) => initialize.hooks !== undefined,
    remedy: 'leave `hooks` out',
  },
  {
    since: '1.0.93',
    what: 'does not support in-process MCP servers',
    isWanted: ({ sdkServerNames }) => sdkServerNames.length > 0,
    remedy: 'leave them out of `mcpServers`',
  },
  {
    since: '2.1.83',
    what: 'runs without a sandbox if none is available',
    isWanted: ({ plan: { sandbox, settings } }) => {
      const own = typeof settings === 'object' ? settings.sandbox : undefined;
      return (sandbox ?? own)?.failIfUnavailable === true;
    },
    remedy: 'accept that with `sandbox.failIfUnavailable: false`',
  },
];

/** Adapts the launch to what this version expects. Throws for what it would silently ignore. */
export function adaptToVersion(launch: LaunchPlan, version: string | undefined): void {
  if (version === undefined) return;
  for (const { since, what, isWanted, remedy } of REQUIREMENTS) {
    if (!isOlder(version, since) || !isWanted(launch)) continue;
    throw new ProcessError(
      'CLI_TOO_OLD',
      `Claude Code ${version} ${what}. Update it to ${since} or newer, or ${remedy}.`,
      { cliVersion: version },
    );
  }
  for (const { from = '0', until, apply } of ADAPTATIONS) {
    if (isOlder(version, until) && !isOlder(version, from)) apply(launch);
  }
}

function joinPrompt({ systemPrompt = [] }: InitializeRequest): string {
  return systemPrompt.join('\n\n');
}

export function isOlder(version: string, other: string): boolean {
  // "5-beta" counts as 5.
  const left = version.split('.').map((part) => Number.parseInt(part, 10));
  const right = other.split('.').map(Number);
  for (const [index, part] of right.entries()) {
    const difference = (left[index] ?? 0) - part;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * The version of a CLI, as far as its location reveals it: starting it to ask would take a second.
 * Undefined if unknown, as with a custom wrapper or a copied program.
 */
export function versionOf(path: string): string | undefined {
  let file: string;
  try {
    file = realpathSync(path);
  } catch {
    return undefined;
  }
  const folder = dirname(file);
  // Installers other than npm keep each version as `versions/2.1.140` or `2.1.140/claude`.
  const named = [basename(file), basename(folder)].find((name) => /^\d+\.\d+\.\d+$/.test(name));
  if (named !== undefined) return named;
  const packages = [
    folder,
    // The native program in `bin`.
    dirname(folder),
    // Scripts that start the program in a package: the CLI's own local installation, and pnpm's `.bin`.
    join(folder, 'node_modules', '@anthropic-ai', 'claude-code'),
    join(dirname(folder), '@anthropic-ai', 'claude-code'),
  ];
  for (const candidate of packages) {
    const version = versionOfPackage(join(candidate, 'package.json'));
    if (version !== undefined) return version;
  }
  return undefined;
}

interface Manifest {
  name?: unknown;
  version?: unknown;
  claudeCodeVersion?: unknown;
}

function versionOfPackage(file: string): string | undefined {
  let manifest: Manifest;
  // It usually does not exist, and an exception is a much slower way to find that out.
  if (!existsSync(file)) return undefined;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
  const { name, version, claudeCodeVersion } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string') return undefined;
  if (name.startsWith('@anthropic-ai/claude-code')) return version;
  if (!name.startsWith('@anthropic-ai/claude-agent-sdk')) return undefined;
  return typeof claudeCodeVersion === 'string' ? claudeCodeVersion : versionInOfficialSdk(version);
}

/**
 * The official SDK bundles a CLI with the same patch number: 0.1.30 has 2.0.30, 0.2.50 and 0.3.50 have
 * 2.1.50.
 */
function versionInOfficialSdk(version: string): string | undefined {
  const [, minor, patch] = /^0\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (minor === undefined) return undefined;
  return minor === '1' ? `2.0.${patch}` : `2.1.${patch}`;
}
