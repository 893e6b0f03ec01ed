import { clock, type Timer, unref, wait } from '../protocol/base/clock.js';
import { messageOf } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import type { FrameLine, RunEvent, RunRecorder } from '../protocol/transport/run-events.js';
import { atExit } from './at-exit.js';
import { realDisk, type TapeDisk, TapeFile } from './tape-file.js';
import { headOf, type StartEvent } from './tape-head.js';
import { TapeLines } from './tape-lines.js';
import { createTape, createTapeNow, type NamingRules, type NewTape, releaseTape } from './tape-names.js';

export interface RecorderSettings {
  path: string;
  maxBytes?: number | undefined;
  maxFrameBytes?: number | undefined;
  maxRuns?: number | undefined;
  exchanges?: boolean | undefined;
}

export interface RecorderReports {
  /** Called at most once: the recording has ended before the conversation. */
  warn(text: string): void;
  debug(kind: string, message: string): void;
}

/** A recorder of one conversation. It opens its file when the conversation begins, and never fails. */
export function newRecorder(
  record: string | RecorderSettings,
  reports: RecorderReports,
  disk: TapeDisk = realDisk,
): RunRecorder {
  return new TapeRecorder(typeof record === 'string' ? { path: record } : record, reports, disk);
}

const MODEL_CALLS: ReadonlySet<string> = new Set<RunEvent['kind']>(['request', 'answer', 'exchange']);

class TapeRecorder implements RunRecorder {
  readonly #settings: RecorderSettings;
  readonly #reports: RecorderReports;
  readonly #disk: TapeDisk;
  #lines: TapeLines | undefined;
  #file: TapeFile | undefined;
  #opening: Promise<void> | undefined;
  #timer: Timer | undefined;
  #rules: NamingRules | undefined;
  #isOver = false;
  #hasWarned = false;
  #stopWatchingExit = (): void => {};

  constructor(settings: RecorderSettings, reports: RecorderReports, disk: TapeDisk) {
    this.#settings = settings;
    this.#reports = reports;
    this.#disk = disk;
  }

  take(event: RunEvent | FrameLine): void {
    if (this.#isOver) return;
    if (event.kind === 'start') this.#begin(event);
    else if (this.#settings.exchanges === false && MODEL_CALLS.has(event.kind)) return;
    else this.#lines?.take(event);
    if (this.#lines === undefined || this.#file === undefined) return;
    if (this.#lines.waitingChars >= LIMITS.tapeFlushChars) this.#drain();
    this.#timer ??= unref(clock.setTimeout(() => this.#flush(), LIMITS.tapeFlushMs));
  }

  async close(): Promise<void> {
    const closed = this.#close();
    const enough = new AbortController();
    await Promise.race([closed, wait(LIMITS.tapeCloseMs, { signal: enough.signal }).catch(() => {})]);
    enough.abort();
  }

  async tape(): Promise<string | undefined> {
    await this.#opening;
    this.#flush();
    await this.#file?.written();
    return this.#file?.path;
  }

  async #close(): Promise<void> {
    await this.#opening;
    this.#flush();
    await this.#file?.close();
    this.#isOver = true;
    this.#stopWatchingExit();
    if (this.#file !== undefined) releaseTape(this.#file.path);
  }

  #begin(event: StartEvent): void {
    const { maxBytes = LIMITS.maxTapeBytes, maxFrameBytes = LIMITS.maxTapeFrameBytes } = this.#settings;
    const lines = new TapeLines(event, { maxBytes, maxFrameBytes });
    this.#lines = lines;
    this.#stopWatchingExit = atExit((code) => this.#programEnds(code));
    const { startedAt, conversation } = lines;
    const { path, maxRuns = LIMITS.maxTapes } = this.#settings;
    const rules: NamingRules = { maxRuns, startedAt, conversation };
    this.#rules = rules;
    lines.head(headOf(event, startedAt));
    this.#opening = createTape(path, rules, this.#disk).then(
      (created) => this.#opened(created),
      (error) => this.#giveUp(messageOf(error), remedyFor(error, path)),
    );
  }

  #opened(created: NewTape): void {
    this.#file = this.#fileOf(created);
    this.#reports.debug('record', `the conversation is recorded in ${created.path}`);
    this.#flush();
  }

  #fileOf({ path, descriptor }: NewTape): TapeFile {
    return new TapeFile(path, descriptor, this.#disk, (reason) => this.#giveUp(reason));
  }

  #flush(): void {
    clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drain();
    this.#file?.flush();
  }

  #drain(): void {
    const file = this.#file;
    if (file === undefined || this.#isOver || this.#lines === undefined) return;
    file.write(this.#lines.drain());
    const { cut } = this.#lines;
    if (cut !== undefined) this.#warnOnce(`The recording in ${file.path} is not complete: ${cut}`);
    if (file.queuedBytes > LIMITS.maxTapeQueueBytes) {
      this.#giveUp('the disk is slower than the conversation');
    }
  }

  /** The conversation goes on. */
  #giveUp(reason: string, remedy = ''): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopWatchingExit();
    this.#warnOnce(
      this.#file === undefined
        ? `The conversation is not recorded: ${reason}.${remedy}`
        : `The recording in ${this.#file.path} has ended, the conversation goes on: ${reason}.`,
    );
    if (this.#file !== undefined) {
      this.#file.abandon();
      releaseTape(this.#file.path);
    }
    this.#lines = undefined;
  }

  #warnOnce(text: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#reports.warn(text);
  }

  #programEnds(code: number): void {
    if (this.#isOver || this.#lines === undefined) return;
    this.#isOver = true;
    this.#lines.programEnded(code);
    if (this.#file === undefined && this.#rules !== undefined) {
      const created = createTapeNow(this.#settings.path, this.#rules);
      if (created !== undefined) this.#file = this.#fileOf(created);
    }
    this.#file?.writeNow(this.#lines.drain());
  }
}

function remedyFor(error: unknown, path: string): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? ` Create the directory of "${path}", or give another path.` : '';
}
