import type { StreamEvent } from '../../protocol/content.js';
import { messageOf, TenonError } from '../../protocol/errors.js';
import { type Model, type ModelContext, ModelError, type ModelRequest } from '../../runtime/model.js';
import { Cassette, type CassetteEntry } from './cassette.js';
import { type Difference, firstDifference } from './first-difference.js';

export interface RecordReplayOptions {
  /** Default: `replay` when the file is there, else `record`. */
  mode?: 'record' | 'replay' | undefined;
}

export interface RecordReplayModel extends Model {
  readonly mode: 'record' | 'replay';
  /** Throws when recorded requests were never made. Does nothing while recording. */
  assertDone(): void;
}

/** A request is not the one that was recorded in its place. */
export class CassetteMismatchError extends TenonError {
  /** Where they first differ; undefined when there is no request left to compare with. */
  readonly difference: Difference | undefined;

  constructor(message: string, difference?: Difference) {
    super('INVALID_OPTION', message);
    this.difference = difference;
  }
}

/**
 * A model that remembers: the first time it asks the real one and writes down what was said, from then on it says the
 * same without asking anybody. Delete the file, or give `mode: 'record'`, to record anew.
 */
export function recordReplay(
  model: Model,
  file: string,
  { mode }: RecordReplayOptions = {},
): RecordReplayModel {
  const cassette = new Cassette(file);
  const isReplay = mode === undefined ? cassette.exists : mode === 'replay';
  return { ...(isReplay ? replaying(cassette, file) : recording(model, cassette)), ...known(model) };
}

/** What is known of the model without asking it. */
function known(model: Model): Pick<Model, 'resolve' | 'prices'> {
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
        // An answer that the reader broke off would, on replay, be one that ends too soon.
        if (isComplete) cassette.append(entry);
      }
    },
    assertDone: () => {},
  };
}

function replaying(cassette: Cassette, file: string): RecordReplayModel {
  const { head, entries } = cassette.read();
  let next = 0;
  return {
    name: head.model,
    mode: 'replay',
    async *stream(request: ModelRequest, { signal }: ModelContext): AsyncGenerator<StreamEvent, void> {
      const entry = entries[next];
      compare(request, entry, next, file);
      next += 1;
      for (const event of entry?.events ?? []) {
        signal.throwIfAborted();
        yield structuredClone(event);
      }
      if (entry?.error !== undefined) throw new ModelError(entry.error.message, entry.error);
    },
    assertDone: () => {
      const left = entries.length - next;
      if (left > 0) {
        throw new CassetteMismatchError(`recordReplay: ${left} of the requests in ${file} were never made.`);
      }
    },
  };
}

function compare(request: ModelRequest, entry: CassetteEntry | undefined, index: number, file: string): void {
  const which = `request ${index + 1}`;
  if (entry === undefined) {
    throw new CassetteMismatchError(`recordReplay: ${which} came, but ${file} has only ${index}.`);
  }
  // As the file has it: what JSON leaves out is no difference.
  const found = firstDifference(entry.request, JSON.parse(JSON.stringify(request)));
  if (found === undefined) return;
  const { path, left, right } = found;
  throw new CassetteMismatchError(
    `recordReplay: ${which} is not the one in ${file}. First difference at ${path}:\n` +
      `  recorded: ${show(left)}\n  now:      ${show(right)}`,
    found,
  );
}

const LONGEST_VALUE = 400;

function show(value: unknown): string {
  const json = value === undefined ? '(absent)' : JSON.stringify(value);
  return json.length > LONGEST_VALUE ? `${json.slice(0, LONGEST_VALUE)}…` : json;
}

function describe(error: unknown): NonNullable<CassetteEntry['error']> {
  if (!(error instanceof ModelError)) return { message: messageOf(error) };
  const { message, status, type } = error;
  return { message, type, ...(status === undefined ? {} : { status }) };
}
