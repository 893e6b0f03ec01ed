import { mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, resolve } from 'node:path';
import { OptionError } from '../../index.js';
import {
  type Inspector,
  makePrivateDirectory,
  removePrivateDirectory,
  startInspector,
  watchFolder,
} from '../../inspector/for-commands.js';
import { messageOf } from '../../protocol/base/errors.js';
import { palette } from '../terminal/palette.js';
import { print } from '../terminal/print.js';
import { announce } from './announce.js';
import type { InspectValues } from './command.js';
import { type Ended, runProgram } from './run-program.js';
import { serverOptions } from './server-options.js';
import { untilStopped } from './until-stopped.js';

/** Runs a program as it is, and shows what its agents do. Resolves with the program's exit code. */
export async function inspectProgram(program: readonly string[], values: InspectValues): Promise<number> {
  const [command, ...args] = program;
  if (command === undefined) {
    throw new OptionError('program', undefined, 'After -- comes a program: tenon inspect -- node app.mjs');
  }
  const folder = recordingsIn(values.record);
  try {
    const inspector = await startInspector({
      ...serverOptions(values),
      title: titleOf(program),
      source: 'program',
    });
    const run = () => runProgram(command, args, { folder, otlp: inspector.otlp });
    return exitCodeOf(await shownWhile(inspector, folder, values, run));
  } finally {
    if (values.record === undefined) removePrivateDirectory(folder);
  }
}

/** Shows what is recorded in the folder until the program has ended, and nobody looks any more. */
async function shownWhile(
  inspector: Inspector,
  folder: string,
  values: InspectValues,
  run: () => Promise<Ended>,
): Promise<Ended> {
  const watch = watchFolder(folder, inspector);
  let forget = async (): Promise<void> => {};
  try {
    forget = await announce(inspector.url, values);
    inspector.program({ state: 'running' });
    const ended = await run();
    await watch.look();
    inspector.program({ state: 'ended', ...ended });
    if (values.exit !== true && process.stdin.isTTY && process.stderr.isTTY) await stay(ended);
    return ended;
  } finally {
    await watch.close();
    await inspector.close();
    await forget();
    // Last, because pages are sent what is in the files.
    if (values.record !== undefined) await watch.keepSpans();
  }
}

async function stay(ended: Ended): Promise<void> {
  const paint = palette(process.stderr);
  print(`${paint.dim(`The program ${endText(ended)}. The page stays until Ctrl-C.`)}\n`, process.stderr);
  await untilStopped();
}

function endText({ code, signal }: Ended): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === 0 ? 'has ended' : `has ended with exit code ${code}`;
}

/** As shells number them. */
function exitCodeOf({ code, signal }: Ended): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

/** `node --flag shop.mjs 3` is `shop.mjs`. */
function titleOf(program: readonly string[]): string {
  const file = program.find((word) => /\.[cm]?[jt]sx?$/.test(word));
  return file === undefined ? program.join(' ') : basename(file);
}

/** A folder that only this user can look into, and that is gone when this program is, even if it is killed. */
function recordingsIn(given: string | undefined): string {
  if (given === undefined) return makePrivateDirectory();
  try {
    mkdirSync(given, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new OptionError(
      '--record',
      given,
      `--record "${given}" cannot be used as a folder: ${messageOf(error)}`,
    );
  }
  return resolve(given);
}
