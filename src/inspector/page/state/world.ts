import { BlockReader } from '../../../observe/block-reader.js';
import { Run } from '../../../observe/run/run.js';
import type { TapeHead, TapeLine } from '../../../observe/tape-format.js';
import type { FeedLine, Playground, Question } from '../../feed-lines.js';

export type Hello = Extract<FeedLine, { feed: 'hello' }>;
export type ProgramLine = Extract<FeedLine, { feed: 'program' }>;
export type Answered = Extract<FeedLine, { feed: 'answered' }>;

/** One run of the page. */
export interface RunEntry {
  readonly number: number;
  readonly name: string;
  /** Undefined until its head has come. */
  run: Run | undefined;
  /** Why it cannot be read further. */
  broken: string | undefined;
  /** When its last line came, on the page's own clock. */
  lastAt: number;
  readonly blocks: BlockReader;
}

/** Everything that the server has told, since the connection began. */
export class World {
  readonly runs = new Map<number, RunEntry>();
  readonly questions = new Map<string, Question>();
  hello: Hello | undefined;
  program: ProgramLine | undefined;
  playground: Playground | undefined;
  lastAnswer: Answered | undefined;
  isCaughtUp = false;

  /** One line of the feed. */
  take(text: string): void {
    const line = JSON.parse(text) as FeedLine;
    if ('line' in line) this.#runLine(line.run, line.line, text.includes('"$block"'));
    else this.#note(line);
  }

  #note(line: Extract<FeedLine, { feed: string }>): void {
    if (line.feed === 'hello') this.hello = line;
    else if (line.feed === 'run') this.#addRun(line.run, line.name);
    else if (line.feed === 'broken') this.#addRun(line.run, '').broken = line.message;
    else if (line.feed === 'program') this.#programIs(line);
    else if (line.feed === 'caught-up') this.caughtUp();
    else if (line.feed === 'question') this.questions.set(line.question.id, line.question);
    else if (line.feed === 'playground') this.playground = line.playground;
    else if (line.feed === 'answered') {
      this.lastAnswer = line;
      this.questions.delete(line.id);
    }
  }

  /** What is read from files is complete then. */
  caughtUp(): void {
    this.isCaughtUp = true;
    if (this.hello?.source === 'tape') this.#closeRuns();
  }

  /** The feed of a saved page is over, whatever it was. */
  saved(): void {
    this.isCaughtUp = true;
    this.#closeRuns();
  }

  #programIs(line: ProgramLine): void {
    this.program = line;
    if (line.state === 'ended') this.#closeRuns();
  }

  #closeRuns(): void {
    for (const { run } of this.runs.values()) run?.close();
  }

  #addRun(number: number, name: string): RunEntry {
    const known = this.runs.get(number);
    if (known !== undefined) return known;
    const blocks = new BlockReader();
    const entry: RunEntry = { number, name, run: undefined, broken: undefined, lastAt: 0, blocks };
    this.runs.set(number, entry);
    return entry;
  }

  #runLine(number: number, line: TapeHead | TapeLine, hasBlocks: boolean): void {
    const entry = this.#addRun(number, '');
    entry.lastAt = performance.now();
    if ('tape' in line) {
      entry.run ??= new Run(line);
      return;
    }
    if (line.kind === 'block') {
      entry.blocks.add(line);
      return;
    }
    try {
      entry.run?.add(hasBlocks ? (entry.blocks.filled(line) as typeof line) : line);
    } catch (error) {
      entry.broken ??= error instanceof Error ? error.message : String(error);
    }
  }
}
