/** What an agent knows besides what is said: memory files, skills and plugins. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { text, toolUse } from '../../../src/testing/index.js';
import { results, toolResults } from '../support/calc.js';
import { orderIn, skill, withFiles } from '../support/known-files.js';
import type { Scenario } from '../support/scenario.js';

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

const ROOT = `\${CLAUDE_PLUGIN_ROOT}`;

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
    name: 'a memory file of an untrusted checkout that leads out of it',
    cites: 'builtin-tools 7, R71',
    script: [text('Hello.')],
    options: ({ box }) => {
      writeFileSync(join(box.home, 'secret.md'), 'SECRET WORDS');
      symlinkSync(join(box.home, 'secret.md'), join(box.cwd, 'CLAUDE.md'));
      return { tools: [] };
    },
    check: (outcome) => expect(orderIn(outcome, ['SECRET WORDS'])).toEqual(['SECRET WORDS']),
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
    name: 'nothing of files where no source is read',
    cites: 'builtin-tools 7, R53, R71',
    prompt: '/fix',
    script: [text('Hello.')],
    options: withFiles(
      {
        ...MEMORY,
        '~/skills/mine/SKILL.md': skill('Mine', 'MINE'),
        '.claude/skills/ours/SKILL.md': skill('Ours', 'OURS'),
        '.claude/commands/fix.md': 'FIX',
        '.claude/output-styles/pirate.md': skill('Pirate', 'PIRATE WORDS', 'name: Pirate\n'),
      },
      { tools: ['Skill'], settingSources: [] },
    ),
    check: (outcome) => {
      expect(orderIn(outcome, [...MEMORY_WORDS, 'FIX'])).toEqual([]);
      expect(outcome.messages[0]).toMatchObject({ skills: expect.not.arrayContaining(['mine', 'ours']) });
    },
  },
  {
    name: 'skills, commands and a style of a plugin',
    cites: 'builtin-tools 7, R53',
    prompt: '/p:fix 42',
    script: [toolUse('Skill', { skill: 'p:greet', args: 'Bob' }), text('Done.')],
    options: (context) => ({
      ...withFiles({
        'plug/.claude-plugin/plugin.json': '{"name":"p","version":"1.2.3"}',
        'plug/skills/greet/SKILL.md': skill('Greets', `GREET $ARGUMENTS ${ROOT}`),
        'plug/commands/fix.md': skill('Fixes', `FIX $0 ${ROOT}`),
        'plug/commands/sub/zed.md': 'ZED',
        'plug/output-styles/st.md': skill('A style', 'STYLED WORDS', 'name: Styled\n'),
        'bare/skills/one/SKILL.md': skill('The one', 'ONE'),
        '.claude/skills/mine/SKILL.md': skill('Mine', 'MINE'),
        '.claude/commands/own.md': 'OWN',
      })(context),
      tools: ['Skill'],
      settings: { outputStyle: 'p:Styled' },
      systemPrompt: { type: 'preset', preset: 'claude_code' },
      plugins: ['plug', 'bare', 'nowhere'].map((name) => ({
        type: 'local' as const,
        path: join(context.box.cwd, name),
      })),
    }),
    drive: async (query) => (await query.supportedCommands()).filter(({ builtin }) => builtin !== true),
    check: (outcome) => {
      expect(outcome.messages[0]).toMatchObject({
        output_style: 'p:Styled',
        skills: expect.arrayContaining(['mine', 'p:greet', 'bare:one']),
        plugins: expect.arrayContaining([expect.objectContaining({ name: 'p', version: '1.2.3' })]),
        plugin_errors: [{ plugin: 'inline[2]', type: 'path-not-found' }],
      });
      expect(JSON.stringify(outcome.requests[0]?.body)).toContain('STYLED WORDS');
      const root = outcome.aliases.find(([, alias]) => alias === '<cwd>')?.[0];
      expect(orderIn(outcome, [`FIX 42 ${root}/plug`, `GREET Bob ${root}/plug`], 1)).toHaveLength(2);
    },
  },
];
