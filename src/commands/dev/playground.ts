import { type CallToolResult, createSession, OptionError, type Options, type Session } from '../../index.js';
import type { CallBody, Playground as PlaygroundState } from '../../inspector/feed-lines.js';
import { redactorOf } from '../../inspector/for-commands.js';
import { messageOf } from '../../protocol/base/errors.js';
import { Talk } from '../run/conversation.js';
import type { Interruption } from '../run/interruption.js';
import type { PermissionQuestions } from '../run/permission-questions.js';
import { callLine } from '../run/tool-text.js';
import { hanging, oneLine } from '../terminal/harmless.js';
import type { InputLine, Screen } from '../terminal/screen.js';
import type { FreshTools } from '../tools-file/fresh-tools.js';
import { ListedServers } from '../tools-file/listed-servers.js';
import type { FoundServer } from '../tools-file/load-tools.js';
import type { Answerer } from './choose-answerer.js';

export interface PlaygroundParts {
  readonly file: string;
  readonly tools: FreshTools;
  readonly answerer: Answerer;
  /** For each session, without its servers. */
  readonly options: Options;
  readonly screen: Screen;
  readonly questions: PermissionQuestions;
  readonly interruption: Interruption;
  /** Where a person types between turns, if there is a terminal. */
  readonly input: InputLine | undefined;
}

type Show = (state: PlaygroundState) => void;

/** More prompts than this do not wait: somebody leans on a key. */
const MAX_WAITING = 20;

/** A conversation with the tools of a file that is being written. One thing at a time: a turn, or a loading. */
export class Playground {
  readonly #parts: PlaygroundParts;
  readonly #redactor = redactorOf([], process.env);
  #last: Promise<unknown> = Promise.resolve();
  #found: readonly FoundServer[];
  #listed: ListedServers;
  #session: Session | undefined;
  #talk: Talk | undefined;
  #isBusy = false;
  #waiting = 0;
  #loads = 1;
  #problem: string | undefined;
  #isClosed = false;
  #show: Show = () => {};

  private constructor(parts: PlaygroundParts, found: readonly FoundServer[], listed: ListedServers) {
    this.#parts = parts;
    this.#found = found;
    this.#listed = listed;
  }

  /** Loads the file; rejects if that fails. */
  static async load(parts: PlaygroundParts): Promise<Playground> {
    const found = await parts.tools.load();
    return new Playground(parts, found, await listed(found, parts.screen));
  }

  /** Begins the conversation. `show` is called with the whole state whenever it changes. */
  begin(show: Show): void {
    this.#show = show;
    this.#open({});
    this.#parts.interruption.listen(this);
    this.#changed();
  }

  get hasProblem(): boolean {
    return this.#problem !== undefined;
  }

  get toolNames(): string[] {
    return this.#listed.servers.flatMap(({ tools }) => tools.map(({ name }) => name));
  }

  /** Resolves when the turn is over, whatever came of it. `isTyped`: the terminal shows it already. */
  prompt(text: string, { isTyped }: { isTyped: boolean }): Promise<void> {
    if (this.#waiting >= MAX_WAITING) {
      throw new OptionError(
        'prompt',
        text,
        `${MAX_WAITING} prompts are waiting already. Wait for an answer.`,
      );
    }
    this.#waiting += 1;
    return this.#next(async () => {
      this.#waiting -= 1;
      await this.#turn(text, isTyped);
    });
  }

  /** Rejects if there is no such tool, or its server does not answer. What the tool says is in the result. */
  async call({ server, tool, arguments: input }: CallBody, signal: AbortSignal): Promise<CallToolResult> {
    const found = this.#listed.servers.find(({ name }) => name === server);
    if (found === undefined || !found.tools.some(({ name }) => name === tool)) {
      throw new OptionError(
        'tool',
        tool,
        `there is no tool "${tool}" in a server "${server}". The file may have changed.`,
      );
    }
    const since = performance.now();
    const result = await found.client.call(tool, input, { signal });
    const { screen } = this.#parts;
    const finished = {
      name: `${server}.${tool}`,
      input,
      outcome: result.content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' '),
      isError: result.isError === true,
      milliseconds: performance.now() - since,
      isNested: false,
    };
    screen.note(`${callLine(finished, screen)} ${screen.paint.dim('from the page')}`);
    // The page is told no more than a recording.
    return this.#redactor.value(result) as CallToolResult;
  }

  async interrupt(): Promise<undefined> {
    if (this.#isBusy) await this.#session?.query.interrupt();
  }

  /** Loads the file again. If that fails the tools stay as they are, and the problem is shown. */
  reload(): Promise<void> {
    const { screen, file } = this.#parts;
    if (this.#isBusy)
      screen.note(screen.paint.dim(`${file} has changed; it is loaded when the turn is over.`));
    return this.#next(() => this.#reload());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#session?.close(), this.#listed[Symbol.asyncDispose]()]);
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(() => (this.#isClosed ? undefined : work()));
    this.#last = done.catch(() => {});
    return done;
  }

  async #turn(text: string, isTyped: boolean): Promise<void> {
    const { screen, interruption, input } = this.#parts;
    this.#isBusy = true;
    this.#changed();
    input?.hide();
    if (!isTyped) screen.note(`> ${hanging(text)} ${screen.paint.dim('from the page')}`);
    try {
      await this.#talk?.turn(text);
    } catch (error) {
      if (interruption.hasQuit || this.#isClosed) return;
      screen.note(screen.paint.red(`✗ ${hanging(messageOf(error))}`));
      await this.#startAgain();
    } finally {
      this.#isBusy = false;
      this.#changed();
      input?.show();
    }
  }

  /** The agent is gone; the conversation goes on with another one, from where it was kept. */
  async #startAgain(): Promise<void> {
    const sessionId = this.#talk?.sessionId;
    await this.#session?.close().catch(() => {});
    this.#open(this.#parts.answerer.isKept && sessionId !== undefined ? { resume: sessionId } : {});
  }

  #open(more: Options): void {
    const { options, screen, questions, interruption } = this.#parts;
    this.#session = createSession({ ...options, ...more, mcpServers: serversOf(this.#found) });
    this.#talk = new Talk(this.#session, screen, questions, interruption);
  }

  async #reload(): Promise<void> {
    const { tools, screen, file } = this.#parts;
    const before = this.toolNames;
    try {
      const found = await tools.load();
      const now = await listed(found, screen);
      const old = this.#listed;
      [this.#found, this.#listed, this.#problem] = [found, now, undefined];
      await old[Symbol.asyncDispose]();
      await this.#session?.query.setMcpServers(serversOf(found)).catch(() => this.#startAgain());
      screen.note(screen.paint.green(`↻ ${file} was loaded again. ${changesText(before, this.toolNames)}`));
    } catch (error) {
      this.#problem = messageOf(error);
      screen.note(screen.paint.red(`✗ ${hanging(this.#problem)}\n  The tools are those of before.`));
    }
    this.#loads += 1;
    this.#changed();
  }

  #changed(): void {
    const { file, answerer } = this.#parts;
    this.#show({
      file,
      model: answerer.name,
      isReal: answerer.isReal,
      isBusy: this.#isBusy,
      problem: this.#problem,
      loads: this.#loads,
      tools: this.#listed.servers.flatMap(({ name: server, tools }) =>
        tools.map(({ name, description = '', inputSchema }) => ({ server, name, description, inputSchema })),
      ),
    });
  }
}

function listed(found: readonly FoundServer[], screen: Screen): Promise<ListedServers> {
  return ListedServers.open(found, {}, (server, { level, data }) =>
    screen.note(
      screen.paint.dim(
        oneLine(`${level} ${server}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
      ),
    ),
  );
}

function serversOf(found: readonly FoundServer[]): NonNullable<Options['mcpServers']> {
  return Object.fromEntries(found.map(({ name, config }) => [name, config]));
}

function changesText(before: readonly string[], now: readonly string[]): string {
  const added = now.filter((name) => !before.includes(name)).map((name) => `+ ${name}`);
  const gone = before.filter((name) => !now.includes(name)).map((name) => `- ${name}`);
  const changes = [...added, ...gone];
  return changes.length === 0 ? `Tools: ${now.join(', ')}` : changes.join(', ');
}
