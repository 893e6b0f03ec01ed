import type { McpServerConfigForProcessTransport } from '../protocol/mcp.js';
import type { PermissionMode } from '../protocol/permissions.js';

/** What the command line of a `claude`-shaped program can say, as far as the runtime acts on it. */
export interface RuntimeFlags {
  model: string | undefined;
  fallbackModel: string | undefined;
  permissionMode: PermissionMode;
  allowBypass: boolean;
  /** `stdio`: the host is asked. Absent: nobody is. */
  permissionPromptTool: string | undefined;
  permissionPrompts: string | undefined;
  allowedTools: string[];
  disallowedTools: string[];
  /** Absent: all of the runtime's own tools. */
  tools: string[] | undefined;
  maxTurns: number | undefined;
  maxBudgetUsd: number | undefined;
  effort: string | undefined;
  /** `adaptive` or `disabled`; a number of tokens is in `maxThinkingTokens`. */
  thinking: string | undefined;
  thinkingDisplay: string | undefined;
  maxThinkingTokens: number | undefined;
  betas: string[];
  systemPrompt: string | undefined;
  appendSystemPrompt: string | undefined;
  jsonSchema: Record<string, unknown> | undefined;
  includePartialMessages: boolean;
  replayUserMessages: boolean;
  mcpServers: Record<string, McpServerConfigForProcessTransport>;
  addDirectories: string[];
  /** Which configuration files are read. Absent: all. */
  settingSources: ('user' | 'project' | 'local')[] | undefined;
  /** No configuration file is read, and any error in the configuration ends the program. */
  strictMcpConfig: boolean;
  resume: string | undefined;
  continue: boolean;
  forkSession: boolean;
  sessionId: string | undefined;
  resumeSessionAt: string | undefined;
  persistSession: boolean;
  /** The host wants to hear what is kept. */
  sessionMirror: boolean;
}

/** The program was called with something that it does not know. The message goes to stderr, the exit code is 1. */
export class FlagError extends Error {}

type Kind = 'switch' | 'value' | 'values' | 'list' | 'json';

/** Every flag that an SDK may send. `—` in the right column: accepted, and without effect here. */
const FLAGS: Record<string, [kind: Kind, target: keyof RuntimeFlags | '—']> = {
  '--add-dir': ['values', 'addDirectories'],
  '--agent': ['value', '—'],
  '--agents': ['json', '—'],
  '--allow-dangerously-skip-permissions': ['switch', 'allowBypass'],
  '--allowedTools': ['list', 'allowedTools'],
  '--append-system-prompt': ['value', 'appendSystemPrompt'],
  '--await-initialize': ['switch', '—'],
  '--betas': ['list', 'betas'],
  '--continue': ['switch', 'continue'],
  '--debug': ['switch', '—'],
  '--debug-file': ['value', '—'],
  '--debug-to-stderr': ['switch', '—'],
  '--disallowedTools': ['list', 'disallowedTools'],
  '--effort': ['value', 'effort'],
  '--fallback-model': ['value', 'fallbackModel'],
  '--fork-session': ['switch', 'forkSession'],
  '--include-hook-events': ['switch', '—'],
  '--include-partial-messages': ['switch', 'includePartialMessages'],
  '--input-format': ['value', '—'],
  '--json-schema': ['json', 'jsonSchema'],
  '--managed-settings': ['value', '—'],
  '--max-budget-usd': ['value', 'maxBudgetUsd'],
  '--max-thinking-tokens': ['value', 'maxThinkingTokens'],
  '--max-turns': ['value', 'maxTurns'],
  '--mcp-config': ['json', 'mcpServers'],
  '--model': ['value', 'model'],
  '--no-session-persistence': ['switch', 'persistSession'],
  '--output-format': ['value', '—'],
  '--permission-mode': ['value', 'permissionMode'],
  '--permission-prompt-tool': ['value', 'permissionPromptTool'],
  '--permission-prompts': ['value', 'permissionPrompts'],
  '--plugin-dir': ['value', '—'],
  '--print': ['switch', '—'],
  '--project-config-root': ['value', '—'],
  '--replay-user-messages': ['switch', 'replayUserMessages'],
  '--resume': ['value', 'resume'],
  '--resume-drops-turn': ['value', '—'],
  '--resume-session-at': ['value', 'resumeSessionAt'],
  '--session-id': ['value', 'sessionId'],
  '--session-mirror': ['switch', 'sessionMirror'],
  '--setting-sources': ['list', 'settingSources'],
  '--settings': ['value', '—'],
  '--strict-mcp-config': ['switch', 'strictMcpConfig'],
  '--system-prompt': ['value', 'systemPrompt'],
  '--task-budget': ['value', '—'],
  '--thinking': ['value', 'thinking'],
  '--thinking-display': ['value', 'thinkingDisplay'],
  '--tools': ['list', 'tools'],
  '--verbose': ['switch', '—'],
  '-p': ['switch', '—'],
};

const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];

const NUMBERS: ReadonlySet<string> = new Set(['maxTurns', 'maxBudgetUsd', 'maxThinkingTokens']);

/** `--flag value` and `--flag=value`; `readJson` turns JSON text or a path into a value. */
export function parseFlags(args: readonly string[], readJson: (text: string) => unknown): RuntimeFlags {
  const flags = defaults();
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals === -1 ? arg : arg.slice(0, equals);
    const known = FLAGS[name];
    if (known === undefined) throw new FlagError(`error: unknown option '${name}'`);
    const [kind, target] = known;
    if (kind === 'switch') {
      apply(flags, target, kind, '', readJson);
      continue;
    }
    if (equals === -1) index += 1;
    const value = equals === -1 ? args[index] : arg.slice(equals + 1);
    if (value === undefined) throw new FlagError(`error: option '${name}' argument missing`);
    if (target === 'permissionMode' && !MODES.includes(value)) {
      throw new FlagError(
        `error: option '${name}' argument '${value}' is invalid. One of: ${MODES.join(', ')}.`,
      );
    }
    apply(flags, target, kind, value, readJson);
  }
  return flags;
}

function defaults(): RuntimeFlags {
  return {
    model: undefined,
    fallbackModel: undefined,
    permissionMode: 'default',
    allowBypass: false,
    permissionPromptTool: undefined,
    permissionPrompts: undefined,
    allowedTools: [],
    disallowedTools: [],
    tools: undefined,
    maxTurns: undefined,
    maxBudgetUsd: undefined,
    effort: undefined,
    thinking: undefined,
    thinkingDisplay: undefined,
    maxThinkingTokens: undefined,
    betas: [],
    systemPrompt: undefined,
    appendSystemPrompt: undefined,
    jsonSchema: undefined,
    includePartialMessages: false,
    replayUserMessages: false,
    mcpServers: {},
    addDirectories: [],
    settingSources: undefined,
    strictMcpConfig: false,
    resume: undefined,
    continue: false,
    forkSession: false,
    sessionId: undefined,
    resumeSessionAt: undefined,
    persistSession: true,
    sessionMirror: false,
  };
}

function apply(
  flags: RuntimeFlags,
  target: keyof RuntimeFlags | '—',
  kind: Kind,
  text: string,
  readJson: (text: string) => unknown,
): void {
  if (target === '—') return;
  const set = (value: unknown): void => {
    Object.assign(flags, { [target]: value });
  };
  if (kind === 'switch') set(target !== 'persistSession');
  else if (kind === 'values') set([...((flags[target] as string[]) ?? []), text]);
  else if (kind === 'list') {
    // Commas and blanks separate, but not inside of parentheses: `Bash(git log *),Read`.
    const list = text.split(/[,\s](?![^(]*\))/).filter((item) => item !== '');
    set(
      target === 'tools' && text === 'default'
        ? undefined
        : [...((flags[target] as string[]) ?? []), ...list],
    );
  } else if (kind === 'json') {
    const value = readJson(text) as Record<string, unknown>;
    set(target === 'mcpServers' ? { ...flags.mcpServers, ...(value.mcpServers as object) } : value);
  } else set(NUMBERS.has(target) ? Number(text) : text);
}
