import { TenonError } from '../../protocol/base/errors.js';
import type { Frame } from '../../protocol/wire/frames.js';
import { firstDifference } from '../first-difference.js';
import { comparable, describeFrame } from './frame-key.js';
import { sameAsRecorded } from './same-value.js';

/** Where a program does something else in the replay than in the recording. */
export interface TapeDifference {
  /** What it is, in words: `the answer of the tool shop.stock`. */
  readonly about: string;
  /** The number of the recorded frame; undefined if there is none. */
  readonly frame: number | undefined;
  /** Where in it, from its root: `response.mcp_response.result.content[0].text`. Empty: all of it. */
  readonly path: string;
  /** Undefined: there was nothing. */
  readonly recorded: unknown;
  readonly now: unknown;
}

/** A program does not do what it did when it was recorded. */
export class TapeMismatchError extends TenonError {
  static override readonly className = 'TapeMismatchError';
  readonly differences: readonly TapeDifference[];

  constructor(file: string, differences: readonly TapeDifference[]) {
    const list = differences.map((each) => `  - ${describeDifference(each)}`).join('\n');
    super('TAPE_MISMATCH', `The program differs from its recording in ${file}:\n${list}`);
    this.differences = differences;
  }
}

/** The first difference between a recorded frame of the program and its frame now. */
export function compareFrames(
  number: number,
  recorded: Frame,
  now: Frame,
  asked: Frame | undefined,
): TapeDifference | undefined {
  const found = firstDifference(comparable(recorded), comparable(now), '', sameAsRecorded);
  if (found === undefined) return undefined;
  const { path, left, right } = found;
  return { about: describeFrame(recorded, asked), frame: number, path, recorded: left, now: right };
}

export function describeDifference({ about, frame, path, recorded, now }: TapeDifference): string {
  const where = path === '' ? '' : ` at ${path}`;
  const which = frame === undefined ? '' : ` (frame ${frame})`;
  if (path === '' && now === undefined) return `${about}${which} was recorded, and does not come now`;
  if (path === '' && recorded === undefined) return `${about} was not recorded, and comes now: ${shown(now)}`;
  return `${about}${which}${where} was ${shown(recorded)}, and is now ${shown(now)}`;
}

const LONGEST = 200;

function shown(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
