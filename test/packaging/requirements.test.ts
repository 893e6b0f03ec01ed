/**
 * Requirements and tests belong together. `npm run docs:requirements` writes docs/requirements.md from both, and this file
 * finds out when it is out of date.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS, REQUIREMENTS, type Requirement } from '../requirements.js';
import { citations, citedIn } from './support/citations.js';
import { documents, root } from './support/documents.js';

const cited = citations();
const testsOf = (id: string): string[] => [
  ...new Set(cited.filter((citation) => citation.id === id).map(({ file }) => file)),
];

describe('a citation', () => {
  it('is found in every form that tests use', () => {
    const text = 'a (R9), R25–R27: b; pains 2, 4 and 55; Pain 15, wishes 7, 8. TR9 R2D2 painful 3';
    const expected = [
      'R9',
      'R25',
      'R26',
      'R27',
      'pain 2',
      'pain 4',
      'pain 55',
      'pain 15',
      'wish 7',
      'wish 8',
    ];
    expect(citedIn(text)).toEqual(expected);
  });

  it('is of a requirement that exists', () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id));
    const unknown = cited.filter(({ id }) => !known.has(id));
    expect(unknown).toEqual([]);
  });
});

describe('a requirement', () => {
  it('has an id of its own: 72 of the mission, 59 pains, 24 wishes', () => {
    expect(new Set(REQUIREMENTS.map(({ id }) => id)).size).toBe(REQUIREMENTS.length);
    const last = (prefix: string) => REQUIREMENTS.findLast(({ id }) => id.startsWith(prefix))?.id;
    expect([last('R'), last('pain'), last('wish')]).toEqual(['R72', 'pain 59', 'wish 24']);
  });

  it('that is met, or partly met, has a test that says so', () => {
    const unproved = REQUIREMENTS.filter(({ id, status }) => status !== 'open' && testsOf(id).length === 0);
    expect(unproved.map(({ id }) => id)).toEqual([]);
  });

  it('has a sentence, and says what is missing where something is', () => {
    const wrong = REQUIREMENTS.filter(
      ({ sentence, status, missing }) =>
        !/^[A-Z`].*\.$/.test(sentence) || (status === 'partly') !== (missing !== undefined),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the pages', () => {
  it('docs/requirements.md is what the requirements and tests of today make of it', async () => {
    await expect(page()).toMatchFileSnapshot(join(root, 'docs', 'requirements.md'));
  });

  it('for users have no ids in them', async () => {
    const forContributors = /^(CONTRIBUTING\.md|docs\/requirements\.md|docs\/decisions\/.*)$/;
    const pages = (await documents()).filter(({ path }) => !forContributors.test(path));
    expect(pages.flatMap(({ path, text }) => citedIn(text).map((id) => `${path}: ${id}`))).toEqual([]);
  });
});

function page(): string {
  const count = (status: string) => REQUIREMENTS.filter((each) => each.status === status).length;
  return `<!-- Written by \`npm run docs:requirements\` from test/requirements.ts and the tests. -->
# Requirements

What Tenon promises, how far each promise is kept, and the tests that prove it: ${count('met')} are met, ${count('partly')} partly, ${count('open')} are open.
${CHAPTERS.map(({ title, requirements }) => table(title, requirements)).join('')}`;
}

function table(title: string, requirements: readonly Requirement[]): string {
  const rows = requirements.map(({ id, sentence, status, missing }) => {
    const text = missing === undefined ? sentence : `${sentence} Still to come: ${missing}.`;
    return `| ${id} | ${text} | ${status} | ${testsOf(id).map(link).join(' ')} |\n`;
  });
  return `\n## ${title}\n\n| | | status | tests |\n|---|---|---|---|\n${rows.join('')}`;
}

function link(file: string): string {
  expect(existsSync(join(root, file)), file).toBe(true);
  const name = file.replace(/^test\//, '').replace(/\.test(-d)?\.ts$/, '');
  return `[${name}](../${file})`;
}
