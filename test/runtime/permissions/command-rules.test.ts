/** Rules about commands, as the Claude Code CLI was seen to read them; where it differs, ours is the stricter. */
import { describe, expect, test } from 'vitest';
import { ROOT, rulingOf, type Situation, verdict } from './support.js';

describe('without a rule', () => {
  test.each([
    ...[
      'ls',
      'ls -la',
      'cat a.txt',
      'echo hi',
      'pwd',
      'date',
      'find . -name a',
      'git status',
      'git log --oneline',
      'git diff',
    ],
    ...[
      'git branch',
      'git remote -v',
      'head -5 a.txt',
      'tail -n 3 a.txt',
      'wc -l a.txt',
      'sort a.txt',
      'grep x a.txt',
      'rg x',
    ],
    ...[
      'sed -n 1,5p a.txt',
      'cut -c1 a.txt',
      'diff a.txt b.txt',
      'stat a.txt',
      'du -sh .',
      'whoami',
      'which ls',
      'true',
    ],
    ...[
      'test -f a.txt',
      '[ -f a.txt ]',
      'cd docs',
      'cd docs && pwd',
      'ls | grep a',
      'ls; pwd',
      'ls && pwd',
      'ls\nls',
      'ls # c',
    ],
    ...[
      'echo $HOME',
      'echo a > /dev/null',
      'ls 2>/dev/null',
      'ls 2>&1',
      'cat < a.txt',
      'ls *',
      'ls docs/*.md',
      '\\ls',
      '"ls"',
    ],
    ...['if true; then ls; fi', 'node --version', 'jq . a.txt', 'LANG=C ls', 'cat ~/work/a.txt'],
  ])('R51: "%s" only reads, and runs', async (command) => {
    expect(await verdict({}, command)).toBe('allow');
    expect(await verdict({ mode: 'plan' }, command)).toBe('allow');
    expect(await verdict({ mode: 'dontAsk' }, command)).toBe('allow');
  });

  test.each([
    'touch n',
    'touch n m',
    'mkdir -p d/e',
    'rm a.txt',
    'rm -rf docs',
    'mv a.txt c',
    'cp a.txt c',
    'sed -i s/x/y/ a.txt',
    'echo a > q',
    'touch n && ls',
  ])('R51: "%s" is asked about, and runs where edits are accepted', async (command) => {
    expect(await verdict({}, command)).toBe('ask');
    expect(await verdict({ mode: 'acceptEdits' }, command)).toBe('allow');
    expect(await verdict({ mode: 'plan' }, command)).toBe('ask');
  });
});

describe('a rule', () => {
  test.each([
    [
      'curl *',
      [
        'curl',
        'curl x',
        'curl "a b"',
        'curl -o f x',
        'curl *',
        'timeout 3 curl x',
        'timeout 3 nohup curl x',
        'curl x | head',
      ],
    ],
    ['git commit:*', ['git commit', 'git commit -m a', 'git commit -m "x y" && ls']],
    ['npm run *', ['npm run a', 'npm run a && npm run b', 'npm run', '! npm run a']],
    ['git * main', ['git checkout main', 'git a b main']],
    ['xfoo*', ['xfoo', 'xfoo1', 'xfoobar a']],
    ['* --vers', ['n --vers', 'n a --vers']],
    ['make build', ['make build', 'make build && make build']],
    ['X=1 ls', ['X=1 ls']],
    [
      'touch:*',
      [
        'touch a',
        'touch a 2>&1',
        'touch a > /dev/null',
        'NODE_ENV=x touch a',
        'if true; then touch a; fi',
        '[[ -f a ]] && touch a',
      ],
    ],
  ])('R51: Bash(%s) allows %j', async (specifier, commands) => {
    for (const command of commands) {
      expect([command, await verdict({ allow: [`Bash(${specifier})`] }, command)]).toEqual([
        command,
        'allow',
      ]);
    }
  });

  test.each([
    [
      'rm:*',
      [
        'rm',
        'rm a',
        'X=1 rm a',
        '(rm a)',
        '/bin/rm a',
        'ls && rm a',
        'eval "rm a"',
        'find . -exec rm {} \\;',
      ],
      ['rmdir a', 'echo rm a', 'git rm a', 'ls # rm a', 'command -v rm'],
    ],
    [
      'git push *',
      ['git push', 'git  push a', 'git -C . push a', 'xargs git push'],
      ['git stash', 'git pull', 'echo "git push"'],
    ],
    ['exactly this', ['exactly this', 'exactly  this', '(exactly this)'], ['exactly this x']],
    ['* --force*', ['ls --force', 'ls && ls --force-x'], ['ls']],
    ['cat secret/*', ['cat secret/s', 'cat "secret/s"'], ['cat a.txt']],
  ])('R51: Bash(%s) denies %j and not %j', async (specifier, denied, others) => {
    const situation: Situation = { allow: ['Bash'], deny: [`Bash(${specifier})`] };
    for (const command of denied)
      expect([command, await verdict(situation, command)]).toEqual([command, 'deny']);
    for (const command of others)
      expect([command, await verdict(situation, command)]).toEqual([command, 'allow']);
  });

  test('R51: for every command allows what nobody understands, as long as nothing is forbidden', async () => {
    for (const command of ['$(x) y', 'bash -c "$X"', '(ls', 'ls &']) {
      expect([command, await verdict({ allow: ['Bash'] }, command)]).toEqual([command, 'allow']);
      const restricted = await verdict({ allow: ['Bash'], deny: ['Bash(rm:*)'] }, command);
      expect([command, restricted]).toEqual([command, command === 'ls &' ? 'allow' : 'ask']);
    }
  });

  test('R51: that denies a command in the script of a shell has the host asked, even where nobody is otherwise', async () => {
    const situation: Situation = { allow: ['Bash'], deny: ['Bash(rm:*)'] };
    const ruling = await rulingOf(situation, 'bash -c "rm a"');
    expect(ruling).toMatchObject({
      kind: 'ask',
      type: 'safetyCheck',
      told: { suppress_always_allow_rule: true },
    });
    expect(await verdict({ ...situation, mode: 'bypassPermissions' }, 'bash -c "rm a"')).toBe('ask');
  });
});

describe('the host is told', () => {
  const rules = (...contents: string[]) => ({
    type: 'addRules',
    rules: contents.map((ruleContent) => ({ toolName: 'Bash', ruleContent })),
    behavior: 'allow',
    destination: 'localSettings',
  });
  const accept = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  const add = (...directories: string[]) => ({ type: 'addDirectories', directories, destination: 'session' });
  const readRule = {
    type: 'addRules',
    rules: [{ toolName: 'Read', ruleContent: '//out/**' }],
    behavior: 'allow',
    destination: 'session',
  };

  test.each<[string, Record<string, unknown>]>([
    [
      'curl http://x/y',
      { permission_suggestions: [rules('curl http://x/y')], decision_reason_type: 'other' },
    ],
    ['npm run build --foo', { permission_suggestions: [rules('npm run *')] }],
    ['git commit -m "x y"', { permission_suggestions: [rules('git commit *')] }],
    ['foo', { permission_suggestions: [rules('foo')] }],
    ['sudo ls', { permission_suggestions: [rules('sudo ls')] }],
    ['X=1 ls', { permission_suggestions: [rules('X=1 ls')] }],
    [
      'npm install && npm test',
      {
        permission_suggestions: [rules('npm install *', 'npm test *')],
        decision_reason_type: 'subcommandResults',
      },
    ],
    [
      'ls; npm test',
      { permission_suggestions: [rules('npm test *')], decision_reason_type: 'subcommandResults' },
    ],
    [
      'touch new.txt',
      {
        permission_suggestions: [rules('touch new.txt'), add(ROOT), accept],
        blocked_path: `${ROOT}/new.txt`,
      },
    ],
    [
      'ls && rm a.txt',
      { permission_suggestions: [rules('ls && rm a.txt'), add(ROOT), accept], blocked_path: `${ROOT}/a.txt` },
    ],
    [
      'rm -rf docs',
      {
        permission_suggestions: [rules('rm -rf docs'), add(`${ROOT}/docs`), accept],
        blocked_path: `${ROOT}/docs`,
      },
    ],
    [
      'echo x > y.txt',
      { permission_suggestions: [rules('echo x *'), add(ROOT)], blocked_path: `${ROOT}/y.txt` },
    ],
    [
      'touch /out/n',
      { permission_suggestions: [rules('touch /out/n'), add('/out'), accept], blocked_path: '/out/n' },
    ],
    [
      'cat /out/o.txt',
      { permission_suggestions: [rules('cat /out/o.txt'), readRule], blocked_path: '/out/o.txt' },
    ],
    ['ls /', { permission_suggestions: [], blocked_path: '/' }],
    ['echo $(ls)', { permission_suggestions: [], decision_reason_type: 'other' }],
    ['ls &', { decision_reason_type: 'safetyCheck', suppress_always_allow_rule: true }],
    [
      'rm -rf .',
      { permission_suggestions: [], decision_reason_type: 'safetyCheck', suppress_always_allow_rule: true },
    ],
    [
      'touch .git/x',
      {
        permission_suggestions: [add(`${ROOT}/.git`), accept],
        blocked_path: `${ROOT}/.git/x`,
        decision_reason_type: 'safetyCheck',
      },
    ],
    [
      'mv a.txt outlink/x',
      {
        permission_suggestions: [add('/out'), accept],
        blocked_path: '/out/x',
        decision_reason_type: 'safetyCheck',
      },
    ],
  ])('R51: "%s": %j', async (command, expected) => {
    const { kind, told } = await rulingOf({}, command);
    expect({ kind, ...told }).toMatchObject({ kind: 'ask', ...expected });
  });
});

test.each(['cd docs && ls', 'cd docs && cat d.md | head -1', 'cd docs/sub; ls -la'])(
  'builtin-tools 4: "%s" runs where the model could as well read by a tool, and nothing forbids to read',
  async (command) => {
    expect(await verdict({ offersRead: true }, command)).toBe('allow');
    expect(await verdict({}, command)).toBe('ask');
    expect(await verdict({ offersRead: true, deny: ['Read(./secret/**)'] }, command)).toBe('ask');
  },
);

test.each([
  ...['cd docs && touch n', 'cd docs && cat d.md > n', 'cd docs && cd sub && ls', 'cd docs && git status'],
  ...['cd docs && cat ../a.txt', 'cd docs && cat sub/../../../h.txt', 'cd outlink && ls', 'cd .. && ls'],
  ...['pushd docs && ls', 'cd $X && ls', 'cd && ls', 'cd - && ls'],
])('R51: "%s" is asked about although the model could read by a tool', async (command) => {
  expect(await verdict({ offersRead: true }, command)).toBe('ask');
});

test('R51: where edits are accepted, sed replaces between slashes only, as in the CLI', async () => {
  expect(await verdict({ mode: 'acceptEdits' }, "sed -i 's/one/two/' a.txt")).toBe('allow');
  for (const script of ['s|one|two|', 's#one#two#', 's,one,two,']) {
    expect(await verdict({ mode: 'acceptEdits' }, `sed -i '${script}' a.txt`)).toBe('ask');
  }
});
