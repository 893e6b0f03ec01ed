/** The walks of ARCHITECTURE.md name every file that takes part, measured while the thing happens. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { embeddedTurn, startOfQuery, toolCall } from './support/walks.js';

const architecture = readFileSync(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');

function section(title: string): string {
  const [, text = ''] = architecture.split(`## ${title}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The links to sources in a section, relative to `src`; those in bold pass the thing on. */
function named(title: string, link = /\]\(src\/([^)]+\.ts)\)/g): string[] {
  return [...section(title).matchAll(link)].map(([, path = '']) => path);
}

describe('the walk of', () => {
  it.each([
    ['a tool call', 'A tool call', toolCall, []],
    ['the start of a query', 'The start of a query', startOfQuery, []],
    // What the client does with the call is in the first walk.
    ['an embedded turn with one call', 'An embedded turn', embeddedTurn, ['A tool call']],
  ] as const)('%s names every file in which something runs, and no other', async (_, title, walk, before) => {
    const files = await walk();
    const known = before.flatMap((each) => named(each));
    expect(files.length).toBeGreaterThan(20);
    expect(new Set([...named(title), ...known.filter((path) => files.includes(path))])).toEqual(
      new Set(files),
    );
  });

  it.each([
    ['A tool call', toolCall],
    ['The start of a query', startOfQuery],
    ['An embedded turn', embeddedTurn],
  ] as const)('"%s" says how many files run, and how many of them pass it on', async (title, walk) => {
    const files = (await walk()).length;
    const passing = new Set(named(title, /\*\*\[[^\]]+\]\(src\/([^)]+\.ts)\)\*\*/g)).size;
    const [, ...said] =
      /\*\*(\d+) files run: (\d+) pass [\w ]+, (\d+) are only asked\.\*\*/.exec(section(title)) ?? [];
    expect(said.map(Number)).toEqual([files, passing, files - passing]);
  });
});
