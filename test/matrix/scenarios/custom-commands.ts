/** What is typed: custom commands, /clear; and how the agent should answer. */
import { expect } from 'vitest';
import { text, toolUse } from '../../../src/testing/index.js';
import { kinds, results } from '../support/calc.js';
import { noted, orderIn, skill, talk, withFiles } from '../support/known-files.js';
import { says } from '../support/says.js';
import type { Context, Scenario } from '../support/scenario.js';

/** Makes a file when it is filled in. */
const ACTING = skill('Acts', 'Act: !`touch made.txt`', 'allowed-tools: Bash(touch:*)\n');

export const customCommands: readonly Scenario[] = [
  {
    name: 'commands that are typed, known and unknown',
    cites: 's18-command, builtin-tools 7, R53',
    prompt: talk('/fix 42 "two words"', '/plain more', '/greet Bob', '/nosuch thing', ' /plain', '/a:b 7'),
    script: [text('1'), text('2'), text('3'), text('4'), text('5'), text('6')],
    options: (context) => ({
      ...withFiles({
        '.claude/commands/fix.md': skill('Fixes it', 'Fix $ARGUMENTS: $0, $1, $2, $ARGUMENTS[0], \\$0\n'),
        '.claude/commands/plain.md': 'PLAIN',
        '.claude/commands/a/b.md': 'INNER $ARGUMENTS',
        '.claude/skills/greet/SKILL.md': skill('Greets', 'GREET $who', 'arguments: [who]\n'),
      })(context),
      tools: [],
      extraArgs: { 'replay-user-messages': null },
      hooks: {
        UserPromptSubmit: [{ hooks: [async (input) => noted(context, input)] }],
        UserPromptExpansion: [{ hooks: [async (input) => noted(context, input)] }],
      },
    }),
    check: (outcome) => {
      const said = outcome.requests.map(({ body }) => JSON.stringify(body.messages.at(-1) ?? body.messages));
      expect(JSON.stringify(outcome.requests[0]?.body.messages)).toContain(
        'Fix 42 \\"two words\\": 42, two words, $2, 42, $0',
      );
      expect(JSON.stringify(outcome.requests[1]?.body.messages)).toContain('PLAIN\\n\\nARGUMENTS: more');
      expect(JSON.stringify(outcome.requests[2]?.body.messages)).toContain('GREET Bob');
      expect(JSON.stringify(outcome.requests[5]?.body.messages)).toContain('INNER 7');
      expect(said).toHaveLength(6);
      expect(results(outcome).map(({ num_turns }) => num_turns)).toEqual([1, 1, 1, 1, 1, 1]);
    },
  },
  {
    name: 'files and commands in a command, and memory below the folder of a file',
    cites: 's18-command, s18-memory, builtin-tools 7, R53, R71',
    prompt: talk('/fix 42', '/bad'),
    script: [toolUse('Read', { file_path: 'sub/deep/x.txt' }), text('Done.')],
    options: withFiles(
      {
        '.claude/commands/fix.md': 'Fix $0, !`echo shell-42`, see @note.txt and @missing.txt',
        '.claude/commands/bad.md': 'Make it: !`touch made.txt`',
        'note.txt': 'A NOTE',
        'sub/CLAUDE.md': 'NESTED WORDS @more.md',
        'sub/more.md': 'NESTED IMPORT',
        'sub/CLAUDE.local.md': 'NESTED LOCAL',
        'sub/deep/CLAUDE.md': 'DEEP WORDS',
        'sub/deep/x.txt': 'x',
        '.claude/rules/some.md': '---\npaths: sub/**\n---\nRULE FOR SOME',
      },
      { tools: ['Read', 'Bash'] },
    ),
    check: (outcome) => {
      expect(JSON.stringify(outcome.requests[0]?.body.messages)).toContain('Fix 42, shell-42, see @note.txt');
      expect(orderIn(outcome, ['A NOTE', 'NESTED'])).toEqual(['A NOTE']);
      const below = ['NESTED WORDS', 'NESTED IMPORT', 'NESTED LOCAL', 'DEEP WORDS', 'RULE FOR SOME'];
      expect(orderIn(outcome, below, 1)).toEqual(below);
      expect(results(outcome).at(-1)).toMatchObject({ num_turns: 0, local_command: 'custom' });
    },
  },
  {
    name: 'a command of the user that allows itself something',
    cites: 'builtin-tools 7, R53',
    prompt: '/act',
    script: [text('Done.')],
    options: withFiles({ '~/commands/act.md': ACTING }, { tools: ['Bash'] }),
    check: (outcome) => expect(results(outcome)).toMatchObject([{ result: 'Done.' }]),
  },
  {
    name: 'a command of an untrusted checkout that would allow itself something',
    cites: 'builtin-tools 4, R71',
    prompt: '/act',
    script: [text('Done.')],
    options: withFiles({ '.claude/commands/act.md': ACTING }, { tools: ['Bash'] }),
    ignore: ['messages', 'model'],
    check: (outcome) => expect(outcome.requests).toHaveLength(1),
  },
  {
    name: 'a mentioned file that a rule forbids, beside one that none forbids',
    cites: 'builtin-tools 4, R53, R71',
    prompt: 'See @note.txt and @secret.txt',
    script: [text('Done.')],
    options: withFiles(
      { 'note.txt': 'A NOTE', 'secret.txt': 'A SECRET' },
      { tools: ['Read'], disallowedTools: ['Read(./secret.txt)'] },
    ),
    check: (outcome) => expect(orderIn(outcome, ['A NOTE', 'A SECRET'])).toEqual(['A NOTE']),
  },
  {
    name: 'a mentioned file brings the memory of its folder',
    cites: 'builtin-tools 7, R53',
    prompt: 'See @sub/note.txt',
    script: [text('Done.')],
    options: withFiles({ 'sub/note.txt': 'A NOTE', 'sub/CLAUDE.md': 'NESTED WORDS' }, { tools: ['Read'] }),
    check: (outcome) =>
      expect(orderIn(outcome, ['A NOTE', 'NESTED WORDS']).sort()).toEqual(['A NOTE', 'NESTED WORDS']),
  },
  {
    name: 'a file that is mentioned where the tool Read is taken away',
    cites: 'R71',
    prompt: 'See @secret.txt',
    script: [text('Done.')],
    options: withFiles({ 'secret.txt': 'A SECRET' }, { tools: ['Read'], disallowedTools: ['Read'] }),
    check: (outcome) => expect(orderIn(outcome, ['A SECRET'])).toEqual(['A SECRET']),
  },
  {
    name: 'a conversation that is cleared',
    cites: 's18-clear, builtin-tools 7, R53',
    prompt: talk('first words', '/clear', 'second words'),
    script: [text('ok'), text('ok')],
    options: (context) => ({
      ...withFiles({ 'CLAUDE.md': 'PROJECT WORDS' })(context),
      tools: [],
      hooks: {
        SessionEnd: [{ hooks: [async (input) => noted(context, input)] }],
        SessionStart: [{ matcher: 'clear', hooks: [async (input) => noted(context, input)] }],
      },
    }),
    check: (outcome) => {
      expect(kinds(outcome.messages)).toContain('conversation_reset');
      const [before, cleared, after] = results(outcome);
      expect(cleared).toMatchObject({ num_turns: 0, result: '', total_cost_usd: 0, local_command: 'clear' });
      expect(cleared?.session_id).not.toBe(before?.session_id);
      expect(after?.session_id).toBe(cleared?.session_id);
      expect(orderIn(outcome, ['first words', 'PROJECT WORDS', 'second words'], 1)).toEqual([
        'PROJECT WORDS',
        'second words',
      ]);
    },
  },
  {
    name: 'a conversation that is cleared by the other names of the command',
    cites: 's18-clear, builtin-tools 7, R53',
    prompt: talk('first words', '/reset', 'second words', '/new', 'third words'),
    script: [text('ok'), text('ok'), text('ok')],
    options: () => ({ tools: [] }),
    check: (outcome) => {
      const names = results(outcome).map((result) => (result as { local_command?: string }).local_command);
      expect(names).toEqual([undefined, 'reset', undefined, 'new', undefined]);
      expect(orderIn(outcome, ['first words', 'second words', 'third words'], 2)).toEqual(['third words']);
    },
  },
  {
    name: 'an output style, the preset prompt and skills that are read again',
    cites: 'builtin-tools 7, R53',
    prompt: async function* ({ calls }) {
      yield says('one');
      await calls.waitFor(({ name }) => name === 'reloaded', 'skills that are read again');
      yield says('two');
    },
    script: [text('ok'), text('ok')],
    options: (context) => ({
      ...withFiles({
        '.claude/output-styles/pirate.md': '---\nname: Pirate\n---\nPIRATE WORDS',
        '.claude/skills/one/SKILL.md': skill('The first', 'ONE'),
      })(context),
      tools: ['Skill'],
      settings: { outputStyle: 'Pirate' },
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'APPENDED WORDS' },
    }),
    drive: async (query, { messages, box, note }) => {
      await messages.waitFor(({ type }) => type === 'result', 'the first result');
      withFiles({ '.claude/skills/two/SKILL.md': skill('The second', 'TWO') })({ box } as Context);
      const { skills } = await query.reloadSkills();
      note('reloaded');
      return skills.flatMap(({ name, description }) =>
        /\(project\)$/.test(description) ? [{ name, description }] : [],
      );
    },
    // The list of all commands has those of Claude Code in it.
    ignore: ['messages'],
    check: (outcome) => {
      expect(outcome.messages[0]).toMatchObject({ output_style: 'Pirate' });
      expect(JSON.stringify(outcome.requests[0]?.body)).toContain('PIRATE WORDS');
      expect(JSON.stringify(outcome.requests[0]?.system)).toContain('APPENDED WORDS');
      expect(JSON.stringify(outcome.requests[0]?.body)).toContain('The first');
      expect(JSON.stringify(outcome.requests[1]?.body)).toContain('The second');
      expect(kinds(outcome.messages)).toContain('system/commands_changed');
      expect(JSON.stringify(outcome.requests[0]?.body)).toContain(
        outcome.aliases.find(([, alias]) => alias === '<cwd>')?.[0],
      );
    },
  },
];
