import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKUserMessage,
} from '../../index.js';
import { oneLine } from '../terminal/harmless.js';
import { printJson } from '../terminal/print.js';
import type { Screen } from '../terminal/screen.js';
import { closingLine, failureLines } from './closing-line.js';
import type { PermissionQuestions } from './permission-questions.js';
import { argumentsText, callLine, shownName, timeText } from './tool-text.js';

/** Reports on a run. */
export interface Reporter {
  message(message: SDKMessage): void;
  /** Called after the last message, even if the loop threw. */
  end(): void;
  readonly result: SDKResultMessage | undefined;
}

/** For scripts: each message unchanged, as one line of JSON. */
export class JsonReporter implements Reporter {
  result: SDKResultMessage | undefined;

  message(message: SDKMessage): void {
    // Partial messages are repeated as whole ones.
    if (message.type === 'stream_event') return;
    if (message.type === 'result') this.result = message;
    printJson(message);
  }

  end(): void {}
}

interface RunningCall {
  /** Undefined if the model gave none. */
  name: string | undefined;
  input: unknown;
  since: number;
  isNested: boolean;
}

export interface ScreenReporterOptions {
  /** Time that is spent on a question is not the tool's. */
  questions?: PermissionQuestions;
  /** Milliseconds; default: those that pass. */
  now?: () => number;
}

/** Waits shorter than this need no spinner. */
const STATUS_AFTER_MS = 400;

/** For people: the text as it arrives, a line for each call, a closing line. */
export class ScreenReporter implements Reporter {
  readonly #screen: Screen;
  readonly #calls = new Map<string, RunningCall>();
  /** Messages whose text was already shown as it arrived. */
  readonly #streamed = new Set<string>();
  /** The model's answers: what `--max-turns` limits. */
  readonly #answers = new Set<string>();
  readonly #now: () => number;
  #waitingSince: number;
  result: SDKResultMessage | undefined;

  constructor(screen: Screen, { questions, now = () => performance.now() }: ScreenReporterOptions = {}) {
    this.#screen = screen;
    this.#now = now;
    this.#waitingSince = now();
    questions?.onAllowed((id) => {
      const call = this.#calls.get(id);
      if (call !== undefined) call.since = this.#now();
    });
    screen.setStatus(() => this.#status());
  }

  message(message: SDKMessage): void {
    if (message.type === 'stream_event') this.#part(message);
    else if (message.type === 'assistant') this.#assistant(message);
    else if (message.type === 'user') this.#user(message);
    else if (message.type === 'result') this.#result(message);
    else if (message.type === 'system') this.#system(message);
    this.#waitingSince = this.#now();
  }

  end(): void {
    this.#screen.setStatus(undefined);
    this.#screen.endAnswer();
  }

  #part({ event, parent_tool_use_id: parent }: SDKPartialAssistantMessage): void {
    // A subagent's text is meant for the agent; only its calls are shown.
    if (parent !== null) return;
    if (event.type === 'message_start') {
      this.#streamed.add(event.message.id);
      this.#answers.add(event.message.id);
    } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      this.#screen.answer(event.delta.text);
    } else if (event.type === 'content_block_stop') this.#screen.endAnswer();
  }

  #assistant({ message, parent_tool_use_id: parent, error }: SDKAssistantMessage): void {
    const isNested = parent !== null;
    // A failure also arrives as if the model had written it; it is shown with the result instead.
    if (error !== undefined) return;
    if (!isNested) this.#answers.add(message.id);
    for (const block of message.content) {
      if (block.type === 'tool_use') {
        this.#calls.set(block.id, {
          name: block.name,
          input: block.input,
          since: this.#now(),
          isNested,
        });
      } else if (block.type === 'text' && !isNested && !this.#streamed.has(message.id)) {
        this.#screen.answer(block.text);
        this.#screen.endAnswer();
      }
    }
  }

  #user({ message }: Pick<SDKUserMessage, 'message'>): void {
    if (typeof message.content === 'string') return;
    for (const block of message.content) {
      if (block.type !== 'tool_result') continue;
      const call = this.#calls.get(block.tool_use_id);
      if (call === undefined) continue;
      this.#calls.delete(block.tool_use_id);
      this.#screen.note(
        callLine(
          {
            ...call,
            outcome: textOf(block.content),
            isError: block.is_error === true,
            milliseconds: this.#now() - call.since,
          },
          this.#screen,
        ),
      );
    }
  }

  #system(message: SDKMessage & { type: 'system' }): void {
    const { paint } = this.#screen;
    if (message.subtype === 'init') {
      for (const { name, status } of message.mcp_servers) {
        if (status !== 'failed' && status !== 'needs-auth') continue;
        this.#screen.note(
          paint.yellow(`! The server "${oneLine(name)}" cannot be used: ${status}. See: tenon doctor`),
        );
      }
    } else if (message.subtype === 'api_retry') {
      const { attempt, max_retries: maxAttempts, retry_delay_ms: delay, error } = message;
      this.#screen.note(
        paint.yellow(
          `! ${oneLine(String(error))}: trying again in ${timeText(delay)} (attempt ${attempt} of ${maxAttempts})`,
        ),
      );
    }
  }

  #result(result: SDKResultMessage): void {
    this.result = result;
    if (result.final === false) return;
    this.#screen.setStatus(undefined);
    for (const line of failureLines(result)) this.#screen.note(this.#screen.paint.red(line));
    this.#screen.note(this.#screen.paint.dim(closingLine(result, this.#answers.size)));
  }

  #status(): string {
    const now = this.#now();
    const [oldest] = this.#calls.values();
    const since = oldest?.since ?? this.#waitingSince;
    if (now - since < STATUS_AFTER_MS) return '';
    const elapsed = timeText(now - since);
    if (oldest === undefined) return `${elapsed} waiting for the model`;
    const others = this.#calls.size > 1 ? ` and ${this.#calls.size - 1} more` : '';
    return `${elapsed} ${shownName(oldest.name)}${others} ${oneLine(argumentsText(oldest.input))}`;
  }
}

/** The text of a result; for other content, only its type. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ');
}
