/** What an agent knows besides what is said: memory files, skills, custom commands, styles; and /clear. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Options, SDKUserMessage } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { kinds, results, toolResults } from '../support/calc.js';
import { says } from '../support/says.js';
import type { Context, Outcome, Scenario } from '../support/scenario.js';

/** Writes files below the working directory, or below the user's folder (`~/`). */
function withFiles(files: Record<string, string>, options: Options = {}): (context: Context) => Options {
  return ({ box }) => {
    for (const [name, content] of Object.entries(files)) {
      const path = name.startsWith('~/') ? join(box.configDir, name.slice(2)) : join(box.cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    return options;
  };
}

const skill = (description: string, body: string, head = ''): string =>
  `---\ndescription: ${description}\n${head}---\n${body}`;

/** The words of one request, each with where it stands. */
function orderIn(outcome: Outcome, words: readonly string[], request = 0): string[] {
  const said = JSON.stringify(outcome.requests[request]?.body.messages);
  const found = words.filter((word) => said.includes(word));
  return found.toSorted((left, right) => said.indexOf(left) - said.indexOf(right));
}

/** One message after the other, each after the result of the one before. */
function talk(...prompts: string[]): (context: Context) => AsyncIterable<SDKUserMessage> {
  return async function* (context) {
    for (const [index, prompt] of prompts.entries()) {
      if (index > 0) await context.messages.waitFor(({ type }) => type === 'result', 'a result', index);
      yield says(prompt);
    }
  };
}

const MEMORY = {
  '~/CLAUDE.md': 'USER WORDS',
  '~/rules/own.md': 'USER RULE',
  'CLAUDE.md': 'PROJECT WORDS\n@more/a.md\n@../outside.md\n`@code.md`\n',
  'more/a.md': 'IMPORT A @b.md',
  'more/b.md': 'IMPORT B @a.md',
  'code.md': 'NOT IMPORTED',
  '../outside.md': 'OUTSIDE WORDS',
  '.claude/CLAUDE.md': 'FOLDER WORDS',
  '.claude/rules/one.md': 'RULE ONE',
  '.claude/rules/some.md': '---\npaths: sub/**\n---\nRULE FOR SOME',
  'CLAUDE.local.md': 'LOCAL WORDS',
  '../CLAUDE.md': 'PARENT WORDS',
  'AGENTS.md': 'OTHER AGENTS',
};

const MEMORY_WORDS = [
  'USER WORDS',
  'USER RULE',
  'PARENT WORDS',
  'PROJECT WORDS',
  'IMPORT A',
  'IMPORT B',
  'FOLDER WORDS',
  'RULE ONE',
  'LOCAL WORDS',
];

export const knowledge: readonly Scenario[] = [
  {
    name: 'memory files of the user, the project and the person',
    cites: 's18-memory, builtin-tools 7, R53',
    script: [text('Hello.')],
    options: withFiles(MEMORY, { tools: [] }),
    check: (outcome) => {
      expect(
        orderIn(outcome, [...MEMORY_WORDS, 'NOT IMPORTED', 'OUTSIDE', 'FOR SOME', 'OTHER AGENTS']),
      ).toEqual(MEMORY_WORDS);
    },
  },
  {
    name: 'memory files, skills and commands of the user only',
    cites: 'builtin-tools 7, R53',
    script: [text('Hello.')],
    options: withFiles(
      {
        ...MEMORY,
        '~/skills/mine/SKILL.md': skill('Mine', 'MINE'),
        '.claude/skills/ours/SKILL.md': skill('Ours', 'OURS'),
        '.claude/commands/fix.md': 'FIX',
      },
      { tools: [], settingSources: ['user'] },
    ),
    check: (outcome) => {
      expect(orderIn(outcome, MEMORY_WORDS)).toEqual(['USER WORDS', 'USER RULE']);
      expect(outcome.messages[0]).toMatchObject({ skills: expect.arrayContaining(['mine']) });
    },
  },
  {
    name: 'a skill, one that nobody knows, and those with a head of their own',
    cites: 's18-skill, builtin-tools 7, R53, R71',
    script: [
      toolUse('Skill', { skill: 'greet', args: 'Bob Smith' }),
      toolUse('Skill', { skill: 'nosuch' }),
      toolUse('Skill', { skill: 'hidden' }),
      toolUse('Skill', { skill: 'mighty' }),
      toolUse('Skill', { skill: 'a:b', args: '42' }),
      toolUse('Skill', {}),
      text('Done.'),
    ],
    options: withFiles(
      {
        '~/skills/greet/SKILL.md': skill(
          'How to greet',
          'Hello $ARGUMENTS ($1)\n',
          'argument-hint: "[who]"\n',
        ),
        '.claude/skills/greet/SKILL.md': skill('Another greeting', 'NEVER'),
        '.claude/skills/hidden/SKILL.md': skill('Hidden', 'HIDDEN', 'disable-model-invocation: true\n'),
        '.claude/skills/inner/SKILL.md': skill('Inner', 'INNER', 'user-invocable: false\n'),
        '.claude/skills/mighty/SKILL.md': skill('Mighty', 'MIGHTY', 'allowed-tools: Bash(rm:*)\n'),
        '.claude/skills/bare/SKILL.md': '# Its first line\nBARE',
        '.claude/commands/a/b.md': skill('A command', 'COMMAND $0', 'argument-hint: <issue>\n'),
      },
      { tools: ['Skill'] },
    ),
    drive: async (query) => (await query.supportedCommands()).filter(({ builtin }) => builtin !== true),
    check: (outcome) => {
      const shown = outcome.messages.flatMap((message) =>
        message.type === 'user' && message.isSynthetic ? [JSON.stringify(message.message.content)] : [],
      );
      expect(shown).toHaveLength(2);
      expect(shown[0]).toContain('Hello Bob Smith (Smith)');
      expect(shown[1]).toContain('COMMAND 42');
      expect(JSON.stringify(outcome.requests[0]?.body)).toContain('How to greet');
      expect(JSON.stringify(outcome.requests[0]?.body)).not.toContain('"Hidden"');
      expect(results(outcome)).toMatchObject([
        { num_turns: 9, permission_denials: [{ tool_name: 'Skill' }] },
      ]);
    },
  },
  {
    name: 'skills that the host has chosen, and their allowed tools',
    cites: 'builtin-tools 7, R53',
    script: [toolUse('Skill', { skill: 'mighty' }), toolUse('Skill', { skill: 'other' }), text('Done.')],
    options: withFiles(
      {
        '.claude/skills/mighty/SKILL.md': skill(
          'Mighty',
          'MIGHTY',
          'allowed-tools: [Read, "Bash(git log:*)"]\n',
        ),
        '.claude/skills/other/SKILL.md': skill('Other', 'OTHER'),
      },
      { tools: ['Skill'], skills: ['mighty'] },
    ),
    check: (outcome) => {
      expect(JSON.stringify(outcome.messages)).toContain('"allowedTools":["Read","Bash(git log:*)"]');
      expect(toolResults(outcome, 2).at(-1)).toMatchObject({ is_error: true });
    },
  },
  {
    name: 'commands that are typed, known and unknown',
    cites: 's18-command, builtin-tools 7, R53',
    prompt: talk('/fix 42 "two words"', '/plain more', '/greet Bob', '/nosuch thing', ' /plain'),
    script: [text('1'), text('2'), text('3'), text('4'), text('5')],
    options: (context) => ({
      ...withFiles({
        '.claude/commands/fix.md': skill('Fixes it', 'Fix $ARGUMENTS: $0, $1, $2, $ARGUMENTS[0], \\$0\n'),
        '.claude/commands/plain.md': 'PLAIN',
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
      expect(said).toHaveLength(5);
      expect(results(outcome).map(({ num_turns }) => num_turns)).toEqual([1, 1, 1, 1, 1]);
    },
  },
  {
    name: 'files and commands in a command, and memory below the folder of a file',
    cites: 's18-command, s18-memory, builtin-tools 7, R53, R71',
    claudeCodeOnly: 'The runtime has no tools Read and Bash yet.',
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

function noted(context: Context, input: object): object {
  const { hook_event_name: event } = input as { hook_event_name: string };
  context.note(event, input);
  return {};
}
