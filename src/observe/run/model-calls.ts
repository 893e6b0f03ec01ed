import type { ModelFailure } from '../../protocol/transport/run-events.js';
import { addUsage, usageOf } from './token-usage.js';
import { type Fields, fieldsOf, numberOf, recordsOf, stringOf, textOf } from './values.js';
import type { TokenUsage } from './views.js';

/** One request to a model. */
export interface ModelCall {
  /** In the order in which they were noticed. */
  readonly sequence: number;
  start: number;
  end: number | undefined;
  /** The tape does not tell when it was asked: it was as soon as it could be. */
  isEstimated: boolean;
  model: string | undefined;
  messageId: string | undefined;
  /** The call of the subagent that asks. */
  parent: string | undefined;
  turn: string | undefined;
  usage: TokenUsage | undefined;
  error: string | undefined;
  attempts: number;
  firstToken: number | undefined;
  stopReason: string | undefined;
  /** The body, where the tape has it. */
  request: Fields | undefined;
  /** The content of the answer, where the tape has it. */
  content: readonly Fields[];
  firstFrame: number | undefined;
  lastFrame: number | undefined;
}

/** Where a message belongs: the turn, and the subagent in it. */
interface Place {
  readonly parent: string | undefined;
  readonly turn: string | undefined;
}

/**
 * The requests to models. The embedded runtime's are on the tape as they happened. The Claude Code CLI's are known from
 * their answers, and better once their bodies have come: those follow the answer.
 */
export class ModelCalls {
  readonly #all: ModelCall[] = [];
  #count = 0;
  readonly #asked = new Map<unknown, ModelCall>();
  readonly #byMessage = new Map<string, ModelCall>();
  /** By subagent: a request that must be under way, since nothing else is. */
  readonly #expected = new Map<string | undefined, ModelCall>();
  /** By subagent: since when a model could be asked. */
  readonly #free = new Map<string | undefined, number>();
  readonly #streamed = new Map<string | undefined, ModelCall>();
  /** Whether requests are on the tape themselves. */
  #isTold: boolean;

  constructor(isTold: boolean) {
    this.#isTold = isTold;
  }

  get all(): readonly ModelCall[] {
    return this.#all;
  }

  get(messageId: unknown): ModelCall | undefined {
    return typeof messageId === 'string' ? this.#byMessage.get(messageId) : undefined;
  }

  /** A line `request` of the embedded runtime. */
  asked(id: unknown, t: number, body: Fields, place: Place): void {
    this.#isTold = true;
    const call = this.#new(t, place);
    call.request = body;
    call.model = stringOf(call.request.model);
    this.#asked.set(id, call);
  }

  /** A line `answer` of the embedded runtime. */
  answered(
    id: unknown,
    t: number,
    events: unknown,
    failure: ModelFailure | undefined,
    stopped: boolean,
  ): void {
    const call = this.#asked.get(id);
    if (call === undefined) return;
    this.#asked.delete(id);
    call.end = t;
    for (const event of recordsOf(events)) this.#event(call, event);
    if (failure !== undefined) call.error = stringOf(fieldsOf(failure).message) ?? 'it failed';
    else if (stopped) call.stopReason = 'stopped by the program';
  }

  /** A line `exchange` of the Claude Code CLI. */
  exchanged(line: Fields, place: Place): void {
    const response = fieldsOf(line.response);
    const id = stringOf(line.messageId) ?? stringOf(response.id);
    const began = numberOf(line.began) ?? numberOf(line.t) ?? 0;
    const call = this.get(id) ?? this.#unnamed(place) ?? this.#new(began, place);
    if (call.end === undefined || began <= call.end) call.start = began;
    call.isEstimated = false;
    call.request = fieldsOf(line.request);
    call.model ??= stringOf(call.request.model);
    // The bodies are read some time after the answer; its messages came at once.
    call.end ??= numberOf(line.t);
    if (id !== undefined) this.#named(call, id);
    if (line.response === undefined) return;
    this.#message(call, response);
    call.content = recordsOf(response.content);
  }

  /** Nothing but an answer of the model can come next here. */
  free(t: number, place: Place, isAlone: boolean): void {
    this.#free.set(place.parent, t);
    if (this.#isTold || !isAlone) return;
    const expected = this.#expected.get(place.parent);
    if (expected === undefined) this.#expected.set(place.parent, this.#new(t, place, true));
    else if (expected.attempts === 1) expected.start = t;
  }

  /** The turn is over: a request that never was is forgotten. */
  over(): void {
    this.#forget(undefined);
    this.#free.delete(undefined);
  }

  /** The subagent is over. Of its last answer there is no message: its call has it as a result. */
  handedBack(parent: string, t: number): void {
    const last = this.#expected.get(parent);
    this.#expected.delete(parent);
    this.#free.delete(parent);
    if (last !== undefined) last.end ??= t;
  }

  #forget(parent: string | undefined): void {
    const expected = this.#expected.get(parent);
    this.#expected.delete(parent);
    if (expected !== undefined) this.#remove(expected);
  }

  /** The last answer of a subagent, which has no message. */
  #unnamed({ parent }: Place): ModelCall | undefined {
    if (parent === undefined) return undefined;
    const last = this.#all.findLast((call) => call.parent === parent);
    return last?.messageId === undefined && last?.end !== undefined ? last : undefined;
  }

  retried(attempt: number | undefined): void {
    const open = [...this.#asked.values(), ...this.#expected.values()];
    for (const call of open.slice(-1)) call.attempts = (attempt ?? call.attempts) + 1;
  }

  /** A message `assistant`. */
  said(frame: Fields, t: number, n: number, place: Place): void {
    const message = fieldsOf(frame.message);
    const id = stringOf(message.id);
    if (id === undefined) return;
    const call = this.#answering(id, t, place);
    if (call === undefined) return;
    this.#named(call, id);
    call.parent = place.parent;
    call.turn = place.turn;
    call.firstFrame ??= n;
    call.lastFrame = n;
    if (call.isEstimated) call.end = t;
    this.#message(call, message);
    if (frame.error === undefined && message.model !== '<synthetic>') return;
    call.error = textOf(message.content) || (stringOf(frame.error) ?? 'it failed');
  }

  /** A `stream_event`, which says when the first word came. */
  streamed(event: Fields, t: number, n: number, place: Place): void {
    if (event.type === 'message_start') {
      const id = stringOf(fieldsOf(event.message).id);
      const call = this.#answering(id, t, place);
      if (call === undefined) return;
      if (id !== undefined) this.#named(call, id);
      call.parent = place.parent;
      call.firstFrame ??= n;
      this.#streamed.set(place.parent, call);
    }
    const call = this.#streamed.get(place.parent);
    if (call === undefined) return;
    if (event.type === 'content_block_delta' || event.type === 'content_block_start') call.firstToken ??= t;
    if (call.isEstimated && event.type === 'message_stop') call.end = t;
    this.#event(call, event);
  }

  /** A span `llm_request` of the agent itself. */
  traced(attributes: Fields, start: number, end: number, error: string | undefined): void {
    const call = this.get(attributes['gen_ai.response.id']);
    if (call === undefined) return;
    call.start = start;
    call.end = end;
    call.isEstimated = false;
    call.attempts = Math.max(call.attempts, numberOf(attributes.attempt) ?? 1);
    const first = numberOf(attributes.ttft_ms) ?? numberOf(attributes.time_to_first_token_ms);
    if (first !== undefined) call.firstToken = start + first;
    if (error !== undefined) call.error ??= error;
  }

  #new(start: number, { parent, turn }: Place, isEstimated = false): ModelCall {
    this.#count += 1;
    const call: ModelCall = {
      sequence: this.#count,
      start,
      end: undefined,
      isEstimated,
      model: undefined,
      messageId: undefined,
      parent,
      turn,
      usage: undefined,
      error: undefined,
      attempts: 1,
      firstToken: undefined,
      stopReason: undefined,
      request: undefined,
      content: [],
      firstFrame: undefined,
      lastFrame: undefined,
    };
    this.#all.push(call);
    return call;
  }

  #answering(id: string | undefined, t: number, place: Place): ModelCall | undefined {
    const known = this.get(id);
    if (known === undefined) return this.#adopted(t, place);
    // Its body came before it.
    if (known.firstFrame === undefined) this.#forget(place.parent);
    return known;
  }

  /** The request that a message without one answers; undefined if it cannot be told among several. */
  #adopted(t: number, place: Place): ModelCall | undefined {
    const expected = this.#expected.get(place.parent);
    this.#expected.delete(place.parent);
    if (expected !== undefined) return expected;
    const nameless = [...this.#asked.values()].filter(({ messageId }) => messageId === undefined);
    if (nameless.length > 0) return nameless.length === 1 ? nameless[0] : undefined;
    return this.#new(this.#free.get(place.parent) ?? t, place, true);
  }

  #named(call: ModelCall, id: string): void {
    call.messageId = id;
    this.#byMessage.set(id, call);
  }

  #message(call: ModelCall, message: Fields): void {
    call.model = stringOf(message.model) ?? call.model;
    call.stopReason = stringOf(message.stop_reason) ?? call.stopReason;
    call.usage = addUsage(call.usage, usageOf(message.usage), Math.max);
  }

  #event(call: ModelCall, event: Fields): void {
    const message = fieldsOf(event.message);
    const id = stringOf(message.id);
    if (event.type === 'message_start') {
      // The messages came before the end of the answer, and may have been taken for one that nobody had asked for.
      const twin = this.get(id);
      if (twin !== undefined && twin !== call) this.#merge(call, twin);
      if (id !== undefined) this.#named(call, id);
      this.#message(call, message);
    } else if (event.type === 'message_delta') {
      call.stopReason = stringOf(fieldsOf(event.delta).stop_reason) ?? call.stopReason;
      call.usage = addUsage(call.usage, usageOf(event.usage), Math.max);
    }
  }

  #merge(call: ModelCall, twin: ModelCall): void {
    call.parent = twin.parent;
    call.firstFrame = twin.firstFrame;
    call.lastFrame = twin.lastFrame;
    call.firstToken ??= twin.firstToken;
    this.#remove(twin);
  }

  /** Nearly always one of the last. */
  #remove(call: ModelCall): void {
    const place = this.#all.lastIndexOf(call);
    if (place !== -1) this.#all.splice(place, 1);
  }
}
