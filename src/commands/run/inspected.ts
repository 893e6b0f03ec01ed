import {
  type Inspector,
  type InspectorControl,
  startInspector,
  watchProcess,
} from '../../inspector/for-commands.js';
import type { PageQuestions } from './page-questions.js';

export interface InspectedOptions {
  readonly source?: 'program' | 'playground';
  readonly control?: Omit<InspectorControl, 'answer'>;
  readonly port?: number | undefined;
  /** Also where NODE_ENV is production. */
  readonly force?: boolean | undefined;
}

/** An inspector in this process, which shows every conversation that begins in it. */
export class Inspected {
  readonly inspector: Inspector;
  readonly #stopRecording: () => void;
  #isRunning: boolean;

  private constructor(inspector: Inspector, stopRecording: () => void, isProgram: boolean) {
    this.inspector = inspector;
    this.#isRunning = isProgram;
    this.#stopRecording = stopRecording;
  }

  /** With `questions` the page may answer them. */
  static async start(
    title: string,
    questions: PageQuestions | undefined,
    { source = 'program', control = {}, port, force }: InspectedOptions = {},
  ): Promise<Inspected> {
    const inspector = await startInspector({
      title,
      source,
      port,
      force,
      control: questions === undefined ? undefined : { answer: questions.answer, ...control },
    });
    questions?.showOn(inspector);
    if (source === 'program') inspector.program({ state: 'running' });
    // For the agents that this process starts: where they report their spans.
    process.env.TENON_INSPECT_OTLP ??= inspector.otlp.endpoint;
    process.env.TENON_INSPECT_OTLP_TOKEN ??= inspector.otlp.token;
    const stopRecording = watchProcess(inspector);
    return new Inspected(inspector, stopRecording, source === 'program');
  }

  /** With its token: for the person at this terminal, and nobody else. */
  get url(): string {
    return this.inspector.url;
  }

  /** The run is over; the page says so, and stays. */
  ended(code: number | null): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.inspector.program({ state: 'ended', code });
  }

  async close(): Promise<void> {
    this.ended(null);
    this.#stopRecording();
    await this.inspector.close();
  }
}
