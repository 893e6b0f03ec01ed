/** The search of ripgrep and our own find the same, whatever is asked. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localWorkspace } from '../../src/workspace/adapters/local.js';
import { memoryWorkspace } from '../../src/workspace/adapters/memory.js';
import { findRipgrep } from '../../src/workspace/search/ripgrep.js';
import { searchFiles } from '../../src/workspace/search/search-files.js';
import type { FileMatches, SearchAnswer, SearchQuery, Workspace } from '../../src/workspace/workspace.js';

const FILES: Record<string, string | Uint8Array> = {
  'a.ts': 'const alpha = 1;\nfunction beta() {\n  return alpha;\n}\n',
  'src/b.js': 'gamma\nALPHA alpha alpha\n\n\nlast',
  'src/deep/c.tsx': 'alpha\r\ndelta\r\n',
  'src/deep/.gitignore': '!kept.log\n/anchored.ts\n',
  'src/deep/kept.log': 'alpha\n',
  'src/deep/anchored.ts': 'alpha\n',
  'src/deep/below/anchored.ts': 'alpha\n',
  '.hidden/d.ts': 'alpha\n',
  '.gitignore': '# a comment\nignored/\n*.log\n\nsrc/**/generated.*\nspaced\\ name.txt  \n[broken\n\\!odd\n',
  'ignored/e.ts': 'alpha\n',
  'f.log': 'alpha\n',
  'src/x/y/generated.ts': 'alpha\n',
  'spaced name.txt': 'alpha\n',
  '!odd': 'alpha\n',
  '.ignore': 'g.ts\n!f.log\n',
  'g.ts': 'alpha\n',
  '.rgignore': '!g.ts\nh.ts\n',
  'h.ts': 'alpha\n',
  'zero.ts': 'alpha\0alpha\n',
  'utf16.txt': Buffer.from('\ufeffalpha\nbeta\n', 'utf16le'),
  'bom.txt': '\ufeffalpha\n',
  'latin.txt': Uint8Array.from([0x61, 0x6c, 0x70, 0x68, 0x61, 0xe4, 0x0a]),
  'long.txt': `alpha ${'x'.repeat(500)}\nalpha\n${'y'.repeat(501)}\n`,
  'words.txt': 'straße über-all naïve 42 ٤٢ foo_bar\n"quoted" a.b a-b [c] {d} x\\y\ttab\n',
  'empty.txt': '',
  'odd/with space: 1:x.txt': 'alpha\n',
  'odd/line\nbreak.txt': 'alpha\n',
  '.git/config': 'alpha\n',
  '.svn/x': 'alpha\n',
};

const base = { mode: 'lines', pattern: 'alpha' } as const;
const QUERIES: Partial<SearchQuery>[] = [
  { mode: 'files' },
  { mode: 'counts' },
  {},
  { ignoreCase: true },
  { onlyMatching: true, ignoreCase: true },
  { linesBefore: 1 },
  { linesAfter: 1 },
  { linesBefore: 2, linesAfter: 1, pattern: 'return' },
  { globs: ['*.ts'] },
  { globs: ['!*.ts'] },
  { globs: ['*.ts', '!a.ts'] },
  { globs: ['src/**'] },
  { globs: ['**/deep/*'] },
  { globs: ['deep/*'] },
  { globs: ['*.{ts,js}'] },
  { globs: ['[a-g].ts'] },
  { globs: ['[!a].ts'] },
  { globs: ['?.ts'] },
  { globs: ['/a.ts'] },
  { globs: ['src/'] },
  { globs: ['src'] },
  { globs: ['**/*.tsx'] },
  { globs: ['src/*/c.tsx'] },
  { globs: ['\\!odd'] },
  { type: 'ts' },
  { type: 'js', globs: ['*.txt'] },
  { mode: 'names', globs: ['*.ts'] },
  { mode: 'names', globs: ['**'] },
  { mode: 'names', globs: ['src/*'] },
  { mode: 'names', globs: [] },
  { mode: 'counts', multiline: true, pattern: 'function.*?return' },
  { multiline: true, pattern: 'function.*?return' },
  { multiline: true, onlyMatching: true, pattern: 'beta.*?alpha' },
  { multiline: true, pattern: 'alpha\\s+delta' },
  { multiline: true, pattern: 'gamma\\n' },
  { multiline: true, pattern: '^\\}$' },
  // What is not UTF-8 is no character for ripgrep, and the one that stands for it for us.
  { pattern: '[^[:alpha:]\\s]', globs: ['words.txt'] },
  { pattern: '[^a-z\\n]', globs: ['words.txt'] },
  ...[
    '^alpha$',
    'alpha$',
    '^',
    '',
    '^\\s*$',
    '\\bname\\b',
    '\\balpha\\b',
    '\\w+-\\w+',
    'stra\\w+',
    '\\d+',
    '[[:digit:]]+',
    '\\p{Greek}',
    '\\pN+',
    '[a-c&&[^b]]',
    '\\.b',
    'a[.-]b',
    '\\[c\\]',
    '[\\[\\]]',
    '[]c]',
    '\\{d\\}',
    '"quoted"',
    '\\"',
    'x\\\\y',
    '\\t',
    '(?i)ALPHA',
    '(?P<name>al)pha',
    '(?<name>al)pha',
    'al(?:ph|x)a',
    'a{1,2}lpha',
    'l{1}',
    'alpha|gamma',
    '\\x61lpha',
    '\\x{61}lpha',
    '.*',
    'a.*?a',
    'ü',
    '/',
    '-alpha',
    '--',
    '#',
    '~',
  ].map((pattern) => ({ pattern })),
];

/** What makes no sense to ripgrep makes none to us. */
const REFUSED: Partial<SearchQuery>[] = [
  { pattern: '(' },
  { pattern: 'a)' },
  { pattern: '[a' },
  { pattern: '*a' },
  { pattern: 'a{2' },
  { pattern: 'interface{}' },
  { pattern: '(?=a)' },
  { pattern: '(?<!a)b' },
  { pattern: '(a)\\1' },
  { pattern: '\\y' },
  { pattern: 'a\\' },
  { pattern: 'a\\nb' },
  { globs: ['['] },
  { globs: ['{a'] },
  { type: 'none-such' },
];

let root: string;
let workspace: Workspace;

beforeAll(async () => {
  // The one of the package, whatever else is on this machine.
  vi.stubEnv('PATH', join(tmpdir(), 'nothing-here'));
  root = await realpath(await mkdtemp(join(tmpdir(), 'tenon-search-')));
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  await symlink('a.ts', join(root, 'link.ts'));
  await symlink('src', join(root, 'linked'));
  workspace = localWorkspace(root);
  expect(await findRipgrep(), 'tests have @vscode/ripgrep').toBeDefined();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(root, { recursive: true, force: true });
});

function sorted({ files, isCut }: SearchAnswer): { files: FileMatches[]; isCut: boolean } {
  const plain = files.map(({ modifiedMs: _, ...file }) => file);
  return { files: plain.sort((left, right) => (left.path < right.path ? -1 : 1)), isCut };
}

const never = new AbortController().signal;
const asked = (query: Partial<SearchQuery>, path = root): SearchQuery => ({ ...base, path, ...query });
const named = (query: Partial<SearchQuery>): string => JSON.stringify(query);

describe('R49: the search without ripgrep finds what ripgrep finds', () => {
  it.each(QUERIES.map((query) => [named(query), query] as const))('%s', async (_, query) => {
    const theirs = sorted((await workspace.search?.(asked(query), never)) as SearchAnswer);
    expect(sorted(await searchFiles(workspace, asked(query), never))).toEqual(theirs);
  });

  it.each(['a.ts', 'src', 'src/deep', 'ignored/e.ts', 'ignored', 'empty.txt'])('in %s', async (path) => {
    const query = asked({}, join(root, path));
    const theirs = sorted((await workspace.search?.(query, never)) as SearchAnswer);
    expect(sorted(await searchFiles(workspace, query, never))).toEqual(theirs);
  });

  it.each(REFUSED.map((query) => [named(query), query] as const))('%s is refused', async (_, query) => {
    await expect(workspace.search?.(asked(query), never)).rejects.toMatchObject({ code: 'SEARCH_FAILED' });
    await expect(searchFiles(workspace, asked(query), never)).rejects.toMatchObject({
      code: 'SEARCH_FAILED',
    });
  });

  it('a .gitignore counts only in a repository', async () => {
    const files = { '.gitignore': 'a.ts\n', 'a.ts': 'alpha\n', '.ignore': 'b.ts\n', 'b.ts': 'alpha\n' };
    const found = async (more: Record<string, string>): Promise<string[]> => {
      const memory = memoryWorkspace({ ...files, ...more });
      const { files: matches } = await searchFiles(memory, asked({ mode: 'files' }, memory.root), never);
      return matches.map(({ path }) => path);
    };
    expect(await found({})).toEqual(['/workspace/a.ts']);
    expect(await found({ '.git/HEAD': 'ref' })).toEqual([]);
    // Rules of directories above count too, up to the top of the repository.
    expect(await found({ '/.git/HEAD': 'ref' })).toEqual([]);
    expect(await found({ '/.ignore': '*.ts' })).toEqual([]);
  });
});

describe('R49: a search of any kind', () => {
  const engines: [string, (query: SearchQuery, signal: AbortSignal) => Promise<SearchAnswer>][] = [
    ['ripgrep', async (query, signal) => (await workspace.search?.(query, signal)) as SearchAnswer],
    ['our own', (query, signal) => searchFiles(workspace, query, signal)],
  ];

  it.each(engines)('tells when files were changed, and that a file is not text (%s)', async (_, search) => {
    const { files } = await search(asked({ mode: 'files', globs: ['a.ts'] }), never);
    expect(files[0]?.modifiedMs).toBe((await workspace.stat(join(root, 'a.ts')))?.modifiedMs);
    const binary = await search(asked({}, join(root, 'zero.ts')), never);
    expect(binary.files).toEqual([{ path: join(root, 'zero.ts'), isBinary: true, lines: [] }]);
  });

  it.each(engines)('ends when it is aborted (%s)', async (_, search) => {
    await expect(search(asked({}), AbortSignal.abort())).rejects.toThrow();
    const stopping = new AbortController();
    const running = search(asked({ pattern: '.' }), stopping.signal);
    stopping.abort();
    await expect(running).rejects.toThrow();
  });
});

it('R49: a search of our own leaves the event loop to others', async () => {
  const memory = memoryWorkspace({ 'large.txt': 'a line of some length\n'.repeat(300_000) });
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await searchFiles(memory, asked({ mode: 'counts', pattern: 'z' }, memory.root), never);
  isOver = true;
  expect(turns).toBeGreaterThan(1);
});
