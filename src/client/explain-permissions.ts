import { SdkMcpServer } from '../authoring/server/sdk-mcp-server.js';
import { settingsProblems } from '../config/settings/enforceable.js';
import { givenLayers } from '../config/settings/given-layers.js';
import type { ReadLayers, ReadLayersOptions } from '../config/settings/layer.js';
import { type PermissionSettings, permissionSettings } from '../config/settings/permission-settings.js';
import { mcpToolName, mcpToolPrefix } from '../mcp/tool-names.js';
import type { McpServerConfig, McpServerToolPolicy } from '../mcp/types.js';
import { givenOptions } from '../options/normalise.js';
import type { Options } from '../options/options.js';
import {
  decideCall,
  type PermissionRuling,
  type PermissionState,
  type PermissionSubject,
  type RuleInForce,
  removingRule,
} from '../protocol/permissions/permission-decision.js';
import {
  matchesTool,
  parseRule,
  type RuleKind,
  ruleProblem,
  rulesIn,
} from '../protocol/permissions/permission-rules.js';
import type { PermissionMode } from '../protocol/permissions/permissions.js';
import { environmentOf } from './mcp/configured-servers.js';
import { reaches, uselessRule } from './rule-reach.js';

/** What happens to the calls of one tool. */
export interface ToolPermission {
  /**
   * The name the model uses. `mcp__server__*` stands for a server's tools that are unknown until it is
   * connected.
   */
  tool: string;
  server: string | undefined;
  /** Whether it is offered to the model at all. */
  visible: boolean;
  /** `ask`: `canUseTool` decides. */
  decision: 'allow' | 'ask' | 'deny';
  /** The rule, option or mode that decides, in words. */
  why: string;
  /** Rules that cover only some of its calls, such as `Bash(npm run:*)`. */
  exceptions: string[];
}

export interface PermissionsExplanation {
  mode: PermissionMode;
  tools: ToolPermission[];
  /** Rules that can never match, and combinations that do not do what they seem to. */
  warnings: string[];
}

/** Reads the settings of this machine. */
export type ReadSettings = (options: ReadLayersOptions) => ReadLayers;

/** The CLI's tools that only read, and those that edit files: it treats both specially. */
const READERS = ['Glob', 'Grep', 'LS', 'NotebookRead', 'Read', 'TodoWrite'];
const EDITORS = ['Edit', 'MultiEdit', 'NotebookEdit', 'Write'];

/** `explainPermissions()`, with the settings of this machine. */
export function explainWith(read: ReadSettings, all: Options = {}): PermissionsExplanation {
  const options = givenOptions(all, 'explainPermissions');
  const { settings, warnings } = settingsOf(options, read);
  const wanted = options.permissionMode ?? settings.defaultMode ?? 'default';
  const { mode, rules } = stateOf(options, settings);
  if (mode !== wanted) {
    warnings.push(
      `permissionMode "${wanted}" is disabled in ${settings.bypassDisabledBy}: the mode is "${mode}".`,
    );
  }
  const state: PermissionState = { mode, rules };
  const tools = subjectsOf(options, state).map((subject) => explain(subject, state, options));
  return { mode, tools, warnings: [...warnings, ...warningsOf(options, state, tools)] };
}

/** Tools whose calls only the user can answer, so that no rule does. */
const ALWAYS_ASKED: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/**
 * Why `canUseTool` will not be called, as far as the options themselves say; undefined if it may be. Files are
 * not read for it.
 */
export function whyNeverAsked(options: Options): string | undefined {
  if (options.canUseTool == null) return undefined;
  const state = stateOf(options, permissionSettings(givenLayers(options as ReadLayersOptions)));
  const { mode } = state;
  if (mode === 'bypassPermissions') {
    return 'permissionMode "bypassPermissions" allows every call that no rule forbids';
  }
  if (mode === 'dontAsk') return 'permissionMode "dontAsk" denies what no rule allows';
  if (options.permissionPrompts === 'none') return 'permissionPrompts "none" asks nobody';
  // The CLI has tools of its own, unless `tools` says which; a hook can ask about any call.
  const isKnown = Array.isArray(options.tools) || options.runtime != null;
  if (!isKnown || (options.hooks?.PreToolUse?.length ?? 0) > 0) return undefined;
  const tools = subjectsOf(options, state).map((subject) => explain(subject, state, options));
  const isShadowed =
    tools.length > 0 &&
    tools.every(
      ({ tool, decision }) => decision === 'deny' || (decision === 'allow' && !ALWAYS_ASKED.has(tool)),
    );
  return isShadowed ? 'rules decide about every tool of `mcpServers` and `tools`' : undefined;
}

function stateOf(options: Options, settings: PermissionSettings): PermissionState {
  const wanted = options.permissionMode ?? settings.defaultMode ?? 'default';
  const isDisabled = wanted === 'bypassPermissions' && settings.bypassDisabledBy !== undefined;
  return { mode: isDisabled ? 'default' : wanted, rules: rulesInForce(options, settings) };
}

/** The settings that an agent with these options reads, and warnings about those it would not accept. */
function settingsOf(
  options: Options,
  readSettings: ReadSettings,
): { settings: PermissionSettings; warnings: string[] } {
  const { hermetic, settingSources } = options;
  const read = readSettings({
    ...options,
    env: environmentOf(options),
    settingSources: hermetic ? [] : settingSources,
  });
  const settings = permissionSettings(read);
  const problems = [...read.problems, ...settingsProblems(read.layers)].map(
    ({ place, message }) =>
      `${place}: ${message}. Tenon's runtime does not start with it; Claude Code ignores it.`,
  );
  return { settings, warnings: [...problems, ...settings.warnings] };
}

function rulesInForce(options: Options, { rules, managedRulesOnly }: PermissionSettings): RuleInForce[] {
  const fromSettings = rules.flatMap(({ kind, texts, source }) =>
    texts.map((text): RuleInForce => ({ kind, rule: parseRule(text), source })),
  );
  const all = [...rulesOf(options), ...fromSettings];
  return managedRulesOnly
    ? all.filter(({ kind, source }) => kind !== 'allow' || source === 'policySettings')
    : all;
}

function rulesOf({ allowedTools = [], disallowedTools = [], skills }: Options): RuleInForce[] {
  const named = skills === 'all' ? ['Skill'] : (skills ?? []).map((name) => `Skill(${name})`);
  const rules = (kind: RuleKind, entries: readonly string[], source: string): RuleInForce[] =>
    entries.flatMap((entry) => rulesIn(entry, kind)).map((text) => ({ kind, rule: parseRule(text), source }));
  return [
    ...rules('deny', disallowedTools, 'disallowedTools'),
    ...rules('allow', allowedTools, 'allowedTools'),
    ...rules('allow', named, 'skills'),
  ];
}

/** Every tool that is mentioned anywhere, each once. */
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
  const about = state.rules.filter(
    (each) => matchesTool(each.rule, subject, each.kind) || (server === undefined && reaches(each, name)),
  );
  const exceptions = about
    .filter(({ rule }) => rule.specifier !== undefined && rule.problem === undefined)
    .map(({ kind, rule, source }) => `${kind} by ${source} "${rule.text}"`);
  const row = { tool: name, server: server?.name, exceptions };
  const removed = removingRule(subject, state);
  if (removed !== undefined) {
    return { ...row, visible: false, decision: 'deny', why: `${ruleIn(removed)} removes it` };
  }
  const { tools } = options;
  if (server === undefined && Array.isArray(tools) && !tools.includes(name)) {
    return { ...row, visible: false, decision: 'deny', why: '`tools` does not name it' };
  }
  // Rules that cover only some calls are exceptions; the explanation is about the others.
  const whole = { ...state, rules: state.rules.filter(({ rule }) => rule.specifier === undefined) };
  const ruling = decideCall(subject, {}, whole, { allow: false, ask: undefined });
  return { ...row, visible: true, ...describeRuling(ruling, subject, state.mode, options) };
}

function describeRuling(
  ruling: PermissionRuling,
  { name }: PermissionSubject,
  mode: PermissionMode,
  options: Options,
): Pick<ToolPermission, 'decision' | 'why'> {
  const { kind, by, rule } = ruling;
  if (kind === 'allow' && by === 'tool') return { decision: 'allow', why: 'it only reads, within `cwd`' };
  if (kind !== 'ask') return { decision: kind, why: reasonOf(by, rule, mode) };
  if (mode === 'acceptEdits' && EDITORS.includes(name)) {
    return { decision: 'allow', why: 'permissionMode "acceptEdits" approves edits within `cwd`' };
  }
  const reason = reasonOf(by, rule, mode);
  if (mode === 'dontAsk')
    return { decision: 'deny', why: `${reason}, and permissionMode "dontAsk" asks nobody` };
  if (options.permissionPrompts === 'none') {
    return { decision: 'deny', why: `${reason}, and permissionPrompts "none" asks nobody` };
  }
  const { canUseTool, permissionPromptToolName } = options;
  if (canUseTool !== undefined) return { decision: 'ask', why: `${reason}: canUseTool decides` };
  if (permissionPromptToolName !== undefined) {
    return { decision: 'ask', why: `${reason}: the tool ${permissionPromptToolName} decides` };
  }
  return { decision: 'deny', why: `${reason}, and there is no canUseTool to ask` };
}

function reasonOf(by: PermissionRuling['by'], rule: RuleInForce | undefined, mode: PermissionMode): string {
  if (rule !== undefined) return ruleIn(rule);
  if (by === 'policy') return "its server's policy (`permission_policy`)";
  if (by === 'mode') return `permissionMode "${mode}"`;
  return 'no rule allows it';
}

function ruleIn({ rule, source }: RuleInForce): string {
  return `${source} "${rule.text}"`;
}

function warningsOf(options: Options, { rules }: PermissionState, tools: ToolPermission[]): string[] {
  const warnings = rules.flatMap(({ kind, rule, source }) => {
    const problem = ruleProblem(rule, kind);
    if (problem !== undefined)
      return [`${source} "${rule.text}" cannot be used: ${problem}. ${effectOf(kind, rule, source)}`];
    if (rule.text.startsWith(rule.tool)) return uselessRule({ kind, rule, source });
    return [`${source} "${rule.text}" is read as "${rule.tool}".`];
  });
  for (const { rule } of rules.filter(({ source }) => source === 'allowedTools')) {
    const row = tools.find(({ tool }) => tool === rule.tool);
    if (row?.visible === false) warnings.push(`allowedTools "${rule.text}" has no effect: ${row.why}.`);
  }
  const { allowedTools = [], canUseTool } = options;
  const namesBuiltInTools = allowedTools.some((rule) => !rule.startsWith('mcp__'));
  if (namesBuiltInTools && options.tools === undefined) {
    warnings.push(
      'allowedTools approves calls; it does not remove tools. To limit which tools there are, use `tools`.',
    );
  }
  if (canUseTool !== undefined && tools.length > 0 && !tools.some(({ decision }) => decision === 'ask')) {
    warnings.push('canUseTool is never called for any of these tools.');
  }
  return warnings;
}

/** Of a rule that cannot be used as it is written. */
function effectOf(kind: RuleKind, { tool }: RuleInForce['rule'], source: string): string {
  if (kind === 'allow') return 'It allows nothing.';
  // Files are read by the CLI itself, which skips such a rule.
  return source === 'disallowedTools'
    ? `It is applied to every call of "${tool}".`
    : `Tenon's runtime applies it to every call of "${tool}"; the CLI ignores it.`;
}
