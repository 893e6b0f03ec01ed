// Rules of `allowedTools`, `disallowedTools` and permission updates: how they are parsed, and what they
// match. The runtime decides by them, and `explainPermissions()` reports what it would decide.
import { mcpRuleName, mcpToolPrefix } from '../../mcp/tool-names.js';
import { currentToolName } from '../wire/names.js';

/** A parsed rule. */
export interface PermissionRule {
  readonly text: string;
  /** A tool's name, `mcp__server`, or a pattern with `*`, spelled as the names of tools are. */
  readonly tool: string;
  /** The text in parentheses; undefined when the rule covers every call of the tool. */
  readonly specifier: string | undefined;
  /** Why the rule can never do what it seems to say. */
  readonly problem: string | undefined;
}

/** The tool that a rule is matched against. */
export interface RuleSubject {
  readonly name: string;
  readonly server?: { readonly name: string } | undefined;
}

/** Only `allow` grants anything, so its patterns must name a server; `deny` and `ask` restrict. */
export type RuleKind = 'allow' | 'deny' | 'ask';

const WHOLE = /^([^()]*)(?:\((.*)\))?$/s;

/**
 * `Tool`, `Tool()`, `Tool(*)` and `Tool(specifier)`. Anything else keeps its name part and has a `problem`.
 */
export function parseRule(text: string): PermissionRule {
  const written = text.trim();
  const [, tool, specifier] = WHOLE.exec(written) ?? [];
  if (tool === undefined) {
    const problem = 'its parentheses do not match: write Tool or Tool(specifier)';
    return {
      text: written,
      tool: mcpRuleName(written.split(/[()]/)[0] ?? ''),
      specifier: undefined,
      problem,
    };
  }
  return {
    text: written,
    tool: mcpRuleName(tool),
    specifier: specifier === '' || specifier === '*' ? undefined : specifier,
    problem: problemOf(tool, specifier),
  };
}

/** The text of a rule in a permission update. */
export function ruleText({ toolName, ruleContent }: { toolName: string; ruleContent?: string }): string {
  return ruleContent === undefined || ruleContent === '' ? toolName : `${toolName}(${ruleContent})`;
}

/** Why a rule of this kind can never match, or undefined. */
export function ruleProblem(rule: PermissionRule, kind: RuleKind): string | undefined {
  if (rule.problem !== undefined) return rule.problem;
  if (kind === 'allow' && rule.tool.includes('*') && !/^mcp__[^*]+__/.test(rule.tool)) {
    return 'a pattern can allow only the tools of a server that it names: write mcp__server__*';
  }
  return undefined;
}

function problemOf(tool: string, specifier: string | undefined): string | undefined {
  if (tool === '') return 'it does not name a tool';
  if (/^mcp__.*__$/.test(tool) || tool === 'mcp__') return 'nothing comes after the last "__"';
  if (tool.includes(',')) return 'it names more than one tool: give each a rule of its own';
  if (/\s/.test(tool) && !tool.startsWith('mcp__')) return "a tool's name cannot contain spaces";
  if (FILE_TOOLS.has(tool) && specifier?.startsWith('!')) {
    return 'a rule cannot begin with "!": write what it is about, not what it is not';
  }
  if (!tool.startsWith('mcp__')) return undefined;
  if (specifier !== undefined && specifier !== '' && specifier !== '*') {
    return 'tools of MCP servers have no specifiers: check the input in canUseTool or a PreToolUse hook';
  }
  return undefined;
}

/** Whether the rule concerns the tool, whatever its input. */
export function matchesTool(rule: PermissionRule, subject: RuleSubject, kind: RuleKind): boolean {
  const { name, server } = subject;
  const tool = currentToolName(rule.tool);
  if (tool === name) return true;
  const prefix = server === undefined ? undefined : mcpToolPrefix(server.name);
  if (tool === prefix) return true;
  if (!tool.includes('*')) return false;
  // `mcp__*` and `*` allow nothing, so that nobody allows every tool of every server by accident.
  if (kind === 'allow' && (prefix === undefined || !tool.startsWith(`${prefix}__`))) return false;
  return matchesWildcard(tool, name);
}

/** Checks of specifiers that need more than this file: shell commands take a parser. */
export type SpecifierChecks = Readonly<Record<string, SpecifierCheck>>;

export type SpecifierCheck = (
  specifier: string,
  input: Readonly<Record<string, unknown>>,
  kind: RuleKind,
) => boolean;

/**
 * Whether the rule concerns this call. A specifier that cannot be checked fails closed: such a rule allows
 * nothing, and denies every call of its tool.
 */
export function matchesCall(
  rule: PermissionRule,
  subject: RuleSubject,
  kind: RuleKind,
  input: Readonly<Record<string, unknown>>,
  checks: SpecifierChecks = {},
): boolean {
  if (!matchesTool(rule, subject, kind)) return false;
  if (rule.problem !== undefined) return kind !== 'allow';
  if (rule.specifier === undefined) return true;
  const check = OWN_CHECKS[subject.name] ?? checks[subject.name];
  return check?.(rule.specifier, input, kind) ?? kind !== 'allow';
}

/** Whether the whole tool is denied, so that it need not be offered at all. */
export function deniesWholeTool(rule: PermissionRule, subject: RuleSubject): boolean {
  if (!matchesTool(rule, subject, 'deny')) return false;
  return rule.problem !== undefined || rule.specifier === undefined || !hasSpecifiers(subject.name);
}

const OWN_CHECKS: SpecifierChecks = {
  WebFetch: (specifier, { url }) => matchesDomain(specifier, String(url ?? '')),
  // Who is barred by `Agent(name)` is not even offered; the tool itself says so when it is called.
  Agent: (specifier, { subagent_type }, kind) =>
    kind !== 'deny' && matchesWildcard(specifier, String(subagent_type ?? 'general-purpose')),
  Skill: (specifier, { skill }) => matchesSkill(specifier, String(skill ?? '')),
};

/** The tools whose rules name files. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['Edit', 'Glob', 'Grep', 'NotebookEdit', 'Read', 'Write']);

/** The tools whose specifiers can be checked, as in the Claude Code CLI. */
function hasSpecifiers(tool: string): boolean {
  return tool === 'Bash' || FILE_TOOLS.has(tool) || Object.hasOwn(OWN_CHECKS, tool);
}

/** A skill's name; `name:*` is the skill with any arguments, and those of a plugin of that name. */
function matchesSkill(specifier: string, skill: string): boolean {
  const name = skill.trim().replace(/^\//, '');
  const [, prefix] = /^(.*?):\*$/.exec(specifier) ?? [];
  if (prefix === undefined) return matchesWildcard(specifier, name);
  return name === prefix || name.startsWith(`${prefix}:`);
}

function matchesDomain(specifier: string, url: string): boolean {
  const domain = /^domain:(.+)$/.exec(specifier)?.[1];
  try {
    return domain !== undefined && matchesWildcard(domain.toLowerCase(), new URL(url).hostname);
  } catch {
    return false;
  }
}

/**
 * `*` matches anything, also nothing; every other character matches itself. Each part is looked for once, behind the one
 * before: an expression would try every way to split a long name, and names come from strangers.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  const end = text.length - tail.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

// Lists of rules as people write them, and as the CLI reads them.

/**
 * The rules of a text as on a command line: commas and blanks separate, except inside parentheses. One that
 * opens and never closes does not swallow the rules after it.
 */
export function splitRules(text: string): string[] {
  const rules: string[] = [];
  let start = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '(') depth += 1;
    else if (character === ')') depth = Math.max(0, depth - 1);
    else if (depth === 0 && SEPARATOR.test(character)) {
      rules.push(text.slice(start, index));
      start = index + 1;
    }
  }
  const rest = text.slice(start);
  rules.push(...(depth === 0 ? [rest] : rest.split(',')));
  return rules.map((rule) => rule.trim()).filter((rule) => rule !== '');
}

const SEPARATOR = /[,\s]/;

/**
 * The rules of one entry of `allowedTools` or `disallowedTools`. An entry may be a list itself, but blanks
 * may also be part of a server's name (`mcp__my server__drop`): where both are possible, both are denied.
 */
export function rulesIn(entry: string, kind: RuleKind): string[] {
  const parts = splitRules(entry);
  const [first = '', ...others] = parts;
  const isOneName =
    first.startsWith('mcp__') && !/[,()]/.test(entry) && !others.some((part) => part.startsWith('mcp__'));
  if (others.length === 0 || !isOneName) return parts;
  if (kind !== 'allow') return [entry.trim(), ...parts];
  return others.some((part) => part.includes('__')) ? [entry.trim()] : parts;
}

/**
 * The rule in the words in which the CLI reads it as we do. What restricts and cannot be enforced as written
 * is a rule for the whole tool.
 */
export function spelled(text: string, kind: RuleKind): string {
  const rule = parseRule(text);
  if (rule.problem !== undefined) return kind === 'allow' ? rule.text : rule.tool;
  if (rule.text.startsWith(rule.tool)) return rule.text;
  return rule.specifier === undefined ? rule.tool : `${rule.tool}(${rule.specifier})`;
}

/** What its author should know about a rule, or undefined. */
export function ruleWarning(rule: PermissionRule, kind: RuleKind): string | undefined {
  const problem = ruleProblem(rule, kind);
  if (problem !== undefined) {
    const effect =
      kind === 'allow' ? 'It allows nothing.' : `It is treated as a rule for all of "${rule.tool}".`;
    return `The ${kind} rule "${rule.text}" cannot be used: ${problem}. ${effect}`;
  }
  if (kind === 'allow' && rule.specifier !== undefined && /^(Write|NotebookEdit)$/.test(rule.tool)) {
    return `The allow rule "${rule.text}" allows nothing: paths that may be changed are named by Edit(${rule.specifier}).`;
  }
  if (rule.text.startsWith(rule.tool)) return undefined;
  return `The ${kind} rule "${rule.text}" is read as "${rule.tool}": in the names of tools, other characters than letters, digits, "_" and "-" become "_".`;
}
