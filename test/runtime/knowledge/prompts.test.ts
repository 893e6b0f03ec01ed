/** Skills and commands: what is found, what they say, and what is filled in. */
import { describe, expect, it } from 'vitest';
import { OptionError } from '../../../src/index.js';
import { embedded } from '../../../src/runtime/index.js';
import { argumentsIn, withArguments } from '../../../src/runtime/knowledge/fill-in.js';
import { Knowledge } from '../../../src/runtime/knowledge/knowledge.js';
import type { KnowledgePlaces } from '../../../src/runtime/knowledge/places.js';
import { shellPartsIn, withOutputs } from '../../../src/runtime/knowledge/shell-parts.js';
import { scriptedModel } from '../../../src/testing/index.js';
import { places, type Tree, treeFiles } from './support.js';

async function known(tree: Tree, more: Partial<KnowledgePlaces> = {}) {
  const warnings: string[] = [];
  const changes: unknown[] = [];
  const knowledge = new Knowledge(
    {},
    undefined,
    (text) => warnings.push(text),
    (commands) => changes.push(commands),
  );
  const files = treeFiles(tree);
  await knowledge.open({ project: files, user: files, places: places(more) });
  return { knowledge, warnings, changes };
}

const skill = (description: string, body = 'BODY') => `---\ndescription: ${description}\n---\n${body}`;

describe('skills and commands', () => {
  const tree = {
    '/config/skills/x/SKILL.md': skill('of the user'),
    '/up/work/.claude/skills/x/SKILL.md': skill('of the project'),
    '/up/work/.claude/skills/y/SKILL.md': skill('y'),
    '/up/work/.claude/skills/bare/SKILL.md': '# Title\nText',
    '/up/work/.claude/skills/none/other.md': 'nothing',
    '/up/work/.claude/commands/b/c.md': 'C',
    '/up/work/.claude/commands/x.md': 'never',
    '/up/work/.claude/commands/clear.md': 'never',
    '/config/commands/a.md': 'A',
    '/up/.claude/skills/above/SKILL.md': skill('above'),
  };

  it('R53: count once by name: the user before the project, skills before commands', async () => {
    const { knowledge } = await known(tree);
    expect(knowledge.commandNames).toEqual(['x', 'bare', 'y', 'above', 'a', 'b:c', 'clear', 'compact']);
    expect(knowledge.skillNames).toEqual(['x', 'y', 'above']);
    expect(knowledge.find('/x')?.description).toBe('of the user');
    expect(knowledge.slashCommands.at(0)).toEqual({
      name: 'x',
      description: 'of the user (user)',
      argumentHint: '',
    });
  });

  it('R71: a command of a checkout cannot take the place of one of the runtime', async () => {
    const { knowledge } = await known(tree);
    const clear = knowledge.slashCommands.filter(({ name }) => name === 'clear');
    expect(clear).toMatchObject([{ builtin: true }]);
  });

  it('R53: are looked for up to the root of the repository, and by settingSources', async () => {
    const inRepository = await known({ ...tree, '/up/work/.git/HEAD': 'x' });
    expect(inRepository.knowledge.skillNames).toEqual(['x', 'y']);
    const ofNobody = await known(tree, { sources: new Set() });
    expect(ofNobody.knowledge.commandNames).toEqual(['clear', 'compact']);
  });

  it('R71: of a checkout that is not trusted do not lead out of it', async () => {
    const linked = {
      '/home/secret.md': 'secret',
      '/up/work/.claude/skills/s/SKILL.md': '-> /home/secret.md',
      '/up/work/.claude/commands/c.md': '-> /home/secret.md',
      '/up/work/.claude/output-styles/o.md': '-> /home/secret.md',
      '/config/commands/own.md': '-> /home/secret.md',
    };
    const { knowledge, warnings } = await known(linked);
    expect(knowledge.commandNames).toEqual(['own', 'clear', 'compact']);
    expect(knowledge.styleNames).toEqual(['default']);
    expect(warnings).toHaveLength(3);
    const trusted = await known(linked, { isTrusted: true });
    expect(trusted.knowledge.commandNames).toEqual(['s', 'c', 'own', 'clear', 'compact']);
  });

  it('R53: are read again, and only a difference is told', async () => {
    const own: Tree = { ...tree };
    const { knowledge, changes } = await known(own);
    await knowledge.reload();
    expect(changes).toEqual([]);
    own['/up/work/.claude/skills/new/SKILL.md'] = skill('new');
    await knowledge.reload();
    expect(changes).toHaveLength(1);
    expect(knowledge.skillNames).toContain('new');
  });

  it('R53: of a plugin have its name before theirs; one with hooks is refused', async () => {
    const plugin = {
      '/p/.claude-plugin/plugin.json': '{"name":"plug","version":"1.0.0"}',
      '/p/skills/s/SKILL.md': skill('s'),
      '/p/commands/c.md': 'C',
      '/p/agents/a.md': '---\nname: a\ndescription: d\n---\nA',
    };
    const { knowledge, warnings } = await known(plugin, { pluginDirectories: ['/p'] });
    expect(knowledge.commandNames.slice(0, 2)).toEqual(['plug:c', 'plug:s']);
    expect(knowledge.plugins).toEqual([{ name: 'plug', path: '/p', version: '1.0.0' }]);
    expect(knowledge.agents).toMatchObject([{ name: 'plug:a', description: 'd', prompt: 'A' }]);
    expect(warnings).toEqual([]);
    const hooked = { ...plugin, '/p/hooks/hooks.json': '{}' };
    await expect(known(hooked, { pluginDirectories: ['/p'] })).rejects.toThrow(/has hooks/);
  });

  it('R53: of plugins that cannot be used are missing, and the host is told why', async () => {
    const plugins = {
      '/up/work/bare/skills/s/SKILL.md': skill('s'),
      '/corrupt/.claude-plugin/plugin.json': '{',
      '/nameless/.claude-plugin/plugin.json': '{}',
    };
    const pluginDirectories = ['./bare', '/corrupt', '/nameless', '/nowhere'];
    const { knowledge } = await known(plugins, { pluginDirectories });
    expect(knowledge.skillNames).toEqual(['bare:s']);
    expect(knowledge.plugins).toEqual([{ name: 'bare', path: '/up/work/bare' }]);
    expect(knowledge.pluginErrors).toMatchObject([
      { plugin: 'inline[1]', type: 'generic-error', path: '/corrupt' },
      { plugin: 'inline[2]', type: 'generic-error', message: expect.stringContaining('has no `name`') },
      { plugin: 'inline[3]', type: 'path-not-found', path: '/nowhere' },
    ]);
  });

  it('R53: take a bounded part of every request', async () => {
    const many: Tree = {};
    for (let index = 0; index < 40; index += 1) {
      many[`/up/work/.claude/skills/s${index}/SKILL.md`] = skill('d'.repeat(5_000));
    }
    const list = (await known(many)).knowledge.skillList ?? '';
    expect(list.length).toBeLessThan(20_000);
    for (let index = 0; index < 40; index += 1) expect(list).toContain(`- s${index}`);
  });
});

describe('arguments', () => {
  it('R53: are words, and quotes keep blanks together', () => {
    expect(argumentsIn(`a "b c" 'd "e"' f"g h"i`)).toEqual(['a', 'b c', 'd "e"', 'fg hi']);
  });

  it.each([
    ['$ARGUMENTS', 'all: $ARGUMENTS', 'all: a b'],
    ['$N from 0', '$0 $1 $2 $10', 'a b $2 $10'],
    ['$ARGUMENTS[N]', '$ARGUMENTS[1]', 'b'],
    ['names', '$who ate $what', 'a ate $what'],
    ['an escape', '\\$0 $0', '$0 a'],
    ['nothing to fill in', 'text', 'text\n\nARGUMENTS: a b'],
    ['the folder of a skill', '$' + '{CLAUDE_SKILL_DIR}/x $0', '/dir/x a'],
    ['patterns of replacements', '$0 $& $$', 'a $& $$'],
  ])('R53: are filled in: %s', (_, text, filled) => {
    expect(withArguments(text, 'a b', { argumentNames: ['who'], directory: '/dir' })).toBe(filled);
  });
});

it('R53: commands in a text stand after a blank or in a block, and their outputs take their places', () => {
  const text = 'A !`one` x!`no` `!`no``\n```!\ntwo\nthree\n```\n$&';
  expect(shellPartsIn(text).map(({ command }) => command)).toEqual(['one', 'two\nthree']);
  expect(withOutputs(text, ['$& 1', '2'])).toBe('A $& 1 x!`no` `!`no``\n2\n$&');
});

describe('values', () => {
  const model = scriptedModel([]);

  it.each([
    ['skills: a list', { skills: [] }, /`skills` must be an object/],
    [
      'a skill without a description',
      { skills: { a: { content: 'x' } } },
      /skills\["a"\]\.description` must be a string; it is missing\./,
    ],
    ['a skill without a text', { skills: { a: { description: 'x' } } }, /skills\["a"\]\.content`/],
    ['a name with a blank', { commands: { 'a b': { content: 'x' } } }, /commands\["a b"\]` must be named/],
    ['a name of the runtime', { commands: { clear: { content: 'x' } } }, /is a command of the runtime/],
    ['rules that are no list', { commands: { a: { content: 'x', allowedTools: 'Read' } } }, /allowedTools/],
    [
      'a field that is misspelt',
      { skills: { a: { description: 'x', content: 'x', disableModelInvokation: true } } },
      /skills\["a"\]\.disableModelInvokation` must be left out: the fields are .*`disableModelInvocation`/,
    ],
    [
      'a field of skills for a command',
      { commands: { a: { content: 'x', userInvocable: false } } },
      /commands\["a"\]\.userInvocable` must be left out/,
    ],
    [
      'a skill and a command of one name',
      { skills: { a: { description: 'x', content: 'x' } }, commands: { a: { content: 'x' } } },
      /commands\["a"\]` must be named otherwise: a skill has this name/,
    ],
    ['memory that is a number', { memory: 5 }, /`memory` must be a string, or an array .*; it is 5\./],
    ['memory without a text', { memory: [{ name: 'a' }] }, /`memory` must be/],
  ])('R53: are checked at the door: %s', (_, values, message) => {
    expect(() => embedded({ model, ...(values as object) })).toThrow(message);
    expect(() => embedded({ model, ...(values as object) })).toThrow(OptionError);
  });
});
