/** What can go wrong with a file, when it is written and when it is read (R56). */
import { mkdtempSync, rmSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { OptionError, type Options, query } from '../../src/index.js';
import { newRecorder } from '../../src/observe/recorder.js';
import { realDisk, type TapeDisk } from '../../src/observe/tape-file.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import type { FrameLine, RunEvent } from '../../src/protocol/transport/run-events.js';
import { embedded } from '../../src/runtime/index.js';
import { readTape, replayTape, scriptedModel, TapeError } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';

const root = mkdtempSync(join(tmpdir(), 'tenon-tapes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let made = 0;
async function folder(): Promise<string> {
  made += 1;
  const path = join(root, String(made));
  await mkdir(path);
  return path;
}

async function run(record: Options['record'], more: Options = {}) {
  const warnings: string[] = [];
  const options: Options = {
    runtime: embedded({ model: scriptedModel(['Hello.']) }),
    record,
    stderr: (text) => void warnings.push(text),
    ...more,
  };
  const { messages, error } = await collect(query({ prompt: 'Hi', options }));
  expect(error).toBeUndefined();
  expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
  return warnings;
}

async function tape(): Promise<string> {
  const file = join(await folder(), 'run.tape');
  expect(await run(file)).toEqual([]);
  return file;
}

describe('a recording', () => {
  it('that has no directory is one warning with the remedy, and the conversation goes on (R56)', async () => {
    const file = join(root, 'missing', 'run.tape');
    const warnings = await run(file);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/is not recorded: ENOENT.*Create the directory of ".*run\.tape"/);
  });

  it('never overwrites, and two conversations do not share a file: the next free name is taken (R56)', async () => {
    const file = join(await folder(), 'run.tape');
    await Promise.all([run(file), run(file)]);
    await run(file);
    expect((await readdir(join(file, '..'))).sort()).toEqual(['run-2.tape', 'run-3.tape', 'run.tape']);
    for (const name of ['run.tape', 'run-2.tape', 'run-3.tape']) {
      expect(readTape(join(file, '..', name)).end).toMatchObject({ totals: { results: 1 } });
    }
    const warnings = await run({ path: file, maxRuns: 3 });
    expect(warnings).toEqual([expect.stringContaining('has been recorded 3 times')]);
  });

  it('does not follow a link that somebody has put in its place (R56)', async () => {
    const directory = await folder();
    const target = join(directory, 'target');
    await writeFile(target, 'mine');
    await symlink(target, join(directory, 'run.tape'));
    await run(join(directory, 'run.tape'));
    expect(await readFile(target, 'utf8')).toBe('mine');
    expect(await readdir(directory)).toContain('run-2.tape');
  });

  it('in a directory is a private file for each conversation, and the oldest make room (R56)', async () => {
    const directory = await folder();
    await writeFile(join(directory, 'notes.txt'), 'not a tape');
    await writeFile(join(directory, '2001-01-01T00-00-00-000Z-00000000.tape'), '');
    for (let count = 0; count < 3; count += 1) await run({ path: directory, maxRuns: 2 });
    const names = await readdir(directory);
    expect(names).toContain('notes.txt');
    const tapes = names.filter((name) => name.endsWith('.tape'));
    expect(tapes).toHaveLength(2);
    for (const name of tapes) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
      expect(readTape(join(directory, name)).end?.agent).toMatchObject({ code: 0 });
    }
  });

  it('is cut at maxBytes with a warning, and says so at its end (R56)', async () => {
    const file = join(await folder(), 'run.tape');
    const warnings = await run({ path: file, maxBytes: 2_000 });
    expect(warnings).toEqual([expect.stringContaining('longer than `maxBytes`, which is 2000')]);
    expect(readTape(file).end?.cut).toContain('maxBytes');
    expect((await stat(file)).size).toBeLessThan(4_000);
  });

  it('cuts long texts of a frame above maxFrameBytes, and replays nevertheless (R56)', async () => {
    const file = join(await folder(), 'run.tape');
    const long = 'word '.repeat(20_000);
    const ask = (options: Options) =>
      collect(query({ prompt: long, options: { stderr: () => {}, ...options } }));
    const model = () => embedded({ model: scriptedModel([long]) });
    await ask({ record: { path: file, maxFrameBytes: 10_000 }, runtime: model() });
    const frames = readTape(file).lines.flatMap((line) => (line.kind === 'frame' ? [line] : []));
    expect(frames.filter(({ cut }) => (cut ?? 0) > 90_000).length).toBeGreaterThan(1);
    const runtime = replayTape(file);
    const { messages, error } = await ask({ runtime });
    expect(error).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({
      result: expect.stringMatching(/^word .*… <cut: \d+ characters>$/),
    });
    expect(runtime.differences).toEqual([]);
  });

  it.each([
    ['', 'a string that is not empty'],
    [{ path: 'x', maxBytes: -1 }, 'numbers above 0'],
    [7, 'path'],
  ])('to %j is refused', (record, reason) => {
    expect(() => query({ prompt: 'Hi', options: { record: record as string } })).toThrow(OptionError);
    expect(() => query({ prompt: 'Hi', options: { record: record as string } })).toThrow(reason);
  });
});

const secrets = { hide: (text: string) => text, mayBeIn: () => false };
const start: RunEvent = {
  kind: 'start',
  at: 0,
  conversation: '4f1c2d3e-0000-4000-8000-000000000000',
  facts: { backEnd: 'cli', agent: 'Claude Code', options: {} },
  secrets,
};
const frame = (sequence: number, text = ''): FrameLine => ({
  kind: 'frame',
  at: sequence,
  sequence,
  direction: 'received',
  line: JSON.stringify({ type: 'x', text }),
  type: 'x',
});
const end: RunEvent = { kind: 'end', at: 9, conversation: '', code: 0, signal: null };

function recorder(path: string, disk: Partial<TapeDisk>) {
  const warnings: string[] = [];
  const reports = { warn: (text: string) => void warnings.push(text), debug: () => {} };
  return { warnings, it: newRecorder(path, reports, { ...realDisk, ...disk }) };
}

it.each([
  ['deeper than a stack', 30_000],
  ['deeper than a stack, and too long', 600_000],
])('a frame that is %s ends neither the program nor the recording (R56)', async (_, depth) => {
  const file = join(await folder(), 'run.tape');
  const { warnings, it: tape } = recorder(file, {});
  tape.take(start);
  const line = `{"type":"x","list":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  tape.take({ ...frame(1), line });
  tape.take(frame(2, 'after it'));
  tape.take(end);
  await tape.close();
  expect(warnings).toEqual([]);
  const { lines } = readTape(file);
  expect(lines).toMatchObject([
    { n: 1, frame: { type: 'x' } },
    { n: 2, frame: { text: 'after it' } },
    { kind: 'end' },
  ]);
});

describe('a disk', () => {
  it('that is full ends the recording with one warning; what was written can be read (R56)', async () => {
    const file = join(await folder(), 'run.tape');
    let room = 600;
    const { warnings, it: tape } = recorder(file, {
      write: async (descriptor, bytes, position) => {
        if (room === 0) throw new Error('ENOSPC: no space left on device, write');
        const part = bytes.subarray(0, Math.min(room, bytes.length));
        room -= part.length;
        return realDisk.write(descriptor, part, position);
      },
    });
    tape.take(start);
    for (let sequence = 1; sequence < 50; sequence += 1) tape.take(frame(sequence, 'a'.repeat(50)));
    tape.take(end);
    await tape.close();
    expect(warnings).toEqual([expect.stringMatching(/has ended, the conversation goes on: ENOSPC/)]);
    const { lines, end: last } = readTape(file);
    expect(lines.length).toBeGreaterThan(0);
    expect(last).toBeUndefined();
  });

  it('that hangs holds up nothing: what waits is bounded, then the recording ends (R56)', async () => {
    const file = join(await folder(), 'run.tape');
    const { warnings, it: tape } = recorder(file, { write: () => new Promise<number>(() => {}) });
    tape.take(start);
    const most = LIMITS.maxTapeQueueBytes / 900_000;
    let sequence = 0;
    await expect
      .poll(() => {
        for (let count = 0; count < 5 && sequence < most * 1.5; count += 1) {
          sequence += 1;
          const text = `${sequence}${'a'.repeat(900_000)}`;
          tape.take({ ...frame(sequence), line: JSON.stringify({ type: 'x', text }) });
        }
        return warnings.length;
      })
      .toBe(1);
    expect(warnings[0]).toContain('the disk is slower than the conversation');
  });

  it('that writes in parts makes the same tape (R56)', async () => {
    const directory = await folder();
    const record = async (name: string, disk: Partial<TapeDisk>): Promise<string> => {
      const { it: tape } = recorder(join(directory, name), disk);
      tape.take(start);
      for (let sequence = 1; sequence < 20; sequence += 1) tape.take(frame(sequence, 'ä'.repeat(sequence)));
      tape.take(end);
      await tape.close();
      return readFile(join(directory, name), 'utf8');
    };
    const inParts = await record('parts.tape', {
      write: (descriptor, bytes, position) => realDisk.write(descriptor, bytes.subarray(0, 7), position),
    });
    expect(inParts).toBe(await record('whole.tape', {}));
  });
});

describe('a file that is read', () => {
  it('may end in the middle of a line, at any byte: the rest is read (R56)', async () => {
    const file = await tape();
    const whole = readTape(file);
    const bytes = await readFile(file);
    const head = bytes.indexOf('\n') + 1;
    for (let length = bytes.length - 1; length > head; length -= Math.ceil(bytes.length / 40)) {
      await truncate(file, length);
      const { lines, end: last } = readTape(file);
      expect(whole.lines.slice(0, lines.length)).toEqual(lines);
      // Without its newline the last line is still whole.
      if (length < bytes.length - 1) expect(last).toBeUndefined();
    }
  });

  it.each<[string, string, RegExp]>([
    ['empty', '', /: the file is empty.*record again/],
    ['foreign', 'hello\nworld\n', /, line 1: this is not a tape.*options\.record/],
    ['foreign JSON', '{"a":1}\n', /, line 1: this is not a tape/],
    [
      'of the future',
      '{"tape":2,"tenon":"9.0.0"}\n',
      /, line 1: this is a tape of version 2, written by Tenon 9\.0\.0.*Update/,
    ],
    [
      'changed',
      '{"tape":1}\n{"kind":"input-end","t":1}\nnot JSON\n{}\n',
      /, line 3: it is not JSON.*was changed/,
    ],
    ['without a kind', '{"tape":1}\n{"n":1}\n', /, line 2: it has no `kind`/],
    [
      'without a block',
      '{"tape":1}\n{"kind":"noise","t":1,"text":{"$block":"x"}}\n',
      /, line 2: it refers to a block "x"/,
    ],
  ])('and is %s is refused with its name, the line and the remedy (R56)', async (_, text, problem) => {
    const file = join(await folder(), 'odd.tape');
    await writeFile(file, text);
    expect(() => readTape(file)).toThrow(TapeError);
    expect(() => readTape(file)).toThrow(problem);
    expect(() => readTape(file)).toThrow(file);
    expect(() => replayTape(file)).toThrow(problem);
  });

  it('and has a line without an end is refused before it fills the memory (R56)', async () => {
    const file = join(await folder(), 'long.tape');
    await writeFile(file, '{"tape":1}\n{"kind":"noise","t":1,"text":"');
    // The rest is a hole, which takes no room on the disk.
    await truncate(file, LIMITS.maxTapeLineBytes * 4);
    expect(() => readTape(file)).toThrow(/long\.tape, line 2: the line is longer than \d+ bytes/);
  });

  it('and is not there is refused, with the way to make one (R56)', () => {
    expect(() => readTape(join(root, 'nothing.tape'))).toThrow(/there is no such file.*--record/);
  });

  it('may have kinds of lines that only a later version knows (R56)', async () => {
    const file = await tape();
    const before = readTape(file).lines.length;
    await appendFile(file, '{"kind":"later","t":1}\n');
    expect(readTape(file).lines).toHaveLength(before);
  });
});
