/** The walks of ARCHITECTURE.md name every file that takes part, measured while the thing happens. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { embeddedTurn, startOfQuery, toolCall } from './support/walks.js';

const architecture = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');

/** The links to sources in a section, relative to `src`. */
function named(title: string): string[] {
  const [, section = ''] = architecture.split(`## ${title}\n`);
  const text = section.split('\n## ')[0] ?? '';
  return [...text.matchAll(/\]\(src\/([^)]+\.ts)\)/g)].map(([, path = '']) => path);
}

describe('the walk of', () => {
  it.each([
    ['a tool call', 'A tool call', toolCall, []],
    ['the start of a query', 'The start of a query', startOfQuery, []],
    // What the client does with the call is in the first walk.
    ['an embedded turn with one call', 'An embedded turn', embeddedTurn, ['A tool call']],
  ] as const)('%s names every file in which something runs, and no other', async (_, title, walk, before) => {
    const files = await walk();
    const known = before.flatMap(named);
    expect(files.length).toBeGreaterThan(20);
    expect(new Set([...named(title), ...known.filter((path) => files.includes(path))])).toEqual(
      new Set(files),
    );
  });
});
