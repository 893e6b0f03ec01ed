import { type Difference, firstDifference } from '../../observe/first-difference.js';
import { redactorOf } from '../../observe/redactor.js';
import { sameAsRecorded } from '../../observe/replay/same-value.js';
import { untilAborted } from '../../protocol/base/cancellation.js';
import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { hostEnvironment } from '../../protocol/base/host-process.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import { type Model, type ModelContext, ModelError, type ModelRequest } from '../../runtime/model.js';
import { Cassette, type CassetteEntry } from './cassette.js';

export interface RecordReplayOptions {
  /** Default: `replay` if the file exists, otherwise `record`. */
  mode?: 'record' | 'replay' | undefined;
  /**
   * Texts that must not be in the file. Values of variables such as API_KEY, and keys and tokens of a known
   * form, are left out anyway.
   */
  redact?: readonly string[] | undefined;
}

export interface RecordReplayModel extends Model {
  readonly mode: 'record' | 'replay';
  /**
   * Throws if recorded requests were never made, or if a request differed from the recorded one. Does nothing
   * while recording.
   */
  assertDone(): void;
}

/** A request differs from the recorded one, or recorded requests were never made. */
export class CassetteMismatchError extends TenonError {
  static override readonly className = 'CassetteMismatchError';
  /** Where they first differ; undefined if there is no recorded request to compare with. */
  readonly difference: Difference | undefined;

  constructor(message: string, difference?: Difference) {
    super('CASSETTE_MISMATCH', message);
    this.difference = difference;
  }
}

/**
 * A model that records and replays: the first run calls the real model and records its answers, later runs
 * replay them without calling it. To record again, delete the file or pass `mode: 'record'`. The file may also be a tape
 * of the embedded runtime (`options.record`), which is only replayed.
 */
export function recordReplay(
  model: Model,
  file: string,
  { mode, redact }: RecordReplayOptions = {},
): RecordReplayModel {
  const cassette = new Cassette(file, redactorOf(redact ?? [], hostEnvironment()));
  const isReplay = mode === undefined ? cassette.exists : mode === 'replay';
  return { ...(isReplay ? replaying(cassette, file) : recording(model, cassette)), ...modelFacts(model) };
}

/** What is modelFacts about the model without calling it. */
function modelFacts(model: Model): Pick<Model, 'resolve' | 'prices'> {
  return { prices: model.prices, resolve: (name) => model.resolve?.(name) ?? name };
}

function recording(model: Model, cassette: Cassette): RecordReplayModel {
  cassette.begin(model.name);
  return {
    name: model.name,
    mode: 'record',
    async *stream(request: ModelRequest, context: ModelContext): AsyncGenerator<StreamEvent, void> {
      const entry: CassetteEntry = { request: structuredClone(request), events: [] };
      let isComplete = false;
      try {
        for await (const event of model.stream(request, context)) {
          entry.events.push(structuredClone(event));
          yield event;
        }
        isComplete = true;
      } catch (error) {
        isComplete = !context.signal.aborted;
        entry.error = describe(error);
        throw error;
      } finally {
        // An answer that its reader abandoned would end too soon in a replay.
        if (isComplete) cassette.append(entry);
      }
    },
    assertDone: () => {},
  };
}

function replaying(cassette: Cassette, file: string): RecordReplayModel {
  const { head, entries } = cassette.read();
  let next = 0;
  let mismatch: CassetteMismatchError | undefined;
  return {
    name: head.model,
    mode: 'replay',
    async *stream(request: ModelRequest, { signal }: ModelContext): AsyncGenerator<StreamEvent, void> {
      const entry = entries[next];
      const found = findMismatch(cassette.recorded(request), entry, next, file);
      mismatch ??= found;
      if (found !== undefined) throw found;
      next += 1;
      for (const event of entry?.events ?? []) {
        signal.throwIfAborted();
        yield structuredClone(event);
      }
      // As then: nothing more comes, until nobody waits for it.
      if (entry?.stopped === true) await untilAborted(new Promise<never>(() => {}), signal);
      if (entry?.error !== undefined) throw new ModelError(entry.error.message, entry.error);
    },
    assertDone: () => {
      if (mismatch !== undefined) throw mismatch;
      const missing = entries.length - next;
      if (missing > 0) {
        const requests = missing === 1 ? '1 request' : `${missing} requests`;
        throw new CassetteMismatchError(`recordReplay: ${requests} recorded in ${file} never arrived.`);
      }
    },
  };
}

function findMismatch(
  request: unknown,
  entry: CassetteEntry | undefined,
  index: number,
  file: string,
): CassetteMismatchError | undefined {
  const which = `request ${index + 1}`;
  if (entry === undefined) {
    return new CassetteMismatchError(`recordReplay: ${which} arrived, but ${file} has only ${index}.`);
  }
  const found = firstDifference(entry.request, request, '', sameAsRecorded);
  if (found === undefined) return undefined;
  const { path, left, right } = found;
  return new CassetteMismatchError(
    `recordReplay: ${which} differs from the one in ${file}. First difference at ${path}:\n` +
      `  recorded: ${show(left)}\n  now:      ${show(right)}`,
    found,
  );
}

const MAX_VALUE_LENGTH = 400;

function show(value: unknown): string {
  const json = value === undefined ? '(absent)' : JSON.stringify(value);
  return json.length > MAX_VALUE_LENGTH ? `${json.slice(0, MAX_VALUE_LENGTH)}…` : json;
}

function describe(error: unknown): NonNullable<CassetteEntry['error']> {
  if (!(error instanceof ModelError)) return { message: messageOf(error) };
  const { message, status, type } = error;
  return { message, type, ...(status === undefined ? {} : { status }) };
}
