// A shell line, read without running it: every command that it may run, and everything about it that only the
// shell could know. What follows from that is decided elsewhere.
import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
} from 'unbash';
import { LIMITS } from '../../../protocol/base/limits.js';
import { plainWord, type ShellWord, shellWord } from './shell-word.js';

/** Why a line is not fully understood. */
export interface Doubt {
  readonly reason: string;
  /** Commands may run that were not found. Otherwise all were found, but not what they are given. */
  readonly hidesCommands: boolean;
}

export interface ShellRedirect {
  /** `data`: the text is in the line itself. */
  readonly access: 'read' | 'write' | 'data';
  /** Undefined for a descriptor, as in `2>&1`. */
  readonly target: ShellWord | undefined;
}

/** One command with its words; a line of assignments alone has none. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly { readonly name: string; readonly source: string }[];
  readonly redirects: readonly ShellRedirect[];
  /** As written, without its redirects. */
  readonly source: string;
  /** It gets the output of another command. */
  readonly isPiped: boolean;
}

export interface ShellLine {
  readonly commands: readonly ShellCommand[];
  readonly doubts: readonly Doubt[];
  /** A part goes on when the line has ended. */
  readonly isBackground: boolean;
}

export function readShellLine(source: string): ShellLine {
  if (source.length > LIMITS.shellLineLength) {
    return { commands: [], doubts: [hidden('the command is too long to be checked')], isBackground: false };
  }
  const line: Found = { commands: [], doubts: [], isBackground: false };
  if (ODD_CHARACTERS.test(source)) {
    line.doubts.push(hidden('the command has characters that cannot be seen, or that look like others'));
  }
  try {
    readScript(parse(source), source, line);
  } catch {
    // The parser is not ours: whatever it stumbles over is not understood.
    line.doubts.push(hidden('the command cannot be parsed'));
  }
  return line;
}

interface Found {
  commands: ShellCommand[];
  doubts: Doubt[];
  isBackground: boolean;
}

/** All but tab, newline and the blank that a reader cannot see, or that is a blank for the reader and none for the shell. */
const ODD_CHARACTERS = /[^\P{C}\n\t]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/u;

function hidden(reason: string): Doubt {
  return { reason, hidesCommands: true };
}

function unsure(reason: string): Doubt {
  return { reason, hidesCommands: false };
}

/** Positions in a script inside escaped backticks are those of its own source. */
function readScript(script: ParsedScript, around: string, line: Found): void {
  if (script.errors !== undefined && script.errors.length > 0) {
    line.doubts.push(hidden('the command is not complete or not valid'));
  }
  const source = script.source ?? around;
  forEachChild(script, (child) => read(child, source, line, false));
}

function read(node: SyntaxNode, source: string, line: Found, isPiped: boolean): void {
  const doubt = doubtOf(node);
  if (doubt !== undefined) line.doubts.push(doubt);
  if (node.type === 'Script') {
    readScript(node, source, line);
    return;
  }
  if (node.type === 'Statement' && node.background === true) line.isBackground = true;
  if (node.type === 'Command') line.commands.push(shellCommand(node, source, isPiped));
  const tested = testedFiles(node);
  if (tested.length > 0) line.commands.push(fileTest(tested, isPiped));
  if (node.type === 'Redirected') {
    const redirects = redirectsOf(node.redirects);
    line.commands.push({ words: [], assignments: [], redirects, source: '', isPiped });
  }
  let index = 0;
  forEachChild(node, (child) => {
    const follows = node.type === 'Pipeline' ? isCommandNode(child) && index++ > 0 : isPiped;
    read(child, source, line, follows);
  });
}

/** `[[ -f x ]]` looks at files as `test` does. */
function testedFiles(node: SyntaxNode): ShellWord[] {
  if (node.type === 'TestUnary') {
    return /^-[a-hkprsuwxGLNOS]$/.test(node.operator) ? [shellWord(node.operand)] : [];
  }
  if (node.type !== 'TestBinary' || !/^-(nt|ot|ef)$/.test(node.operator)) return [];
  return [shellWord(node.left), shellWord(node.right)];
}

function fileTest(files: readonly ShellWord[], isPiped: boolean): ShellCommand {
  return { words: [plainWord('test'), ...files], assignments: [], redirects: [], source: '', isPiped };
}

function isCommandNode({ type }: SyntaxNode): boolean {
  return type !== 'Time' && type !== 'Negation';
}

/** What each construct leaves open. Those without an entry say all there is to know. */
function doubtOf(node: SyntaxNode): Doubt | undefined {
  switch (node.type) {
    case 'Subshell':
    case 'BraceGroup':
      return unsure('a group of commands');
    case 'Time':
      return unsure('the time of a command is taken');
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
    case 'Case':
      return unsure('a loop or a choice');
    case 'Function':
    case 'Coproc':
      return unsure('a function or a coprocess');
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      return node.script === undefined
        ? hidden('a nested command cannot be read')
        : unsure('the output of a command is used as text');
    case 'BraceExpansion':
    case 'ExtendedGlob':
      return unsure('braces or patterns stand for other words');
    case 'FileDescriptorVariable':
      return hidden('a variable is assigned a descriptor');
    case 'HereDoc':
      return node.delimiter?.quoted === true ? undefined : unsure('a here-document is expanded by the shell');
    case 'ParameterExpansion':
      return isPlainParameter(node) ? unsure('a variable is expanded') : hidden('a variable is evaluated');
    case 'ArithmeticWord':
      // Names are evaluated until they are numbers, and an index may hold a command.
      return /^\d*$/.test(node.value) ? undefined : hidden('an arithmetic expression is evaluated');
    case 'ArithmeticCommand':
      return node.expression === undefined ? hidden('an arithmetic expression is evaluated') : undefined;
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R'
        ? hidden('the name of a variable is evaluated')
        : undefined;
    case 'TestBinary':
      return NUMERIC_TESTS.has(node.operator) && !(isNumber(node.left.text) && isNumber(node.right.text))
        ? hidden('an arithmetic expression is evaluated')
        : undefined;
    case 'Assignment':
      // Also in `A=([x]=1)`; and some arrays are tables of the shell itself, as `BASH_CMDS`.
      return node.index === undefined && node.value.type !== 'ArrayValue'
        ? undefined
        : hidden('an array is assigned, and its indices are evaluated');
    default:
      return undefined;
  }
}

const NUMERIC_TESTS: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

function isNumber(text: string): boolean {
  return /^-?\d+$/.test(text);
}

function isPlainParameter(node: Extract<SyntaxNode, { type: 'ParameterExpansion' }>): boolean {
  const { prefix, index, operation } = node;
  if (prefix === '!' || (index !== undefined && !/^(\d+|[@*])$/.test(index.text))) return false;
  return operation === undefined || operation.type === 'Default' || operation.type === 'Remove';
}

function shellCommand(node: Command, source: string, isPiped: boolean): ShellCommand {
  const { name, prefix, args, redirects } = node;
  const written = [name, ...args].flatMap((each) => (each === undefined ? [] : [each]));
  const assignments = prefix.flatMap((each) => (each.type === 'Assignment' ? [each] : []));
  const first = assignments[0] ?? written[0];
  return {
    words: written.map((each) => (each.type === 'Word' ? shellWord(each) : assignedWord(each.text))),
    assignments: assignments.map((each) => ({ name: each.name, source: each.text })),
    redirects: redirectsOf(redirects),
    source: first === undefined ? '' : withoutRedirects(source, first.pos, node),
    isPiped,
  };
}

/** `export A=b` declares; what it assigns may be computed. */
function assignedWord(source: string): ShellWord {
  const isPlain = /^\w+\+?=[\w./:@%+,-]*$/.test(source);
  return {
    source,
    value: isPlain ? source : undefined,
    pieces: isPlain ? [{ text: source }] : [{ any: 'text' }],
    kind: isPlain ? 'literal' : 'computed',
    hasTilde: false,
    isDisguised: false,
    variables: isPlain ? [] : undefined,
  };
}

function withoutRedirects(source: string, start: number, { end, redirects }: Command): string {
  let text = '';
  let at = start;
  for (const redirect of redirects.toSorted((a, b) => a.pos - b.pos)) {
    if (redirect.pos > at) text += source.slice(at, redirect.pos);
    at = Math.max(at, redirect.end);
  }
  return (text + source.slice(at, Math.max(at, end))).trim();
}

function redirectsOf(redirects: readonly Redirection[]): ShellRedirect[] {
  return redirects.map((redirect): ShellRedirect => {
    if (redirect.type !== 'Redirect') return { access: 'data', target: undefined };
    const target = redirect.target === undefined ? undefined : shellWord(redirect.target);
    const isDescriptor = redirect.operator.endsWith('&') && /^(\d+-?|-)$/.test(target?.value ?? '');
    const access = redirect.operator === '<' || redirect.operator === '<&' ? 'read' : 'write';
    return { access, target: isDescriptor ? undefined : target };
  });
}
