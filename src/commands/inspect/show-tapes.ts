import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { OptionError } from '../../index.js';
import { startInspector } from '../../inspector/for-commands.js';
import { runOfTape } from '../../observe/run/run-of-tape.js';
import { readTape, type Tape, TapeError, tapeLines } from '../../testing/index.js';
import { EXIT } from '../exit-codes.js';
import { palette } from '../terminal/palette.js';
import { print } from '../terminal/print.js';
import { announce } from './announce.js';
import type { InspectValues } from './command.js';
import { reportRuns, reportWhy } from './report.js';
import { type ServerOptions, serverOptions } from './server-options.js';
import { untilStopped } from './until-stopped.js';
import { writeExports } from './write-exports.js';

/** Shows one recording, or what differs between two. */
export async function showTapes(files: readonly string[], values: InspectValues): Promise<number> {
  const { why, text, json = false, html, otlp } = values;
  const [, second] = files;
  if (why !== undefined && second !== undefined) {
    throw new OptionError('--why', why, `--why looks into one recording; "${second}" is a second one.`);
  }
  if ([why, text, html, otlp].every((value) => value === undefined) && !json) {
    const where = serverOptions(values);
    for (const file of files) check(file);
    return showInPage(files, where, values);
  }
  const runs = files.map((file) => runOfTape(readChecked(file)));
  await writeExports(files, runs, values);
  const [run] = runs;
  if (why !== undefined && run !== undefined) return reportWhy(run, why, json);
  if (text === true || json) reportRuns(runs, json);
  return EXIT.ok;
}

async function showInPage(
  files: readonly string[],
  where: ServerOptions,
  values: InspectValues,
): Promise<number> {
  const inspector = await startInspector({
    ...where,
    title: files.map((file) => basename(file)).join(' · '),
    source: 'tape',
  });
  let forget = async (): Promise<void> => {};
  try {
    for (const file of files) await inspector.addFile(basename(file), file).grown();
    const url = files.length === 2 ? `${inspector.url}&view=diff&run=1&other=2` : inspector.url;
    forget = await announce(url, values);
    print(`${palette(process.stderr).dim('  Press Ctrl-C to stop.')}\n`, process.stderr);
    await untilStopped();
  } finally {
    await inspector.close();
    await forget();
  }
  return EXIT.ok;
}

/** Throws with the line that is wrong: a page could only say that something is. */
function check(file: string): void {
  checked(file, () => {
    for (const _ of tapeLines(file));
  });
}

function readChecked(file: string): Tape {
  return checked(file, () => readTape(file));
}

function checked<Value>(file: string, read: () => Value): Value {
  if (!existsSync(file)) {
    throw new OptionError(
      'file',
      file,
      `there is no file "${file}". Record one: tenon run "…" --record ${file}`,
    );
  }
  try {
    return read();
  } catch (error) {
    throw TapeError.is(error) ? new OptionError('file', file, error.message) : error;
  }
}
