import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isSuccess, OptionError, query, type SDKResultMessage } from '../../index.js';
import { asTape, type ReadLine, type Tape, tapeLines, viewTape } from '../../testing/index.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { JsonReporter, type Reporter, ScreenReporter } from '../run/reporter.js';
import { timeText } from '../run/tool-text.js';
import { Screen } from '../terminal/screen.js';

const options = {
  speed: {
    type: 'string',
    value: '<number>',
    help: '1: as fast as it was; 10: ten times as fast; default: at once',
  },
  json: { type: 'boolean', help: 'print every message as a line of JSON' },
} as const;

export const replayCommand = defineCommand({
  name: 'replay',
  usage: '<file> [options]',
  summary: 'Plays a recorded run, as tenon run showed it.',
  details: [
    'Nothing runs: no agent, no model, no tool. The answer goes to stdout, everything else to stderr, and the exit code is',
    'that of the run. To let your own tools answer again, use replayTape() of tenon/testing.',
  ].join('\n'),
  options,
  examples: [
    { command: 'tenon run "What is 15 + 27?" --tools ./tools.js --record run.tape', does: 'record a run' },
    { command: 'tenon replay run.tape', does: 'see it again' },
    { command: 'tenon replay run.tape --json | tail -n 1', does: 'its result, for a script' },
  ],
  maxPositionals: 1,
  execute: replay,
});

async function replay({ values, positionals: [file] }: Arguments<typeof options>): Promise<number> {
  if (file === undefined) {
    throw new OptionError('file', file, 'a recording is required: tenon replay run.tape');
  }
  const speed = readSpeed(values.speed);
  const screen = new Screen();
  const tape = await read(file, screen);
  if (values.json !== true) screen.note(screen.paint.dim(announcement(tape)));
  return play(tape, speed, values.json === true, screen);
}

/** Idle hours are not sat through. */
const LONGEST_GAP_MS = 2_000;

async function play(tape: Tape, speed: number, isJson: boolean, screen: Screen): Promise<number> {
  const pace = Number.isFinite(speed) ? (gap: number) => Math.min(gap / speed, LONGEST_GAP_MS) : undefined;
  const { runtime, prompt, time } = viewTape(tape, pace);
  const reporter: Reporter = isJson ? new JsonReporter() : new ScreenReporter(screen, { now: time });
  try {
    const run = query({
      prompt,
      options: { runtime, throwOnErrorResult: false, includePartialMessages: true, startupTimeoutMs: 0 },
    });
    for await (const message of run) reporter.message(message);
  } catch (error) {
    if (tape.end?.program === undefined) throw error;
    screen.note(screen.paint.yellow((error as Error).message));
  } finally {
    reporter.end();
  }
  return tape.end?.program ?? exitCode(reporter.result);
}

function exitCode(result: SDKResultMessage | undefined): number {
  if (result === undefined) return EXIT.failed;
  if (result.failure?.kind === 'interrupted') return EXIT.interrupted;
  return isSuccess(result) ? EXIT.ok : EXIT.failed;
}

/** Lines that are read between two looks at the screen. */
const LINES_AT_ONCE = 500;

async function read(file: string, screen: Screen): Promise<Tape> {
  if (!existsSync(file)) {
    throw new OptionError(
      'file',
      file,
      `there is no file "${file}". Record one: tenon run "…" --record ${file}`,
    );
  }
  const { size } = statSync(file);
  let done = 0;
  screen.setStatus(() => `reading ${basename(file)}: ${Math.round((done / Math.max(size, 1)) * 100)} %`);
  try {
    const lines: ReadLine[] = [];
    for (const line of tapeLines(file)) {
      lines.push(line);
      done = line.bytesRead;
      if (line.number % LINES_AT_ONCE === 0) await nextTurn();
    }
    return asTape(file, lines);
  } finally {
    screen.setStatus(undefined);
  }
}

function announcement({ head, lines, end }: Tape): string {
  const frames = lines.filter(({ kind }) => kind === 'frame').length;
  const parts = [
    `Recorded ${head.startedAt}`,
    `${head.agent}, Tenon ${head.tenon}`,
    `${frames} frames`,
    timeText(lines.at(-1)?.t ?? 0),
    ...(end === undefined ? ['breaks off'] : []),
    ...(end?.cut === undefined ? [] : [`not complete: ${end.cut}`]),
  ];
  return parts.join(' · ');
}

function readSpeed(given: string | undefined): number {
  if (given === undefined) return Number.POSITIVE_INFINITY;
  const speed = Number(given);
  if (speed > 0) return speed;
  throw new OptionError('--speed', given, `--speed must be a number above 0; it is "${given}".`);
}
