import { LIMITS } from '../../protocol/base/limits.js';
import { withPlainLineEnds } from './text-file.js';

/** A part of a file that has changed, with lines around it. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** With ` `, `-` or `+` before each. */
  lines: string[];
}

const CONTEXT_LINES = 3;

/** What has changed, for people. Empty if nothing has, or if it would take too long to say. */
export async function patchOf(before: string, after: string): Promise<Hunk[]> {
  if (before === after) return [];
  const { structuredPatch } = await import('diff/lib/patch/create.js');
  const patch = structuredPatch('', '', narrowTabs(before), narrowTabs(after), '', '', {
    context: CONTEXT_LINES,
    timeout: LIMITS.diffMs,
  });
  return (patch?.hunks ?? []).map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  }));
}

/** How many lines are new and how many are gone. */
export async function countChanges(
  before: string,
  after: string,
): Promise<{ insertions: number; deletions: number }> {
  const { diffLines } = await import('diff/lib/diff/line.js');
  const parts = diffLines(withPlainLineEnds(before), withPlainLineEnds(after), { timeout: LIMITS.diffMs });
  // Too different to be compared: all of it.
  if (parts === undefined) return { insertions: linesIn(after), deletions: linesIn(before) };
  const sum = (isCounted: (part: { added: boolean; removed: boolean }) => boolean): number =>
    parts.filter(isCounted).reduce((total, { count }) => total + count, 0);
  return { insertions: sum(({ added }) => added), deletions: sum(({ removed }) => removed) };
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Indentation as it fits beside the marks. */
function narrowTabs(text: string): string {
  return text.replaceAll(/^\t+/gm, (tabs) => '  '.repeat(tabs.length));
}
