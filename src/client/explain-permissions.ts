import { SdkMcpServer } from '../authoring/sdk-mcp-server.js';
import type { McpServerConfig, McpServerToolPolicy } from '../protocol/mcp.js';
import { mcpToolName, mcpToolPrefix } from '../protocol/mcp-tool-names.js';
import {
  decideCall,
  type PermissionRuling,
  type PermissionState,
  type PermissionSubject,
  type RuleInForce,
  removingRule,
} from '../protocol/permission-decision.js';
import { matchesTool, parseRule, type RuleKind, ruleProblem } from '../protocol/permission-rules.js';
import type { PermissionMode } from '../protocol/permissions.js';
import type { Options } from './options.js';

/** What becomes of the calls of one tool. */
export interface ToolPermission {
  /** As the model calls it. `mcp__server__*`: a server's tools that nobody knows before it is connected. */
  tool: string;
  server: string | undefined;
  /** Whether the model is offered it at all. */
  visible: boolean;
  /** `ask`: `canUseTool` decides. */
  decision: 'allow' | 'ask' | 'deny';
  /** The rule, option or mode that decides, in words. */
  why: string;
  /** Rules that are about some of its calls only, such as `Bash(npm run:*)`. */
  exceptions: string[];
}

export interface PermissionsExplanation {
  mode: PermissionMode;
  tools: ToolPermission[];
  /** Rules that can never match, and combinations that do not do what they seem to. */
  warnings: string[];
}

/** Tools of the CLI that only read, and those that edit files: what it does with them by itself. */
const READERS = ['Glob', 'Grep', 'LS', 'NotebookRead', 'Read', 'TodoWrite'];
const EDITORS = ['Edit', 'MultiEdit', 'NotebookEdit', 'Write'];

/**
 * Which tools an agent with these options would have, and who decides about their calls: no agent is started for it.
 * Tools of in-process servers are known; others are those that `tools`, `allowedTools` and `disallowedTools` name. A
 * PreToolUse hook may still decide otherwise.
 */
export function explainPermissions(options: Options = {}): PermissionsExplanation {
  const mode = options.permissionMode ?? 'default';
  const state: PermissionState = { mode, rules: rulesOf(options) };
  const tools = subjectsOf(options, state).map((subject) => explain(subject, state, options));
  return { mode, tools, warnings: warningsOf(options, state, tools) };
}

function rulesOf({ allowedTools = [], disallowedTools = [], skills }: Options): RuleInForce[] {
  const named = skills === 'all' ? ['Skill'] : (skills ?? []).map((name) => `Skill(${name})`);
  const rules = (kind: RuleKind, texts: readonly string[], source: string): RuleInForce[] =>
    texts.map((text) => ({ kind, rule: parseRule(text), source }));
  return [
    ...rules('deny', disallowedTools, 'disallowedTools'),
    ...rules('allow', allowedTools, 'allowedTools'),
    ...rules('allow', named, 'skills'),
  ];
}

/** Every tool that something is known of, each once. */
function subjectsOf(options: Options, { rules }: PermissionState): PermissionSubject[] {
  const servers = Object.entries(options.mcpServers ?? {});
  const known = servers.flatMap(([name, config]) => subjectsOfServer(name, config));
  const byName = new Map(known.map((subject) => [subject.name, subject]));
  const mentioned = [
    ...(Array.isArray(options.tools) ? options.tools : []),
    ...rules.filter(({ rule }) => rule.problem === undefined).map(({ rule }) => rule.tool),
  ];
  for (const name of mentioned) {
    if (name.includes('*') || byName.has(name)) continue;
    if (!name.startsWith('mcp__')) byName.set(name, subjectOf(name, undefined, READERS.includes(name)));
    const server = servers.find(([each]) => name.startsWith(`${mcpToolPrefix(each)}__`));
    if (server !== undefined) byName.set(name, subjectOf(name, server[0], false));
  }
  return [...byName.values()];
}

function subjectsOfServer(name: string, config: McpServerConfig): PermissionSubject[] {
  const instance = 'instance' in config ? config.instance : undefined;
  if (instance instanceof SdkMcpServer) {
    return instance.tools.names.map((tool) =>
      subjectOf(mcpToolName(name, tool), name, instance.tools.get(tool)?.annotations?.readOnlyHint === true),
    );
  }
  const policies = 'tools' in config ? (config.tools ?? []) : [];
  return [
    ...policies.map((policy) =>
      subjectOf(mcpToolName(name, policy.name), name, false, policy.permission_policy),
    ),
    subjectOf(`${mcpToolPrefix(name)}__*`, name, false),
  ];
}

function subjectOf(
  name: string,
  server: string | undefined,
  isReadOnly: boolean,
  policy?: McpServerToolPolicy['permission_policy'],
): PermissionSubject {
  return {
    name,
    server: server === undefined ? undefined : { name: server },
    isReadOnly,
    needsNoPermission: server === undefined && isReadOnly,
    policy,
  };
}

function explain(subject: PermissionSubject, state: PermissionState, options: Options): ToolPermission {
  const { name, server } = subject;
  const about = state.rules.filter(({ kind, rule }) => matchesTool(rule, subject, kind));
  const exceptions = about
    .filter(({ rule }) => rule.specifier !== undefined && rule.problem === undefined)
    .map(({ kind, rule, source }) => `${kind} by ${source} "${rule.text}"`);
  const row = { tool: name, server: server?.name, exceptions };
  const removed = removingRule(subject, state);
  if (removed !== undefined) {
    return { ...row, visible: false, decision: 'deny', why: `${ruleIn(removed)} takes it away` };
  }
  const { tools } = options;
  if (server === undefined && Array.isArray(tools) && !tools.includes(name)) {
    return { ...row, visible: false, decision: 'deny', why: '`tools` does not name it' };
  }
  // Rules about some calls are exceptions; what holds for the others is explained.
  const whole = { ...state, rules: state.rules.filter(({ rule }) => rule.specifier === undefined) };
  const ruling = decideCall(subject, {}, whole, { allow: false, ask: undefined });
  return { ...row, visible: true, ...wordsFor(ruling, subject, state.mode, options) };
}

function wordsFor(
  ruling: PermissionRuling,
  { name }: PermissionSubject,
  mode: PermissionMode,
  options: Options,
): Pick<ToolPermission, 'decision' | 'why'> {
  const { kind, by, rule } = ruling;
  if (kind === 'allow' && by === 'tool') return { decision: 'allow', why: 'it only reads, below `cwd`' };
  if (kind !== 'ask') return { decision: kind, why: reasonOf(by, rule, mode) };
  if (mode === 'acceptEdits' && EDITORS.includes(name)) {
    return { decision: 'allow', why: 'permissionMode "acceptEdits" approves edits below `cwd`' };
  }
  const before = reasonOf(by, rule, mode);
  if (mode === 'dontAsk')
    return { decision: 'deny', why: `${before}, and permissionMode "dontAsk" asks nobody` };
  if (options.permissionPrompts === 'none') {
    return { decision: 'deny', why: `${before}, and permissionPrompts "none" asks nobody` };
  }
  const { canUseTool, permissionPromptToolName } = options;
  if (canUseTool !== undefined) return { decision: 'ask', why: `${before}: canUseTool decides` };
  if (permissionPromptToolName !== undefined) {
    return { decision: 'ask', why: `${before}: the tool ${permissionPromptToolName} decides` };
  }
  return { decision: 'deny', why: `${before}, and there is no canUseTool to ask` };
}

function reasonOf(by: PermissionRuling['by'], rule: RuleInForce | undefined, mode: PermissionMode): string {
  if (rule !== undefined) return ruleIn(rule);
  if (by === 'policy') return 'the policy of its server (`permission_policy`)';
  if (by === 'mode') return `permissionMode "${mode}"`;
  return 'no rule allows it';
}

function ruleIn({ rule, source }: RuleInForce): string {
  return `${source} "${rule.text}"`;
}

function warningsOf(options: Options, { rules }: PermissionState, tools: ToolPermission[]): string[] {
  const warnings = rules.flatMap(({ kind, rule, source }) => {
    const problem = ruleProblem(rule, kind);
    const effect =
      kind === 'allow'
        ? 'It allows nothing.'
        : `Tenon's runtime takes it for a rule about all of "${rule.tool}"; the CLI passes over it.`;
    return problem === undefined ? [] : [`${source} "${rule.text}" cannot be used: ${problem}. ${effect}`];
  });
  for (const { rule } of rules.filter(({ source }) => source === 'allowedTools')) {
    const row = tools.find(({ tool }) => tool === rule.tool);
    if (row?.visible === false) warnings.push(`allowedTools "${rule.text}" has no effect: ${row.why}.`);
  }
  const { allowedTools = [], canUseTool } = options;
  const namesOwnTools = allowedTools.some((rule) => !rule.startsWith('mcp__'));
  if (namesOwnTools && options.tools === undefined) {
    warnings.push(
      'allowedTools approves calls; it takes no tool away. `tools` is the list of what there is.',
    );
  }
  if (canUseTool !== undefined && tools.length > 0 && !tools.some(({ decision }) => decision === 'ask')) {
    warnings.push('canUseTool is never asked about any of these tools.');
  }
  return warnings;
}
