import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const committed = join(root, 'docs', 'api');
let made: string;

beforeAll(() => {
  made = mkdtempSync(join(tmpdir(), 'tenon-api-'));
  execFileSync(process.execPath, [join(root, 'scripts', 'docs-api.mjs'), '--to', made]);
});

afterAll(() => rmSync(made, { recursive: true, force: true }));

it('the API reference is what `npm run docs:api` makes of the types of today', () => {
  expect(readdirSync(committed)).toEqual(readdirSync(made));
  const outdated = readdirSync(made).filter(
    (name) => readFileSync(join(made, name), 'utf8') !== readFileSync(join(committed, name), 'utf8'),
  );
  expect(outdated, 'run `npm run docs:api`').toEqual([]);
});

it('the API reference has a section for every name that is exported', () => {
  for (const file of readdirSync(join(root, 'api'))) {
    const names = readFileSync(join(root, 'api', file), 'utf8')
      .split('\n')
      // An entry may be there for what it does.
      .filter((line) => line !== '');
    const page = file === 'index.txt' ? 'tenon.md' : `tenon-${file.replace('.txt', '.md')}`;
    const text = readFileSync(join(made, page), 'utf8');
    expect(
      names.filter((line) => !text.includes(`\n### ${line.split(' ')[1]}\n`)),
      file,
    ).toEqual([]);
  }
});

it('most types of the root entry stand in a group: the folders that groups are made by exist', () => {
  const text = readFileSync(join(made, 'tenon.md'), 'utf8');
  const members = (title: string) =>
    new RegExp(`^- \\[${title}\\].*: (.*)$`, 'm').exec(text)?.[1]?.split(', ').length ?? 0;
  const titles = [...text.matchAll(/^- \[(.*?)\]\(#/gm)].map(([, title = '']) => title);
  expect(titles).toContain('Options');
  expect(titles).toContain('Hooks');
  expect(titles).toContain('Messages');
  expect(members('Other types')).toBeLessThan(members('Messages'));
});
