import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { OptionError } from '../../index.js';
import { htmlOf } from '../../inspector/for-commands.js';
import { otlpOf } from '../../observe/run/otlp.js';
import type { Run } from '../../observe/run/run.js';
import { messageOf } from '../../protocol/base/errors.js';
import { palette } from '../terminal/palette.js';
import { print } from '../terminal/print.js';
import type { InspectValues } from './command.js';

/** A recording is as confidential as the conversation. */
const PRIVATE = 0o600;

/** Writes what was asked for with `--html` and `--otlp`. */
export async function writeExports(
  files: readonly string[],
  runs: readonly Run[],
  values: InspectValues,
): Promise<void> {
  const { html, otlp } = values;
  const tapes = files.map((path) => ({ name: basename(path), path }));
  const title = tapes.map(({ name }) => name).join(' · ');
  if (html !== undefined) await write('--html', html, htmlOf(title, tapes));
  if (otlp !== undefined) {
    const resourceSpans = runs.flatMap((run) => otlpOf(run).resourceSpans);
    await write('--otlp', otlp, `${JSON.stringify({ resourceSpans })}\n`);
  }
}

async function write(option: string, file: string, content: string | AsyncIterable<Buffer>): Promise<void> {
  try {
    await writeFile(file, content, { mode: PRIVATE });
  } catch (error) {
    throw new OptionError(option, file, `${option} "${file}" cannot be written: ${messageOf(error)}`);
  }
  print(`${palette(process.stderr).green('✓')} ${file}\n`, process.stderr);
}
