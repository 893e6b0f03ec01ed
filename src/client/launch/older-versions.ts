import type { InitializeRequest } from '../../protocol/control-requests.js';
import { ProcessError } from '../../protocol/errors.js';
import type { McpServerConfigForProcessTransport } from '../../protocol/mcp.js';

/**
 * The one place that knows what older CLIs need before they start. Everything else is written for the current
 * protocol. `npm run test:versions` holds it against the CLIs themselves. A CLI whose version is not known (see
 * cli-version.ts) is taken for a current one.
 */
export interface LaunchPlan {
  args: string[];
  initialize: InitializeRequest;
  mcpServers: Record<string, McpServerConfigForProcessTransport>;
  sdkServerNames: readonly string[];
  settings: Readonly<Record<string, unknown>>;
}

interface Adaptation {
  /** The first version that needs it, where there are even older ones that do not. */
  from?: string;
  /** The first version that no longer needs it. */
  until: string;
  apply(plan: LaunchPlan): void;
}

const TOOL_RULES = /^--(dis)?allowedTools=/;

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
    // All tools of a server: the rule is its name. `mcp__calc__*` would match nothing, not even to deny.
    until: '2.0.76',
    apply: (plan) => {
      plan.args = plan.args.map((arg) =>
        TOOL_RULES.test(arg) ? arg.replace(/(?<=[=,]mcp__[^,]+)__\*(?=,|$)/g, '') : arg,
      );
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
    // Left alone these start in the mode `auto`, which lets tools run that nobody allowed, and asks nobody.
    from: '2.1.285',
    until: '2.1.302',
    apply: ({ args, settings }) => {
      const rules = settings.permissions as { defaultMode?: string } | undefined;
      const chosen = rules?.defaultMode ?? args.find((arg) => /^--permission-mode(=|$)/.test(arg));
      if (chosen === undefined) args.push('--permission-mode=default');
    },
  },
];

interface Requirement {
  /** The first version that has it. */
  since: string;
  what: string;
  isWanted(plan: LaunchPlan): boolean;
  remedy: string;
}

/** What older CLIs leave out without a word. A hook that denies must not be passed over: better not to start. */
const REQUIREMENTS: readonly Requirement[] = [
  {
    since: '1.0.85',
    what: 'does not call `hooks`',
    isWanted: ({ initialize }) => initialize.hooks !== undefined,
    remedy: 'leave `hooks` out',
  },
  {
    since: '1.0.93',
    what: 'knows no in-process MCP servers',
    isWanted: ({ sdkServerNames }) => sdkServerNames.length > 0,
    remedy: 'leave them out of `mcpServers`',
  },
  {
    since: '2.1.83',
    what: 'runs without the sandbox where there is none',
    isWanted: ({ settings }) =>
      (settings.sandbox as { failIfUnavailable?: boolean } | undefined)?.failIfUnavailable === true,
    remedy: 'accept that with `sandbox.failIfUnavailable: false`',
  },
];

/** Puts things where this version looks for them. Throws for what it would silently do without. */
export function adaptToVersion(plan: LaunchPlan, version: string | undefined): void {
  if (version === undefined) return;
  for (const { since, what, isWanted, remedy } of REQUIREMENTS) {
    if (!isOlder(version, since) || !isWanted(plan)) continue;
    throw new ProcessError(
      'CLI_TOO_OLD',
      `Claude Code ${version} ${what}. Update it to ${since} or newer, or ${remedy}.`,
      { cliVersion: version },
    );
  }
  for (const { from = '0', until, apply } of ADAPTATIONS) {
    if (isOlder(version, until) && !isOlder(version, from)) apply(plan);
  }
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
