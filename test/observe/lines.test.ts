/** Who looks from the same process gets the lines of the tape, as a file would have them (R55, R56). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newLineRecorder } from '../../src/observe/line-recorder.js';
import { recordEach } from '../../src/observe/record-all.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';

/** As values, in order. */
const comparable = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe.each(BACK_ENDS)('the lines of $name', ({ start }) => {
  it('are those of its tape, complete before the end of the conversation is told (R56)', async () => {
    await using agent = await start(['One.', 'Two.']);
    const sinks: { text: string; isClosed: boolean }[] = [];
    const stop = recordEach(() => {
      const sink = { text: '', isClosed: false };
      sinks.push(sink);
      return newLineRecorder({
        write: (text) => {
          expect(text.endsWith('\n')).toBe(true);
          sink.text += text;
        },
        close: () => {
          sink.isClosed = true;
        },
      });
    });
    const file = join(agent.box.cwd, 'run.tape');
    const secret = `sk-ant-${'planted6'.repeat(4)}`;
    try {
      await ask(agent.options({ record: file }), `Go, with ${secret}.`);
    } finally {
      stop();
    }
    await ask(agent.options());
    expect(sinks).toHaveLength(1);
    const [{ text, isClosed } = { text: '', isClosed: false }] = sinks;
    expect(isClosed).toBe(true);
    expect(text).not.toMatch(/planted\d/);
    expect(comparable(text)).toEqual(comparable(await readFile(file, 'utf8')));
  });
});
