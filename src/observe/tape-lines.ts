import { LIMITS } from '../protocol/base/limits.js';
import type { FrameLine, ModelCall, RunEvent } from '../protocol/transport/run-events.js';
import { MARK } from './block-reader.js';
import { BlockWriter, SHORTEST_LINE, type WrittenBlock } from './blocks.js';
import { cutFrame } from './cut-frame.js';
import { Redactor } from './redactor.js';
import type { TapeEnd, TapeHead, TapeTotals } from './tape-format.js';

type Happened = Exclude<RunEvent, { kind: 'start' }> | FrameLine;

/** Three decimals and what follows them in the line of a frame: to put numbers into a text takes longest. */
const decimals = (rest: string): string[] =>
  Array.from({ length: 1000 }, (_, number) => `${String(number).padStart(3, '0')}${rest}`);
const DECIMALS = {
  sent: decimals(',"direction":">","frame":'),
  received: decimals(',"direction":"<","frame":'),
};

interface Bounds {
  maxBytes: number;
  maxFrameBytes: number;
}

/** Makes the lines of a tape. What happens is only kept at first; the work is done when it is written. */
export class TapeLines {
  readonly startedAt: string;
  readonly conversation: string;
  readonly #began: number;
  readonly #bounds: Bounds;
  readonly #redactor: Redactor;
  readonly #blocks = new BlockWriter();
  readonly #totals: TapeTotals = { sent: 0, received: 0, requests: 0, results: 0 };
  #waiting: Happened[] = [];
  #waitingChars = 0;
  #head = '';
  #bytes = 0;
  #lastSequence = 0;
  #cut: string | undefined;
  #end: Pick<TapeEnd, 'agent' | 'program'> | undefined;
  #hasEnded = false;
  #lastAt: number;
  /** The beginning of a line. */
  #stderr = '';
  #millisecond = -1;
  #millisecondText = '';

  constructor({ at, conversation, secrets }: Extract<RunEvent, { kind: 'start' }>, bounds: Bounds) {
    this.#began = at;
    this.#lastAt = at;
    // What is written must also be read.
    this.#bounds = { ...bounds, maxFrameBytes: Math.min(bounds.maxFrameBytes, LIMITS.maxTapeLineBytes / 4) };
    this.#redactor = new Redactor(secrets);
    this.startedAt = new Date(at).toISOString();
    this.conversation = conversation;
  }

  get waitingChars(): number {
    return this.#waitingChars;
  }

  /** Why not everything is recorded. */
  get cut(): string | undefined {
    return this.#cut;
  }

  head(head: TapeHead): void {
    this.#head = `${this.#redactor.line(JSON.stringify(head))}\n`;
  }

  take(event: Happened): void {
    this.#lastAt = event.at;
    if (event.kind === 'end') {
      this.#hasEnded = true;
      const { code, signal, error } = event;
      this.#end = { agent: { code, signal, ...(error === undefined ? {} : { error }) } };
      return;
    }
    this.#waiting.push(event);
    this.#waitingChars += sizeOf(event);
  }

  /** Means nothing after the agent has ended: only the rest of its tape is written. */
  programEnded(code: number): void {
    if (!this.#hasEnded) this.#end = { agent: null, program: code };
  }

  /** The lines of everything that has happened since the last time. */
  drain(): string {
    let text = this.#head;
    this.#head = '';
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    for (let start = 0; start < waiting.length; ) {
      const short = this.#shortFrames(waiting, start);
      const end = Math.max(start + 1, short.end);
      text +=
        short.text ??
        waiting
          .slice(start, end)
          .map((event) => this.#linesOf(event))
          .join('');
      start = end;
    }
    if (this.#end !== undefined) {
      text += this.#endLine(this.#end);
      this.#end = undefined;
    }
    return text;
  }

  /**
   * Nearly all that happens are short frames without secrets: that is found out once for all that follow one another.
   * Without `text` it is not so, and each must be looked at.
   */
  #shortFrames(waiting: readonly Happened[], start: number): { end: number; text: string | undefined } {
    const shortest = Math.min(SHORTEST_LINE, this.#bounds.maxFrameBytes);
    let text = '';
    let sent = 0;
    let end = start;
    for (; end < waiting.length; end += 1) {
      const event = waiting[end] as Happened;
      if (event.kind !== 'frame' || event.type === 'result' || event.line.length >= shortest) break;
      if (event.sequence !== this.#lastSequence + 1 + end - start) break;
      if (event.direction === 'sent') sent += 1;
      text += this.#frameText(event, event.line);
    }
    const isTooLong = this.#cut !== undefined || this.#bytes + text.length > this.#bounds.maxBytes;
    if (end === start || isTooLong || text.includes(MARK) || this.#redactor.mayChange(text)) {
      return { end, text: undefined };
    }
    this.#bytes += text.length;
    this.#lastSequence += end - start;
    this.#totals.sent += sent;
    this.#totals.received += end - start - sent;
    return { end, text };
  }

  #linesOf(event: Happened): string {
    if (this.#cut !== undefined) return '';
    const text = event.kind === 'frame' ? this.#frameLine(event) : this.#otherLine(event);
    // In characters, which for nearly all of a tape are bytes.
    this.#bytes += text.length;
    if (this.#bytes <= this.#bounds.maxBytes) return text;
    this.#cut ??= `it has become longer than \`maxBytes\`, which is ${this.#bounds.maxBytes}.`;
    return '';
  }

  #frameLine(frame: FrameLine): string {
    const { sequence, line } = frame;
    if (sequence !== this.#lastSequence + 1) {
      this.#cut = 'the conversation was faster than the recording could begin.';
      return '';
    }
    this.#lastSequence = sequence;
    this.#count(frame);
    const clean = this.#redactor.line(line);
    const isLong = clean.length > this.#bounds.maxFrameBytes;
    const { blocks, json } = this.#blocks.line(isLong ? cutFrame(clean, this.#bounds.maxFrameBytes) : clean);
    const cut = isLong ? `,"cut":${Buffer.byteLength(line)}` : '';
    return `${blocksText(blocks)}${this.#frameText(frame, `${json}${cut}`)}`;
  }

  #otherLine(event: Exclude<Happened, FrameLine>): string {
    const { kind } = event;
    const t = this.#time(event.at);
    if (kind === 'request') {
      this.#totals.requests += 1;
      return this.#written(`{"kind":"request","t":${t},"id":${event.id},"request":${event.body}}`);
    }
    if (kind === 'answer') {
      const { id, events, error, stopped } = event;
      const failure = error === undefined ? '' : `,"error":${JSON.stringify(error)}`;
      const how = `${failure}${stopped === true ? ',"stopped":true' : ''}`;
      return this.#written(`{"kind":"answer","t":${t},"id":${id},"events":${events}${how}}`);
    }
    if (kind === 'exchange') return this.#exchangeLine(t, event);
    if (kind === 'stderr') return this.#stderrLine(t, event.text);
    const { at: _at, conversation: _conversation, ...rest } = event;
    return this.#written(JSON.stringify({ t, ...rest }));
  }

  /** A request has all that went before in it. What counts is what it adds to the tape. */
  #exchangeLine(t: number, { began, id, messageId, request, response, cut }: ModelCall): string {
    this.#totals.requests += 1;
    const said = messageId === undefined ? '' : `,"messageId":${JSON.stringify(messageId)}`;
    const head = `{"kind":"exchange","t":${t},"began":${Math.max(0, Math.min(t, this.#time(began)))},"id":${id}${said}`;
    const bodies = (body: (json: string) => string): string =>
      `,"request":${body(request)}${response === undefined ? '' : `,"response":${body(response)}`}`;
    const length = cut === undefined ? '' : `,"cut":${cut}`;
    const { maxFrameBytes } = this.#bounds;
    const { blocks, json } = this.#blocks.line(
      this.#redactor.line(`${head}${bodies((each) => each)}${length}}`),
    );
    const text = `${blocksText(blocks)}${json}\n`;
    if (text.length <= maxFrameBytes) return text;
    this.#blocks.forget(blocks);
    const bytes = cut ?? Buffer.byteLength(`${request}${response ?? ''}`);
    const cutBody = (each: string): string => cutFrame(this.#redactor.line(each), maxFrameBytes / 4);
    return this.#written(`${head}${bodies(cutBody)},"cut":${bytes}}`);
  }

  /** Only whole lines: a secret may be divided between two parts. */
  #stderrLine(t: number, text: string, isLast = false): string {
    const all = this.#stderr + text;
    const end = isLast || all.length > LIMITS.tapeFlushChars ? all.length : all.lastIndexOf('\n') + 1;
    this.#stderr = all.slice(end);
    if (end === 0) return '';
    return this.#written(JSON.stringify({ kind: 'stderr', t, text: all.slice(0, end) }));
  }

  #written(line: string): string {
    const { blocks, json } = this.#blocks.line(this.#redactor.line(line));
    return `${blocksText(blocks)}${json}\n`;
  }

  #endLine(end: Pick<TapeEnd, 'agent' | 'program'>): string {
    const t = this.#time(this.#lastAt);
    const rest = this.#cut === undefined ? this.#stderrLine(t, '', true) : '';
    const line: TapeEnd = {
      kind: 'end',
      t,
      ...end,
      ...(this.#cut === undefined ? {} : { cut: this.#cut }),
      totals: this.#totals,
    };
    return `${rest}${this.#redactor.line(JSON.stringify(line))}\n`;
  }

  #count({ direction, type, line }: FrameLine): void {
    this.#totals[direction] += 1;
    if (direction === 'sent' || type !== 'result') return;
    this.#totals.results += 1;
    const { total_cost_usd: costUsd } = JSON.parse(line) as { total_cost_usd?: unknown };
    if (typeof costUsd === 'number') this.#totals.costUsd = costUsd;
  }

  #frameText({ direction, sequence, at }: FrameLine, json: string): string {
    const microseconds = this.#microseconds(at);
    const milliseconds = Math.floor(microseconds / 1000);
    if (milliseconds !== this.#millisecond) {
      this.#millisecond = milliseconds;
      this.#millisecondText = `,"t":${milliseconds}.`;
    }
    const rest = DECIMALS[direction][microseconds - milliseconds * 1000];
    return `{"kind":"frame","n":${sequence}${this.#millisecondText}${rest}${json}}\n`;
  }

  #time(at: number): number {
    return this.#microseconds(at) / 1000;
  }

  #microseconds(at: number): number {
    return Math.round((at - this.#began) * 1000);
  }
}

function sizeOf(event: Happened): number {
  if (event.kind === 'frame') return event.line.length;
  if (event.kind === 'request') return event.body.length;
  if (event.kind === 'answer') return event.events.length;
  if (event.kind === 'exchange') return event.request.length + (event.response?.length ?? 0);
  return 'text' in event ? event.text.length : 100;
}

function blocksText(blocks: readonly WrittenBlock[]): string {
  return blocks.map(({ line }) => line).join('');
}
