/** Rules about files, as the Claude Code CLI was seen to read them; where it differs, ours is the stricter. */
import { describe, expect, test } from 'vitest';
import { type Call, HOME, ROOT, rulingOf, type Situation, verdict } from './support.js';

const read = (path: string): Call => ['Read', path];
const write = (path: string): Call => ['Write', path];

test.each([
  ['secret/**', ['secret/s.txt', 'src/secret/x.txt', 'innocent.txt', 'docs/../secret/s.txt'], ['a.txt']],
  ['./secret/**', ['secret/s.txt', 'src/secret/x.txt', 'innocent.txt'], ['a.txt']],
  ['/secret/**', ['secret/s.txt', 'innocent.txt'], ['src/secret/x.txt']],
  ['secret', ['secret/s.txt', 'src/secret/x.txt'], ['a.txt']],
  ['secret/', ['secret/s.txt', 'src/secret/x.txt'], ['a.txt']],
  ['secret/*', ['secret/s.txt'], ['src/secret/x.txt']],
  ['*.env', ['.env', 'x.env', 'sub/.env'], ['a.txt']],
  ['**/.env', ['.env', 'sub/.env'], ['x.env']],
  ['~/h.txt', [`${HOME}/h.txt`], ['h.txt']],
  ['~/.ssh/**', [`${HOME}/.ssh/id`], [`${HOME}/h.txt`]],
  ['//out/**', ['/out/o.txt', 'outlink/o.txt'], ['/outer/o.txt']],
  ['//out', ['/out/o.txt'], ['a.txt']],
  ['docs/*.md', ['docs/d.md', 'doclink/d.md'], ['docs/sub/e.md']],
  ['docs/**/*.md', ['docs/d.md', 'docs/sub/e.md'], ['a.txt']],
  ['doclink/**', ['doclink/d.md'], ['docs/d.md']],
  ['s?cret/**', ['secret/s.txt'], ['screte/s.txt']],
  ['[as]*.txt', ['a.txt', 'secret/s.txt'], ['b.txt']],
  ['SECRET/**', ['secret/s.txt'], ['a.txt']],
  ['{secret,docs}/**', ['secret/s.txt', 'docs/d.md'], ['a.txt']],
])('R51: Read(%s) denied bars %j and not %j', async (pattern, barred, others) => {
  const situation: Situation = { allow: ['Read'], deny: [`Read(${pattern})`] };
  for (const path of barred) expect([path, await verdict(situation, read(path))]).toEqual([path, 'deny']);
  for (const path of others) expect([path, await verdict(situation, read(path))]).toEqual([path, 'allow']);
});

test.each([
  ['//out/**', ['/out/o.txt', '/out'], ['outlink/o.txt', '/outer/o.txt']],
  ['//out/o.txt', ['/out/o.txt'], ['/out/p.txt']],
  ['//**', ['/out/o.txt', 'outlink/o.txt'], []],
  ['~/**', [`${HOME}/h.txt`], ['/out/o.txt']],
  ['/out/**', [], ['/out/o.txt']],
  ['outlink/**', [], ['outlink/o.txt']],
  ['../out/**', [], ['/out/o.txt']],
  ['**', [], ['/out/o.txt', 'outlink/o.txt']],
  ['*', ['a.txt', 'docs/d.md'], ['/out/o.txt', 'outlink/o.txt']],
  ['', ['a.txt'], ['/out/o.txt', 'outlink/o.txt']],
])('R51: Read(%s) allowed opens %j and not %j', async (pattern, opened, others) => {
  const situation: Situation = { allow: [`Read(${pattern})`] };
  for (const path of opened) expect([path, await verdict(situation, read(path))]).toEqual([path, 'allow']);
  for (const path of others) expect([path, await verdict(situation, read(path))]).toEqual([path, 'ask']);
});

test.each([
  ['Edit(docs/**)', ['docs/n.md', 'docs/sub/n.md'], ['n.md', 'src/docs/n.md', 'DOCS/n.md', 'doclink/n.md']],
  ['Edit(/docs/**)', ['docs/n.md'], ['src/docs/n.md']],
  ['Edit(*.md)', ['n.md', 'docs/n.md'], ['n.txt']],
  ['Edit(//out/**)', ['/out/n.md'], ['n.md']],
  ['Write(docs/**)', [], ['docs/n.md']],
])('R51: %s allows to write %j and asks about %j', async (rule, allowed, asked) => {
  for (const path of allowed)
    expect([path, await verdict({ allow: [rule] }, write(path))]).toEqual([path, 'allow']);
  for (const path of asked)
    expect([path, await verdict({ allow: [rule] }, write(path))]).toEqual([path, 'ask']);
});

test('R51: a pattern with one slash starts where it was written', async () => {
  const deny = ['Read(/p/**)'];
  const user: Situation = { deny, allow: ['Read'], source: 'userSettings' };
  expect(await verdict(user, read(`${HOME}/.claude/p/x`))).toBe('deny');
  expect(await verdict(user, read('p/x'))).toBe('allow');
  expect(await verdict({ ...user, source: 'projectSettings' }, read('p/x'))).toBe('deny');
});

describe('where a file is decides', () => {
  test.each<[Situation, Call, 'allow' | 'ask' | 'deny']>([
    [{}, read('a.txt'), 'allow'],
    [{}, read('missing'), 'allow'],
    [{}, read('/out/o.txt'), 'ask'],
    [{ directories: ['/out'] }, read('/out/o.txt'), 'allow'],
    [{ directories: ['/out'] }, read('outlink/o.txt'), 'allow'],
    [{ directories: ['../'] }, read(`${HOME}/h.txt`), 'allow'],
    [{ directories: ['~/x'] }, read(`${HOME}/x/y`), 'allow'],
    [{ directories: ['/out'], deny: ['Read(p/**)'] }, read('/out/p/x'), 'deny'],
    [{}, read('/kept/results/1.txt'), 'allow'],
    [{}, write('/kept/results/1.txt'), 'ask'],
    [{}, write('n.txt'), 'ask'],
    [{ mode: 'acceptEdits' }, write('n.txt'), 'allow'],
    [{ mode: 'acceptEdits', directories: ['/out'] }, write('/out/n.txt'), 'allow'],
    [{ mode: 'plan', allow: ['Write'] }, write('n.txt'), 'ask'],
    [{ mode: 'plan' }, read('a.txt'), 'allow'],
    [{ mode: 'bypassPermissions' }, write('.git/config'), 'allow'],
    [{ mode: 'bypassPermissions' }, write('innocent.txt'), 'deny'],
    [{ mode: 'bypassPermissions', deny: ['Read(secret/**)'] }, read('secret/s.txt'), 'deny'],
    [{ allow: ['Write'] }, write('/out/n.txt'), 'allow'],
    [{ allow: ['Write'] }, write('.git/config'), 'ask'],
    [{ ask: ['Read(docs/**)'], allow: ['Read'] }, read('docs/d.md'), 'ask'],
    [{ ask: ['Edit(docs/**)'], allow: ['Write'] }, write('docs/n'), 'ask'],
  ])('R51: %j, %j: %s', async (situation, call, expected) => {
    expect(await verdict(situation, call)).toBe(expected);
  });
});

describe('the host is told', () => {
  const told = async (situation: Situation, call: Call) => (await rulingOf(situation, call)).told;
  const rule = (directory: string) => ({
    type: 'addRules',
    rules: [{ toolName: 'Read', ruleContent: `/${directory}/**` }],
    behavior: 'allow',
    destination: 'session',
  });
  const accept = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  const add = (...directories: string[]) => ({ type: 'addDirectories', directories, destination: 'session' });

  test.each<[Situation, Call, Record<string, unknown>]>([
    [{}, write('n.txt'), { permission_suggestions: [accept], server_policy_ask_only: true }],
    [
      {},
      write('/out/n.txt'),
      { permission_suggestions: [accept, add('/out')], decision_reason_type: 'workingDir' },
    ],
    [{ mode: 'acceptEdits' }, write('/out/n.txt'), { permission_suggestions: [add('/out')] }],
    [
      {},
      read('/out/o.txt'),
      {
        permission_suggestions: [rule('/out')],
        decision_reason_type: 'workingDir',
        server_policy_ask_only: true,
      },
    ],
    [{}, ['Grep', '/out'], { permission_suggestions: [rule('/out')], decision_reason_type: 'workingDir' }],
    [
      {},
      read('passwords'),
      {
        permission_suggestions: [rule(ROOT)],
        blocked_path: '/etc/passwd',
        decision_reason_type: 'workingDir',
      },
    ],
    [
      {},
      read('outlink/o.txt'),
      { permission_suggestions: [rule(`${ROOT}/outlink`), rule('/out')], blocked_path: '/out/o.txt' },
    ],
    [
      { mode: 'acceptEdits' },
      write('outlink/n.txt'),
      {
        permission_suggestions: [add(`${ROOT}/outlink`, '/out')],
        blocked_path: '/out/n.txt',
        decision_reason_type: 'safetyCheck',
        suppress_always_allow_rule: true,
      },
    ],
    [
      { mode: 'acceptEdits' },
      write('.git/config'),
      { permission_suggestions: [], decision_reason_type: 'safetyCheck' },
    ],
    [{ mode: 'plan' }, write('n.txt'), { decision_reason_type: 'mode' }],
  ])('R51: %j, %j: %j', async (situation, call, expected) => {
    expect(await told(situation, call)).toMatchObject(expected);
  });
});
