/** How permission rules are read and what they match; the rows for MCP tools are what the CLI was seen to do. */
import { describe, expect, test } from 'vitest';
import {
  deniesWholeTool,
  matchesCall,
  matchesTool,
  parseRule,
  type RuleKind,
  ruleProblem,
  rulesIn,
  spelled,
  splitRules,
} from '../../src/protocol/permissions/permission-rules.js';

const tool = (server: string, name: string) => ({
  name: `mcp__${server}__${name}`.replace(/[^a-zA-Z0-9_-]/g, '_'),
  server: { name: server, source: 'sdk' },
});
const matches = (rule: string, subject: ReturnType<typeof tool>, kind: RuleKind = 'allow') =>
  matchesTool(parseRule(rule), subject, kind);

test.each([
  ['mcp__calc', 'calc', 'add', true],
  ['mcp__calc__*', 'calc', 'add', true],
  ['mcp__calc__a*', 'calc', 'add', true],
  ['mcp__calc__*dd', 'calc', 'add', true],
  ['mcp__calc__add', 'calc', 'add', true],
  [' mcp__calc__add ', 'calc', 'add', true],
  ['mcp__calc__add()', 'calc', 'add', true],
  ['mcp__calc__add(*)', 'calc', 'add', true],
  ['mcp__calc(*)', 'calc', 'add', true],
  ['mcp__calc__s*', 'calc', 'add', false],
  ['mcp__calc__a?d', 'calc', 'add', false],
  ['mcp__cal', 'calc', 'add', false],
  ['MCP__calc__add', 'calc', 'add', false],
  ['mcp__calc__', 'calc', 'add', false],
  ['mcp__*', 'calc', 'add', false],
  ['mcp__*__add', 'calc', 'add', false],
  ['*', 'calc', 'add', false],
  ['mcp__a__b', 'a__b', 'c', true],
  ['mcp__a__b', 'a', 'b__c', false],
  ['mcp__a', 'a__b', 'c', false],
  ['mcp__my_server', 'my server', 'x', true],
])('the rule %s allows the tool of the server %s called %s: (R21)', (rule, server, name, expected) => {
  expect(matches(rule, tool(server, name))).toBe(expected);
});

test.each([
  ['mcp__calc', true],
  ['mcp__calc__add', true],
  ['mcp__*', true],
  ['mcp__*__add', true],
  ['mcp__cal*', true],
  ['*add', true],
  ['*', true],
  ['*(*)', true],
  ['mcp__calc__sub', false],
  ['B*', false],
])('the rule %s denies mcp__calc__add as a whole: %s (pain 16)', (rule, expected) => {
  expect(deniesWholeTool(parseRule(rule), tool('calc', 'add'))).toBe(expected);
});

test('a pattern never allows a tool that is no server’s (R21)', () => {
  const subject = { name: 'ToolSearch', server: undefined };
  expect(matchesTool(parseRule('*'), subject, 'allow')).toBe(false);
  expect(matchesTool(parseRule('Tool*'), subject, 'allow')).toBe(false);
  expect(matchesTool(parseRule('ToolSearch'), subject, 'allow')).toBe(true);
});

describe('a specifier', () => {
  test('for commands needs a parser of shell lines: without one it fails closed (R51)', () => {
    const rule = parseRule('Bash(touch a:*)');
    const matches = (kind: RuleKind) => matchesCall(rule, { name: 'Bash' }, kind, { command: 'touch a' });
    expect([matches('allow'), matches('deny'), matches('ask')]).toEqual([false, true, true]);
    expect(deniesWholeTool(rule, { name: 'Bash' })).toBe(false);
  });

  test.each([
    ['WebFetch(domain:example.com)', 'https://example.com/x', true],
    ['WebFetch(domain:example.com)', 'https://example.com.evil.org/', false],
    ['WebFetch(domain:*.example.com)', 'https://docs.example.com/', true],
    ['WebFetch(domain:example.com)', 'no url', false],
    ['WebFetch(example.com)', 'https://example.com/', false],
  ])('%s allows %s: %s', (rule, url, expected) => {
    expect(matchesCall(parseRule(rule), { name: 'WebFetch' }, 'allow', { url })).toBe(expected);
  });

  test('that nobody can check fails closed: it allows nothing and denies everything (pain 16)', () => {
    const rule = parseRule('mcp__calc__add(x)');
    expect(matchesCall(rule, tool('calc', 'add'), 'allow', {})).toBe(false);
    expect(matchesCall(rule, tool('calc', 'add'), 'deny', {})).toBe(true);
    expect(deniesWholeTool(rule, tool('calc', 'add'))).toBe(true);
  });
});

test.each([
  ['mcp__calc__add(x)', /no specifiers/],
  ['mcp__calc__add(', /parentheses/],
  ['mcp__calc__add)', /parentheses/],
  ['Bash(ls)x', /parentheses/],
  ['(x)', /does not name a tool/],
  ['', /does not name a tool/],
  ['mcp__calc__', /after the last/],
  ['Read files', /cannot contain spaces/],
])('the rule "%s" has a problem that is named', (rule, problem) => {
  expect(ruleProblem(parseRule(rule), 'deny')).toMatch(problem);
  expect(ruleProblem(parseRule(rule), 'allow')).toMatch(problem);
});

test.each(['mcp__*', '*', 'Ba*'])(
  'the pattern %s is a problem where it allows, and none where it denies',
  (rule) => {
    expect(ruleProblem(parseRule(rule), 'allow')).toMatch(/names: write mcp__server/);
    expect(ruleProblem(parseRule(rule), 'deny')).toBeUndefined();
  },
);

test.each([
  ['Read,Write', ['Read', 'Write']],
  ['Read Write', ['Read', 'Write']],
  ['Bash(git log *, x),Read', ['Bash(git log *, x)', 'Read']],
  ['Bash(echo (a, b)) Read', ['Bash(echo (a, b))', 'Read']],
  ['mcp__s__drop,x)', ['mcp__s__drop', 'x)']],
  ['x(,mcp__s__drop', ['x(', 'mcp__s__drop']],
  ['Bash(rm *,mcp__s__drop', ['Bash(rm *', 'mcp__s__drop']],
  [' , ', []],
])('the list %s on a command line has the rules %j (R21)', (text, rules) => {
  expect(splitRules(text)).toEqual(rules);
});

test.each<[string, RuleKind, string[]]>([
  ['mcp__my server__drop', 'deny', ['mcp__my server__drop', 'mcp__my', 'server__drop']],
  ['mcp__my server__drop', 'allow', ['mcp__my server__drop']],
  ['mcp__my server', 'allow', ['mcp__my', 'server']],
  ['mcp__a mcp__b', 'deny', ['mcp__a', 'mcp__b']],
  ['mcp__a, my server', 'allow', ['mcp__a', 'my', 'server']],
])('the entry %s, to %s, has the rules %j (R21)', (entry, kind, rules) => {
  expect(rulesIn(entry, kind)).toEqual(rules);
});

test.each<[string, RuleKind, string]>([
  ['mcp__my.server__drop', 'deny', 'mcp__my_server__drop'],
  ['mcp__my.server__*', 'allow', 'mcp__my_server__*'],
  ['mcp__s__drop(x)', 'deny', 'mcp__s__drop'],
  ['mcp__s__drop(x)', 'allow', 'mcp__s__drop(x)'],
  ['x(', 'deny', 'x'],
  ['x)', 'ask', 'x'],
  ['Bash(npm run:*)', 'deny', 'Bash(npm run:*)'],
  ['Read()', 'deny', 'Read()'],
])('the CLI is told the rule %s, to %s, as %s (R21)', (text, kind, told) => {
  expect(spelled(text, kind)).toBe(told);
});
