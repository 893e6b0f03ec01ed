/**
 * The same calls put to the Claude Code CLI, which lets many of them run; and calls that we let run, to see that it is not
 * stricter about these. What is on neither list is not compared.
 */
import { describe, expect, it } from 'vitest';
import { letRun } from './asked-cli.js';
import { HOSTILE, type HostileSet } from './hostile.js';
import { EVASIONS } from './hostile-evasions.js';
import { verdict } from './support.js';

/** How many of the hostile calls the CLI lets run. Of ours none does. */
const LET_BY_THE_CLI: Readonly<Record<string, number>> = {
  'rm is denied': 52,
  'git push is denied': 9,
  'touch is allowed': 1,
  'a few commands are allowed': 0,
  'nothing is allowed': 2,
  'edits are accepted': 0,
  'a directory must not be read': 23,
  'a directory must not be edited': 2,
  'nothing is allowed, and the shell evaluates': 8,
  'some commands are allowed, and others hide behind them': 8,
  'edits are accepted, and lead elsewhere': 10,
  'rm and others are denied, and run by somebody else': 61,
  'a file must not be read, and is reached from elsewhere': 22,
  'a directory must not be edited, and others may write': 17,
  'rules are written in other ways': 5,
};

/** Calls that we let run. */
const HARMLESS: Readonly<Record<string, HostileSet>> = {
  'without a rule': {
    allow: [],
    deny: [],
    calls: [
      ...[
        'ls',
        'ls -la',
        'cat a.txt',
        'echo hi',
        'pwd',
        'date',
        'date -u +%F',
        'find . -name a',
        'git status',
      ],
      ...[
        'git log --oneline',
        'git diff',
        'git show HEAD',
        'git branch',
        'git branch -a',
        'git remote -v',
        'git stash list',
      ],
      ...[
        'head -5 a.txt',
        'tail -n 3 a.txt',
        'wc -l a.txt',
        'sort a.txt',
        'grep x a.txt',
        'grep -rn x .',
        'rg x',
        'cut -c1 a.txt',
      ],
      ...[
        'sed -n 1,5p a.txt',
        'diff a.txt b.txt',
        'stat a.txt',
        'du -sh .',
        'whoami',
        'which ls',
        'true',
        'type ls',
        'id',
      ],
      ...[
        'test -f a.txt',
        '[ -f a.txt ]',
        'ls | grep a',
        'ls; pwd',
        'ls && pwd',
        'ls\nls',
        'ls # c',
        'uname -a',
        'sleep 1',
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
      ...['if true; then ls; fi', 'node --version', 'jq . a.txt', 'LANG=C ls', 'timeout 5 ls', 'command ls'],
      ...[
        'basename a/b',
        'dirname a/b',
        'realpath a.txt',
        'readlink a.txt',
        'tr a b',
        'seq 3',
        'nl a.txt',
        'tac a.txt',
        'rev a.txt',
      ],
      ...[
        'md5sum a.txt',
        'sha256sum a.txt',
        'base64 a.txt',
        'file a.txt',
        'strings a.txt',
        'od -c a.txt',
        'hexdump -C a.txt',
      ],
      ...[
        'cmp a.txt b.txt',
        'comm a.txt b.txt',
        'paste a.txt b.txt',
        'column -t a.txt',
        'expr 1 + 1',
        'printf %s x',
        'df -h',
        'ps aux',
      ],
      ...[
        'uptime',
        'free -m',
        'nproc',
        'arch',
        'locale',
        'hostname',
        'cal',
        'tree',
        'git ls-files',
        'git rev-parse HEAD',
        'git blame a.txt',
      ],
      ...['! ls', '[[ -f a.txt ]] && ls', 'cd docs', 'cd docs && pwd'],
    ],
  },
  'where edits are accepted': {
    allow: [],
    deny: [],
    mode: 'acceptEdits',
    calls: [
      'touch n',
      'mkdir -p d/e',
      'cp a.txt c',
      'mv c d2',
      'sed -i s/x/y/ a.txt',
      'echo a > q',
      'touch n && ls',
      'rm q',
      'rm -rf d',
      ['Write', '@cwd/w.txt'],
    ],
  },
  'with rules': {
    allow: ['Bash(curl *)', 'Bash(npm run:*)', 'Bash(touch:*)', 'Edit(docs/**)'],
    deny: ['Bash(rm:*)'],
    calls: [
      'curl x',
      'npm run build',
      'touch n',
      'touch n && ls',
      'timeout 5 npm run x',
      'curl x | head',
      ['Write', '@cwd/docs/w.md'],
    ],
  },
};

describe('the Claude Code CLI', { timeout: 300_000 }, () => {
  it.each(Object.entries({ ...HOSTILE, ...EVASIONS }))(
    'R51: is asked about every hostile call where %s',
    async (name, set) => {
      expect(await letRun(set)).toHaveLength(LET_BY_THE_CLI[name] ?? 0);
    },
  );

  it.each(Object.entries(HARMLESS))('R51: lets run what we let run %s', async (_, set) => {
    const { calls, ...situation } = set;
    const ours = [];
    for (const call of calls) {
      const placed = typeof call === 'string' ? call : ([call[0], call[1].replace('@cwd/', '')] as const);
      if ((await verdict(situation, placed)) === 'allow') ours.push(call);
    }
    expect(ours).toEqual(calls);
    expect(await letRun(set)).toEqual(calls);
  });
});
