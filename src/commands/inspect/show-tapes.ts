import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { OptionError } from '../../index.js';
import { startInspector } from '../../inspector/inspector.js';
import { TapeError, tapeLines } from '../../testing/index.js';
import { palette } from '../terminal/palette.js';
import { print } from '../terminal/print.js';
import { announce } from './announce.js';
import type { InspectValues } from './command.js';
import { serverOptions } from './server-options.js';
import { untilStopped } from './until-stopped.js';

/** Shows one recording, or what differs between two. */
export async function showTapes(files: readonly string[], values: InspectValues): Promise<number> {
  for (const file of files) check(file);
  return showInPage(files, values);
}

async function showInPage(files: readonly string[], values: InspectValues): Promise<number> {
  const inspector = await startInspector({
    ...serverOptions(values),
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
  return 0;
}

/** Throws with the line that is wrong: a page could only say that something is. */
function check(file: string): void {
  if (!existsSync(file)) {
    throw new OptionError(
      'file',
      file,
      `there is no file "${file}". Record one: tenon run "…" --record ${file}`,
    );
  }
  try {
    for (const _ of tapeLines(file));
  } catch (error) {
    throw TapeError.is(error) ? new OptionError('file', file, error.message) : error;
  }
}
