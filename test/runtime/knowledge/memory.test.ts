import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/protocol/base/limits.js';
import { importsIn, memoryText } from '../../../src/runtime/knowledge/imports.js';
import { withTextAtStart } from '../../../src/runtime/knowledge/memory-text.js';
import { fitsPattern } from '../../../src/runtime/knowledge/path-pattern.js';
import type { KnowledgePlaces } from '../../../src/runtime/knowledge/places.js';
import { MemoryReader } from '../../../src/runtime/knowledge/read-memory.js';
import { places, type Tree, treeFiles } from './support.js';

function reader(tree: Tree, more: Partial<KnowledgePlaces> = {}) {
  const warnings: string[] = [];
  const files = treeFiles(tree);
  const memory = new MemoryReader(files, files, places(more), (text) => warnings.push(text));
  return { memory, warnings };
}

async function textsAtStart(tree: Tree, more: Partial<KnowledgePlaces> = {}): Promise<string[]> {
  return (await reader(tree, more).memory.atStart()).map(({ text }) => text);
}

describe('memory files', () => {
  it('R53: are read from the user to the person, and from the top down', async () => {
    const tree = {
      '/up/work/CLAUDE.local.md': 'local',
      '/up/work/.claude/rules/b.md': 'rule b',
      '/up/work/.claude/rules/a/a.md': 'rule a',
      '/up/work/CLAUDE.md': 'project',
      '/up/CLAUDE.md': 'parent',
      '/config/CLAUDE.md': 'user',
      '/up/work/AGENTS.md': 'agents',
    };
    expect(await textsAtStart(tree)).toEqual(['user', 'parent', 'project', 'rule a', 'rule b', 'local']);
    expect(await textsAtStart(tree, { sources: new Set(['local']) })).toEqual(['local']);
    expect(await textsAtStart(tree, { sources: new Set() })).toEqual([]);
  });

  it('R71: of a checkout that is not trusted do not lead out of it', async () => {
    const tree = {
      '/home/secret.md': 'secret',
      '/up/work/CLAUDE.md': '-> /home/secret.md',
      '/up/work/.claude/rules/a.md': '-> /home/secret.md',
      '/up/work/CLAUDE.local.md': '-> /up/shared.md',
      '/up/shared.md': 'shared',
    };
    const { memory, warnings } = reader(tree);
    expect(await memory.atStart()).toEqual([]);
    expect(warnings[0]).toMatch(/CLAUDE\.md is left out .* leads out of the project, to \/home\/secret\.md/);
    // The rest of the same repository is the project too.
    expect(await textsAtStart(tree, { projectRoot: '/up' })).toEqual(['shared']);
    expect(await textsAtStart(tree, { isTrusted: true })).toEqual(['secret', 'shared']);
  });

  it('R53: are those of other agents where the project has none', async () => {
    expect(await textsAtStart({ '/up/work/AGENTS.md': 'agents' })).toEqual(['agents']);
  });

  it('R53: import others, each once and not endlessly', async () => {
    const tree: Tree = { '/up/work/CLAUDE.md': 'start @1.md @./dir/x.txt @nobody' };
    for (let depth = 1; depth <= 9; depth += 1)
      tree[`/up/work/${depth}.md`] = `${depth} @${depth + 1}.md @CLAUDE.md`;
    tree['/up/work/dir/x.txt'] = 'x';
    const texts = await textsAtStart(tree);
    expect(texts).toHaveLength(1 + LIMITS.maxImportDepth + 1);
    expect(texts.at(-1)).toBe('x');
  });

  it.each([
    ['a path', '@../secret.md'],
    ['the home directory', '@~/secret.md'],
    ['an absolute path', '@/up/secret.md'],
    ['a link', '@link.md'],
  ])(
    'R71: of a project import nothing from outside by %s, unless the user has agreed',
    async (_, written) => {
      const tree = {
        '/up/work/CLAUDE.md': `start ${written}`,
        '/up/secret.md': 'SECRET',
        '/home/secret.md': 'SECRET',
        '/up/work/link.md': '-> /up/secret.md',
      };
      expect(await textsAtStart(tree)).toEqual([`start ${written}`]);
      expect(await textsAtStart(tree, { mayImportAnything: true })).toContain('SECRET');
    },
  );

  it('R53: of the user import from anywhere', async () => {
    const tree = { '/config/CLAUDE.md': '@/up/other.md', '/up/other.md': 'OTHER' };
    expect(await textsAtStart(tree)).toContain('OTHER');
  });

  it('R53: that cannot be read are named, and the others are used', async () => {
    const unreadable = (): never => {
      throw new Error('no permission');
    };
    const { memory, warnings } = reader({
      '/up/work/CLAUDE.md': unreadable,
      '/up/work/CLAUDE.local.md': 'local',
      '/up/CLAUDE.md': 'x'.repeat(LIMITS.maxKnowledgeFileBytes + 1),
    });
    expect(await memory.atStart()).toMatchObject([{ text: 'local' }]);
    expect(warnings).toEqual([
      '/up/CLAUDE.md is left out of the memory: it is too long.',
      '/up/work/CLAUDE.md is left out of the memory: no permission',
    ]);
  });

  it('R53: are bounded in number', async () => {
    const tree: Tree = {};
    for (let index = 0; index < LIMITS.maxMemoryFiles + 5; index += 1) {
      tree[`/up/work/.claude/rules/${String(index).padStart(4, '0')}.md`] = `rule ${index}`;
    }
    const { memory, warnings } = reader(tree);
    expect(await memory.atStart()).toHaveLength(LIMITS.maxMemoryFiles);
    expect(warnings[0]).toContain('0200.md and later memory files are left out');
  });

  it('R53: of folders below are told with the first file that is read there, and once', async () => {
    const { memory } = reader({
      '/up/work/CLAUDE.md': 'project',
      '/up/work/sub/CLAUDE.md': 'sub @more.md',
      '/up/work/sub/more.md': 'more',
      '/up/work/sub/deep/CLAUDE.local.md': 'deep',
      '/up/work/.claude/rules/ts.md': '---\npaths: ["**/*.{ts,tsx}"]\n---\nfor ts',
    });
    expect((await memory.atStart()).map(({ text }) => text)).toEqual(['project']);
    const about = async (path: string) => (await memory.about(path)).map(({ text }) => text);
    expect(await about('/up/other/x.ts')).toEqual([]);
    expect(await about('/up/work/sub/deep/x.ts')).toEqual(['sub @more.md', 'more', 'deep', 'for ts']);
    expect(await about('/up/work/sub/deep/y.ts')).toEqual([]);
  });
});

describe('the text of a memory file', () => {
  it('R53: has neither head nor comments of their own lines', () => {
    expect(memoryText('---\na: b\n---\nx <!-- in -->\n<!-- out\nstill out -->\ny\n')).toBe(
      'x <!-- in -->\ny',
    );
  });

  it('R53: names imports after a blank, but not in code', () => {
    const text = '@a.md (@no.md) x@no.md\n- @b.md\n`@no.md` ``@no.md``\n```\n@no.md\n```\n@c/d.md, @e';
    expect(importsIn(text)).toEqual(['a.md', 'b.md', 'c/d.md,', 'e']);
  });

  it('R53: stands before the first message, behind results, and changes no message', () => {
    const messages = [
      { role: 'user' as const, content: 'go' },
      { role: 'assistant' as const, content: 'ok' },
    ];
    expect(withTextAtStart(messages, 'MEMORY')[0]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'MEMORY' },
        { type: 'text', text: 'go' },
      ],
    });
    expect(messages[0]?.content).toBe('go');
    expect(withTextAtStart(messages, undefined)).toBe(messages);
  });
});

it.each([
  ['*.ts', 'a/b.ts', true],
  ['src/**', 'src/a/b', true],
  ['src/*.ts', 'src/a/b.ts', false],
  ['**/x/*.{ts,js}', 'x/a.js', true],
  ['a.b', 'axb', false],
  ['./src/?', 'src/a', true],
])('R53: the pattern %s and the path %s', (pattern, path, fits) => {
  expect(fitsPattern(pattern, path)).toBe(fits);
});
