import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { InitializeRequest } from '../../protocol/control-requests.js';
import type { McpServerConfigForProcessTransport } from '../../protocol/mcp.js';
import { isScript } from './find-claude-code.js';

/**
 * The one place that knows what older CLIs need. Everything else is written for the current protocol. The version
 * is read from the package beside a `cli.js`; native binaries came later than every change listed here but the
 * form of the system prompt, which all of them accept.
 */
export interface LaunchPlan {
  args: string[];
  initialize: InitializeRequest;
  mcpServers: Record<string, McpServerConfigForProcessTransport>;
  sdkServerNames: readonly string[];
}

interface Adaptation {
  /** The first version that no longer needs it. */
  until: string;
  apply(plan: LaunchPlan): void;
}

const ADAPTATIONS: readonly Adaptation[] = [
  {
    // Names in `initialize` alone register nothing.
    until: '1.0.128',
    apply: (plan) => {
      for (const name of plan.sdkServerNames) plan.mcpServers[name] = { type: 'sdk', name };
    },
  },
  {
    // The schema of the output is read from the command line or not at all.
    until: '2.0.50',
    apply: ({ args, initialize }) => {
      if (initialize.jsonSchema === undefined) return;
      args.push('--json-schema', JSON.stringify(initialize.jsonSchema));
    },
  },
  {
    // Prompts and agents are flags.
    until: '2.0.76',
    apply: ({ args, initialize }) => {
      if (initialize.systemPrompt !== undefined) args.push('--system-prompt', joinPrompt(initialize));
      if (initialize.appendSystemPrompt !== undefined) {
        args.push('--append-system-prompt', initialize.appendSystemPrompt);
      }
      if (initialize.agents !== undefined) args.push('--agents', JSON.stringify(initialize.agents));
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
];

export function adaptToVersion(plan: LaunchPlan, version: string | undefined): void {
  if (version === undefined) return;
  for (const { until, apply } of ADAPTATIONS) if (isOlder(version, until)) apply(plan);
}

function joinPrompt({ systemPrompt = [] }: InitializeRequest): string {
  return systemPrompt.join('\n\n');
}

export function isOlder(version: string, than: string): boolean {
  // "5-beta" counts as 5.
  const left = version.split('.').map((part) => Number.parseInt(part, 10));
  const right = than.split('.').map(Number);
  for (const [index, part] of right.entries()) {
    const difference = (left[index] ?? 0) - part;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The version of a JavaScript CLI, from its package; undefined for a native one. */
export function versionOfScript(path: string): string | undefined {
  try {
    const script = realpathSync(path);
    if (!isScript(script)) return undefined;
    const manifest = JSON.parse(readFileSync(join(dirname(script), 'package.json'), 'utf8'));
    return manifest.name === '@anthropic-ai/claude-code' ? String(manifest.version) : undefined;
  } catch {
    return undefined;
  }
}
