import type { Redactor } from '../../observe/redactor.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { FeedLine, Playground, Question } from '../feed-lines.js';
import type { AnsweredBy, FileFeed, ProgramState, RunFeed } from '../inspector-types.js';
import type { SpanDesk } from '../spans/span-desk.js';
import { InspectedRun } from './inspected-run.js';
import { keepSpans } from './keep-spans.js';
import { FileText, MemoryText } from './run-text.js';

type Hello = Extract<FeedLine, { feed: 'hello' }>;

/** Told of everything that happens after it began to listen. */
export interface FeedListener {
  /** Runs have more lines, or there are more runs. */
  runsChanged(): void;
  line(line: FeedLine): void;
}

/** Everything that pages are shown. */
export class Feed {
  readonly hello: Hello;
  readonly #spans: SpanDesk;
  readonly #redactor: Redactor;
  readonly #listeners = new Set<FeedListener>();
  readonly #questions = new Map<string, Question>();
  readonly #runs = new Set<InspectedRun>();
  #count = 0;
  #memoryBytes = 0;
  #program: ProgramState | undefined;
  #playground: Playground | undefined;

  constructor(hello: Hello, spans: SpanDesk, redactor: Redactor) {
    this.hello = hello;
    this.#spans = spans;
    this.#redactor = redactor;
  }

  get runs(): ReadonlySet<InspectedRun> {
    return this.#runs;
  }

  /** What was said besides runs, and still holds. */
  state(): FeedLine[] {
    return [
      ...(this.#playground === undefined
        ? []
        : [{ feed: 'playground', playground: this.#playground } as const]),
      ...(this.#program === undefined ? [] : [{ feed: 'program', ...this.#program } as const]),
      ...[...this.#questions.values()].map((question) => ({ feed: 'question', question }) as const),
    ];
  }

  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  runsChanged(): void {
    for (const listener of this.#listeners) listener.runsChanged();
  }

  addRun(name: string): RunFeed {
    const text = new MemoryText();
    const run = this.#add(name, text);
    return {
      push: (lines) => {
        if (lines === '' || !this.#runs.has(run)) return;
        const before = text.length;
        text.push(lines);
        this.#memoryBytes += text.length - before;
        this.#spans.join(run, run.look(lines));
        this.#makeRoom();
        this.runsChanged();
      },
      broken: (message) => this.#break(run, message),
      end: () => {
        run.hasEnded = true;
      },
    };
  }

  addFile(name: string, path: string): FileFeed {
    const text = new FileText(path);
    const run = this.#add(name, text);
    let growing: Promise<void> | undefined;
    const grow = async (): Promise<void> => {
      if (run.broken !== undefined) return;
      const before = text.length;
      try {
        await text.grow((lines) => this.#spans.join(run, run.look(lines.toString('latin1'))));
      } catch (error) {
        this.#break(run, messageOf(error));
      }
      if (text.length > before) this.runsChanged();
    };
    return {
      // One after the other: two would take in the same lines.
      grown: () => {
        growing = (growing ?? Promise.resolve()).then(grow);
        return growing;
      },
      keepSpans: () => keepSpans(run, path),
    };
  }

  program(state: ProgramState): void {
    this.#program = state;
    this.#say({ feed: 'program', ...state });
  }

  /** The page is told no more than a recording. */
  question({ id, tool, input }: Question): void {
    const question: Question = { id, tool, input: this.#redactor.value(input) };
    this.#questions.set(question.id, question);
    this.#say({ feed: 'question', question });
  }

  answered(id: string, by: AnsweredBy, answer: string): void {
    if (this.#questions.delete(id)) this.#say({ feed: 'answered', id, by, answer });
  }

  playground(playground: Playground): void {
    this.#playground = playground;
    this.#say({ feed: 'playground', playground });
  }

  #add(name: string, text: InspectedRun['text']): InspectedRun {
    this.#count += 1;
    const run = new InspectedRun(this.#count, name, text);
    this.#runs.add(run);
    this.#makeRoom();
    this.runsChanged();
    return run;
  }

  #break(run: InspectedRun, message: string): void {
    run.broken ??= message;
    this.runsChanged();
  }

  /** A page that is open keeps what it has; one that is opened later does not see the run. */
  #makeRoom(): void {
    while (this.#memoryBytes > LIMITS.maxInspectedBytes || this.#runs.size > LIMITS.maxInspectedRuns) {
      const [newest] = [...this.#runs].slice(-1);
      const oldest = [...this.#runs].find((run) => run.hasEnded) ?? [...this.#runs][0];
      if (oldest === undefined || oldest === newest) return;
      this.#runs.delete(oldest);
      this.#spans.forget(oldest);
      if (oldest.text instanceof MemoryText) this.#memoryBytes -= oldest.text.length;
      const message = 'it made room for newer runs: the inspector has only so much memory';
      this.#say({ feed: 'broken', run: oldest.number, message });
    }
  }

  #say(line: FeedLine): void {
    for (const listener of this.#listeners) listener.line(line);
  }
}
