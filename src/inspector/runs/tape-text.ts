import type { InspectedRun } from './inspected-run.js';

/** The first `t` of a line is its own: it stands before anything that others wrote. */
const TIME = /"t":(\d+(?:\.\d+)?)/;

/** The tape of a run as it would have been written with its agent's spans: each where its time is. */
export async function* tapeText(run: InspectedRun): AsyncGenerator<Buffer, void> {
  const spans: string[] = [];
  for await (const lines of run.spans.read(0, run.spans.length)) spans.push(...linesIn(lines.toString()));
  if (spans.length === 0) {
    yield* run.text.read(0, run.text.length);
    return;
  }
  for await (const part of run.text.read(0, run.text.length)) {
    let merged = '';
    for (const line of linesIn(part.toString())) {
      while (spans[0] !== undefined && (timeOf(spans[0]) < timeOf(line) || isEnd(line)))
        merged += spans.shift();
      merged += line;
    }
    yield Buffer.from(merged);
  }
  if (spans.length > 0) yield Buffer.from(spans.join(''));
}

/** Each with its newline. */
function linesIn(text: string): string[] {
  return text.match(/[^\n]*\n/g) ?? [];
}

/** The head and blocks have none: blocks belong to the line after them. */
function timeOf(line: string): number {
  if (line.startsWith('{"tape"') || line.startsWith('{"kind":"block"')) return -1;
  return Number(TIME.exec(line)?.[1] ?? -1);
}

function isEnd(line: string): boolean {
  return line.startsWith('{"kind":"end"');
}
