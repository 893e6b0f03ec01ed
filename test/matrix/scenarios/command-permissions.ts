/** Which commands run unasked, who is asked about the others, and what the host is told. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ScriptStep, text } from '../../../src/testing/index.js';
import { writeFiles } from '../support/files.js';
import { asked, bash, furnish, questions, whatRan, yes } from '../support/permission-place.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

const done = text('done');
const lines = (...commands: readonly string[]): ScriptStep[] => [...commands.map(bash), done];

const told = (outcome: Outcome): Record<string, unknown>[] =>
  outcome.calls.map(({ input }) => input as Record<string, unknown>);

/** A host that refuses, unless `more` says otherwise. */
const place =
  (more: (context: Context) => object = () => ({})): NonNullable<Scenario['options']> =>
  (context) => {
    furnish(context);
    return { tools: ['Bash'], canUseTool: asked(context), ...more(context) };
  };

export const commandPermissions: readonly Scenario[] = [
  {
    name: 'commands that only read run unasked',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: lines(
      'ls',
      'cat a.txt',
      'echo hi',
      'pwd',
      'date -u +%Z',
      'find . -name a.txt',
      'ls && cat a.txt | head -1; echo end',
      'grep one a.txt',
      'timeout 5 ls',
      'cd docs && pwd',
    ),
    options: place(),
    check: (outcome) => {
      expect(questions(outcome)).toEqual([]);
      expect(whatRan(outcome)).toEqual(Array(10).fill(true));
    },
  },
  {
    name: 'commands that change files are asked about',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: lines(
      'touch n.txt',
      'rm a.txt',
      'mkdir made',
      'mv a.txt c.txt',
      'cp a.txt c.txt',
      'sed -i s/one/two/ a.txt',
      'echo x > n.txt',
    ),
    options: place(),
    check: (outcome) => {
      expect(whatRan(outcome)).toEqual(Array(7).fill(false));
      for (const each of told(outcome)) expect(each.blockedPath).toBeDefined();
    },
  },
  {
    name: 'other commands are asked about',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: lines(
      'node x.js',
      'chmod +x a.txt',
      'npm run build',
      'chmod +x a.txt && npm test',
      'ls && chmod +x a.txt',
    ),
    options: place(),
    check: (outcome) => {
      expect(whatRan(outcome)).toEqual(Array(5).fill(false));
      expect(told(outcome)[0]).toMatchObject({ decisionReasonType: 'other' });
    },
  },
  {
    name: 'commands that reach outside of the workspace',
    cites: 's15-permission-outside, builtin-tools 4, R51',
    script: lines(
      'cat ../out/o.txt',
      'ls ../out',
      'touch ../out/n.txt',
      'cat outlink/o.txt',
      'touch outlink/n.txt',
      'cat leak.txt',
      'echo x > ../out/n.txt',
      'cd ../out && ls',
      'cd docs && ls',
      'touch outlink/../n.txt',
    ),
    options: place(),
    check: (outcome) => expect(whatRan(outcome)).toEqual(Array(10).fill(false)),
  },
  {
    name: 'commands that nobody can read are asked about',
    cites: 'builtin-tools 4, R51',
    script: lines(
      'echo $(touch n)',
      'touch $(echo n)',
      'cat <(touch n)',
      'touch $X',
      'touch n &',
      'bash -c "touch n"',
      'eval touch n',
      'echo `touch n`',
    ),
    options: place(() => ({ allowedTools: ['Bash(touch:*)'] })),
    check: (outcome) => expect(whatRan(outcome)).toEqual(Array(8).fill(false)),
  },
  {
    name: 'an allow rule must cover every part of a line',
    cites: 'builtin-tools 4, R51',
    script: lines(
      'touch n',
      'touch n && ls',
      'touch n && chmod +x n',
      'touch n; chmod +x n',
      'touch n | tee q',
      'touch n > q',
      'touch n > ../out/q',
      'touch ../out/q',
      'chmod +x a.txt',
      'touchy n',
    ),
    options: place(() => ({ allowedTools: ['Bash(touch:*)'] })),
    check: (outcome) => {
      expect(whatRan(outcome).slice(0, 5)).toEqual([true, true, false, false, false]);
      expect(whatRan(outcome).slice(6)).toEqual([false, false, false, false]);
    },
  },
  ...(['Bash(rm:*)', 'Bash(rm *)'] as const).map(
    (rule): Scenario => ({
      name: `${rule} denies each part of a line`,
      cites: 's15-permission-deny-rules, builtin-tools 4, R51',
      script: lines(
        'rm a.txt',
        'ls && rm a.txt',
        'ls; rm a.txt',
        'X=1 rm a.txt',
        '(rm a.txt)',
        '/bin/rm a.txt',
        'bash -c "rm a.txt"',
        'echo rm',
        'ls | xargs rm',
        'touch n',
      ),
      options: place((context) => ({
        allowedTools: ['Bash'],
        disallowedTools: [rule],
        canUseTool: asked(context),
      })),
      check: (outcome) => {
        expect(whatRan(outcome).slice(0, 8)).toEqual([false, false, false, false, false, false, false, true]);
        expect(questions(outcome)).toContain('bash -c "rm a.txt"');
      },
    }),
  ),
  {
    name: 'a file that must not be read, and commands',
    cites: 's15-permission-deny-rules, builtin-tools 4, R51',
    script: lines(
      'cat secret/s.txt',
      'head -1 secret/s.txt',
      'cat innocent.txt',
      'cat a.txt',
      'cat ./secret/../secret/s.txt',
      'cat < secret/s.txt',
    ),
    options: place((context) => ({
      allowedTools: ['Bash'],
      disallowedTools: ['Read(./secret/**)'],
      canUseTool: asked(context, yes),
    })),
    check: (outcome) => {
      expect(whatRan(outcome)).toEqual([false, false, false, true, false, false]);
    },
  },
  {
    name: 'commands where edits are accepted',
    cites: 'builtin-tools 4, R51',
    script: lines(
      'touch n.txt',
      'mkdir made',
      'cp a.txt c.txt',
      'mv c.txt d.txt',
      'sed -i s/one/two/ a.txt',
      'rm d.txt',
      'touch ../more/n.txt',
      'touch ../out/n.txt',
      'touch .git/n',
      'touch .bashrc',
      'chmod +x a.txt',
      'touch n && chmod +x n',
    ),
    options: place((context) => {
      const more = join(context.box.cwd, '..', 'more');
      writeFiles(more, { 'm.txt': 'one\n' });
      return { permissionMode: 'acceptEdits', additionalDirectories: [more] };
    }),
    check: (outcome) => {
      expect(whatRan(outcome)).toEqual([...Array(7).fill(true), ...Array(5).fill(false)]);
    },
  },
  ...(['dontAsk', 'bypassPermissions'] as const).flatMap((permissionMode): Scenario[] =>
    [true, false].map((hasHost) => ({
      name: `commands in the mode ${permissionMode}, ${hasHost ? 'with' : 'without'} a host that can be asked`,
      cites: 's15-plan-mode, s04r-dontask, s04r-bypass, builtin-tools 4, R51',
      script: lines('ls', 'touch n', 'mkdir made', 'chmod +x a.txt', 'cat ../out/o.txt'),
      // Tests may run as root, where the CLI has no bypassPermissions otherwise.
      env: { IS_SANDBOX: '1' },
      options: place((context) => ({
        permissionMode,
        allowedTools: ['Bash(touch:*)'],
        ...(permissionMode === 'bypassPermissions' ? { allowDangerouslySkipPermissions: true } : {}),
        canUseTool: hasHost ? asked(context) : undefined,
      })),
      check: (outcome) => {
        expect(whatRan(outcome)[0]).toBe(true);
        if (permissionMode === 'dontAsk') expect(questions(outcome)).toEqual([]);
        if (permissionMode === 'bypassPermissions') expect(whatRan(outcome)).toEqual(Array(5).fill(true));
      },
    })),
  ),
  {
    name: 'commands in the mode plan',
    cites: 's15-plan-mode, builtin-tools 4, R51',
    // The plan has a file with a name by chance, of which the model is told.
    ignore: ['model'],
    script: lines('ls', 'mkdir made', 'chmod +x a.txt'),
    options: place(() => ({ permissionMode: 'plan' })),
    check: (outcome) => expect(whatRan(outcome)).toEqual([true, false, false]),
  },
  {
    name: 'commands when nobody can be asked',
    cites: 's04-no-callback, builtin-tools 4, R51',
    script: lines('ls', 'touch n', 'chmod +x a.txt', 'cat ../out/o.txt', 'echo $(ls)'),
    options: place(() => ({ canUseTool: undefined })),
    check: (outcome) => {
      expect(whatRan(outcome)).toEqual([true, false, false, false, false]);
      const denied = outcome.messages.filter(
        (message) => message.type === 'system' && message.subtype === 'permission_denied',
      );
      expect(denied).toHaveLength(4);
    },
  },
  {
    name: 'the host allows a command, and the suggested rule for the next ones',
    cites: 's15-permission-asks, builtin-tools 4, R51',
    script: lines('mkdir made', 'mkdir other', 'npm --version x', 'npm --version x'),
    options: place((context) => ({
      canUseTool: asked(context, (input, { suggestions = [] }) => ({
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: suggestions
          .filter(({ type }) => type === 'addRules')
          .map((each) => ({ ...each, destination: 'session' as const })),
      })),
    })),
    check: (outcome) => expect(questions(outcome)).not.toHaveLength(0),
  },
  {
    name: 'the state while the host is asked about a command',
    cites: 'builtin-tools 4, R51',
    script: lines('touch n'),
    options: place((context) => ({ canUseTool: asked(context, yes) })),
    processOnly: 'What an embedded agent says of its state is not recorded.',
    check: (outcome) => {
      const states = outcome.stdout.flatMap(({ subtype, state }) =>
        subtype === 'session_state_changed' ? [state] : [],
      );
      expect(states).toEqual(['running', 'requires_action', 'running', 'idle']);
    },
  },
];
