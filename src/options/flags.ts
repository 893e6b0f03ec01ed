import { TenonError } from '../protocol/base/errors.js';
import { splitRules } from '../protocol/permissions/permission-rules.js';
import { type AgentPlan, emptyPlan } from './plan.js';

/** An unknown flag or a bad value. The message goes to stderr, the exit code is 1. */
export class FlagError extends TenonError {
  static override readonly className = 'FlagError';

  constructor(message: string) {
    super('BAD_FLAG', message);
  }
}

type Field = keyof AgentPlan;

/**
 * How a field is written. `off`: the flag means false. `choice`: a list that is meaningful even when empty.
 */
type Shape =
  | 'switch'
  | 'off'
  | 'text'
  | 'longText'
  | 'number'
  | 'texts'
  | 'list'
  | 'choice'
  | 'json'
  | 'servers'
  | 'pathOrJson';

/**
 * One flag for every field of the plan, in the order in which they are written. The compiler rejects a plan
 * with a field that is missing here; `null` marks fields that need no flag.
 */
const FLAGS: { readonly [Key in Field]-?: readonly [flag: string, shape: Shape] | null } = {
  addDirectories: ['--add-dir', 'texts'],
  agent: ['--agent', 'text'],
  allowBypass: ['--allow-dangerously-skip-permissions', 'switch'],
  allowedTools: ['--allowedTools', 'list'],
  betas: ['--betas', 'list'],
  continue: ['--continue', 'switch'],
  debug: ['--debug', 'switch'],
  debugFile: ['--debug-file', 'text'],
  debugToStderr: ['--debug-to-stderr', 'switch'],
  disallowedTools: ['--disallowedTools', 'list'],
  effort: ['--effort', 'text'],
  extraArgs: null,
  fallbackModel: ['--fallback-model', 'text'],
  forkSession: ['--fork-session', 'switch'],
  includeHookEvents: ['--include-hook-events', 'switch'],
  includePartialMessages: ['--include-partial-messages', 'switch'],
  managedSettings: ['--managed-settings', 'json'],
  maxBudgetUsd: ['--max-budget-usd', 'number'],
  maxThinkingTokens: ['--max-thinking-tokens', 'number'],
  maxTurns: ['--max-turns', 'number'],
  model: ['--model', 'text'],
  permissionMode: ['--permission-mode', 'text'],
  permissionPromptTool: ['--permission-prompt-tool', 'text'],
  permissionPrompts: ['--permission-prompts', 'text'],
  persistSession: ['--no-session-persistence', 'off'],
  awaitInitialize: ['--await-initialize', 'switch'],
  pluginDirectories: ['--plugin-dir', 'texts'],
  projectConfigRoot: ['--project-config-root', 'text'],
  replayUserMessages: ['--replay-user-messages', 'switch'],
  resume: ['--resume', 'text'],
  resumeDropsTurn: ['--resume-drops-turn', 'text'],
  resumeSessionAt: ['--resume-session-at', 'text'],
  sessionId: ['--session-id', 'text'],
  sessionMirror: ['--session-mirror', 'switch'],
  settingSources: ['--setting-sources', 'choice'],
  strictMcpConfig: ['--strict-mcp-config', 'switch'],
  taskBudget: ['--task-budget', 'number'],
  thinking: ['--thinking', 'text'],
  thinkingDisplay: ['--thinking-display', 'text'],
  tools: ['--tools', 'choice'],
  jsonSchema: ['--json-schema', 'json'],
  systemPrompt: ['--system-prompt', 'longText'],
  appendSystemPrompt: ['--append-system-prompt', 'longText'],
  agents: ['--agents', 'json'],
  mcpServers: ['--mcp-config', 'servers'],
  sandbox: null,
  settings: ['--settings', 'pathOrJson'],
};

const FIELDS = Object.keys(FLAGS) as Field[];

/** What is written in place of a field, such as the path of a file that holds its value. */
export type Replacements = Partial<Record<'mcpServers' | 'settings', string>>;

/** The plan as arguments. Fields with their default value are left out. */
export function writeArguments(plan: AgentPlan, replaced: Replacements = {}): string[] {
  const args: string[] = [];
  for (const field of FIELDS) {
    if (field === 'extraArgs') args.push(...writeExtra(plan.extraArgs));
    const row = FLAGS[field];
    const value = replaced[field as keyof Replacements] ?? plan[field];
    if (row !== null && value !== undefined) args.push(...write(row[0], row[1], value));
  }
  return args;
}

function write(flag: string, shape: Shape, value: unknown): string[] {
  switch (shape) {
    case 'switch':
      return value === true ? [flag] : [];
    case 'off':
      return value === false ? [flag] : [];
    case 'text':
    case 'number':
      return [`${flag}=${value}`];
    case 'longText':
      return [flag, String(value)];
    case 'texts':
      return (value as string[]).map((item) => `${flag}=${item}`);
    case 'list':
      return writeList(flag, value as string[]);
    case 'choice':
      return [`${flag}=${typeof value === 'string' ? value : (value as string[]).join(',')}`];
    case 'servers':
      if (typeof value === 'string') return [flag, value];
      return Object.keys(value as object).length === 0 ? [] : [flag, JSON.stringify({ mcpServers: value })];
    default:
      return [flag, typeof value === 'string' ? value : JSON.stringify(value)];
  }
}

/** Joined, as people write them; one by one where they would not come apart again, as after `x(`. */
function writeList(flag: string, items: readonly string[]): string[] {
  const joined = items.join(',');
  const parts = splitRules(joined);
  const comesApart = parts.length === items.length && parts.every((part, index) => part === items[index]);
  if (comesApart) return items.length === 0 ? [] : [`${flag}=${joined}`];
  return items.map((item) => `${flag}=${item}`);
}

/** Two elements, as a user would type them; one if the value itself looks like a flag. */
export function writeExtra(extra: AgentPlan['extraArgs'] = {}): string[] {
  return Object.entries(extra).flatMap(([name, value]) => {
    if (value === null) return [`--${name}`];
    return value.startsWith('-') ? [`--${name}=${value}`] : [`--${name}`, value];
  });
}

/** Flags that select the protocol: there is only one, so they are accepted and ignored. */
const PROTOCOL_FLAGS: Readonly<Record<string, Shape>> = {
  '--input-format': 'text',
  '--output-format': 'text',
  '--print': 'switch',
  '--verbose': 'switch',
  '-p': 'switch',
};

type Reading = readonly [field: Field | undefined, shape: Shape];

function readings(): Map<string, Reading> {
  const byFlag = new Map<string, Reading>();
  for (const [flag, shape] of Object.entries(PROTOCOL_FLAGS)) byFlag.set(flag, [undefined, shape]);
  for (const field of FIELDS) {
    const row = FLAGS[field];
    if (row !== null) byFlag.set(row[0], [field, row[1]]);
  }
  return byFlag;
}

const MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'];

/**
 * Reads arguments into a plan: `--flag value` and `--flag=value`; `readJson` turns JSON text or a path into
 * a value. Later flags take precedence over earlier ones and over the given plan; lists add up.
 */
export function parseArguments(
  args: readonly string[],
  readJson: (text: string) => unknown,
  given: AgentPlan = emptyPlan(),
): AgentPlan {
  const plan = { ...given };
  const byFlag = readings();
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const flag = equals === -1 ? arg : arg.slice(0, equals);
    const [field, shape] = byFlag.get(flag) ?? [];
    if (shape === undefined) throw new FlagError(`error: unknown option '${flag}'`);
    let text = '';
    if (shape !== 'switch' && shape !== 'off') {
      if (equals === -1) index += 1;
      const value = equals === -1 ? args[index] : arg.slice(equals + 1);
      if (value === undefined) throw new FlagError(`error: option '${flag}' argument missing`);
      text = value;
    }
    if (field === undefined) continue;
    if (field === 'permissionMode') checkMode(text);
    Object.assign(plan, { [field]: read(shape, text, plan[field], readJson) });
  }
  return plan;
}

/** Throws for an unknown permission mode. */
export function checkMode(mode: string | undefined): void {
  if (mode === undefined || MODES.includes(mode)) return;
  throw new FlagError(
    `error: option '--permission-mode' argument '${mode}' is invalid. One of: ${MODES.join(', ')}.`,
  );
}

function read(shape: Shape, text: string, before: unknown, readJson: (text: string) => unknown): unknown {
  switch (shape) {
    case 'switch':
      return true;
    case 'off':
      return false;
    case 'number':
      return Number(text);
    case 'texts':
      return [...(before as string[]), text];
    case 'choice':
      return text === 'default' ? text : [...(Array.isArray(before) ? before : []), ...splitRules(text)];
    case 'list':
      return [...(before as string[]), ...splitRules(text)];
    case 'json':
      return readJson(text);
    case 'servers':
      return { ...(before as object), ...(readJson(text) as { mcpServers?: object }).mcpServers };
    case 'pathOrJson':
      return text.trimStart().startsWith('{') ? readJson(text) : text;
    default:
      return text;
  }
}
