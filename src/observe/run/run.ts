import type { AgentSpan, TapeEnd, TapeFrame, TapeHead } from '../tape-format.js';
import type { PlayedLine } from '../tape-reader.js';
import { AgentTraces } from './agent-traces.js';
import { type ControlCall, ControlCalls } from './control-calls.js';
import { ModelCalls } from './model-calls.js';
import { Servers } from './servers.js';
import { Tasks } from './tasks.js';
import { ToolCalls } from './tool-calls.js';
import { Turns } from './turns.js';
import { type Fields, fieldsOf, numberOf, recordsOf, stringOf, stringsOf, textOf } from './values.js';

/** How much of what the agent wrote to stderr is kept. */
const STDERR_CHARS = 4_000;

/** The message with which every turn of an agent begins. */
export interface Init {
  readonly frame: number;
  readonly fields: Fields;
  readonly tools: ReadonlySet<string>;
}

/**
 * A run, as the lines of its tape tell it, one after the other. Taking a line is cheap; what is made of all of them is
 * made when it is asked for, and kept until another line comes.
 */
export class Run {
  readonly head: TapeHead;
  readonly lines: PlayedLine[] = [];
  readonly frames: TapeFrame[] = [];
  readonly turns = new Turns();
  readonly controls = new ControlCalls();
  readonly tools = new ToolCalls();
  readonly models: ModelCalls;
  readonly tasks = new Tasks();
  readonly servers: Servers;
  readonly inits: Init[] = [];
  readonly results: { readonly frame: number; readonly t: number; readonly fields: Fields }[] = [];
  readonly traces = new AgentTraces();
  #revision = 0;
  #duration = 0;
  #end: TapeEnd | undefined;
  #isClosed = false;
  #stderr = '';
  readonly #views = new Map<unknown, { revision: number; view: unknown }>();

  constructor(head: TapeHead) {
    this.head = readable(head);
    this.models = new ModelCalls(this.head.backEnd === 'embedded');
    this.servers = new Servers(this.options);
  }

  /** Increases with every line. */
  get revision(): number {
    return this.#revision;
  }

  /** The time of the last line. */
  get duration(): number {
    return this.#duration;
  }

  get end(): TapeEnd | undefined {
    return this.#end;
  }

  /** No more will come. */
  get isOver(): boolean {
    return this.#isClosed || this.#end !== undefined;
  }

  /** The last of what the agent wrote to stderr. */
  get stderr(): string {
    return this.#stderr;
  }

  get options(): Fields {
    return this.head.options;
  }

  add(given: PlayedLine): void {
    const line = numberOf(given.t) === undefined ? { ...given, t: this.#duration } : given;
    this.#revision += 1;
    this.lines.push(line);
    this.#duration = Math.max(this.#duration, line.t);
    if (line.kind === 'frame') this.#frame(line);
    else this.#other(line);
  }

  /** The tape has no further lines, also if it has no end: its program was killed. */
  close(): void {
    this.#isClosed = true;
    this.turns.idle();
    this.#revision += 1;
  }

  /** What `make` makes of this run: once, until there is more of it. */
  view<View>(make: (run: Run) => View): View {
    const known = this.#views.get(make);
    if (known?.revision === this.#revision) return known.view as View;
    const view = make(this);
    this.#views.set(make, { revision: this.#revision, view });
    return view;
  }

  #other(line: Exclude<PlayedLine, TapeFrame>): void {
    const { kind } = line;
    if (kind === 'request') {
      const body = fieldsOf(line.request);
      this.models.asked(line.id, line.t, body, this.#placeOf(body));
    } else if (kind === 'answer') {
      const { id, t, events, error, stopped } = line;
      this.models.answered(id, t, events, error, stopped === true);
    } else if (kind === 'exchange')
      this.models.exchanged(line as unknown as Fields, this.#placeOf(fieldsOf(line.request)));
    else if (kind === 'span') this.#span(line.span);
    else if (kind === 'stderr')
      this.#stderr = (this.#stderr + (stringOf(line.text) ?? '')).slice(-STDERR_CHARS);
    else if (kind === 'end') {
      this.#end = line;
      this.turns.idle();
    }
  }

  #span(given: unknown): void {
    const span = fieldsOf(given) as unknown as AgentSpan;
    const { start, end, name } = span;
    if (numberOf(start) === undefined || numberOf(end) === undefined || typeof name !== 'string') return;
    const attributes = fieldsOf(span.attributes);
    this.traces.add({ ...span, attributes: attributes as AgentSpan['attributes'] });
    if (name.endsWith('.llm_request')) this.models.traced(attributes, start, end, stringOf(span.error));
  }

  #frame(line: TapeFrame): void {
    const frame = fieldsOf(line.frame);
    this.frames.push(line);
    const control = this.controls.add(line, frame, this.turns.open?.id);
    if (control !== undefined) this.#control(control);
    else if (line.direction === '>') this.#sent(line, frame);
    else if (frame.type === 'assistant') this.#assistant(line, frame);
    else if (frame.type === 'user') this.#user(line, frame);
    else if (frame.type === 'stream_event') this.#stream(line, frame);
    else if (frame.type === 'system') this.#system(line, frame);
    else if (frame.type === 'result') this.#result(line, frame);
  }

  #control(control: ControlCall): void {
    if (control.direction === '>') this.servers.configured(control);
    if (control.outcome === 'open' && control.direction === '<') {
      this.tools.asks(control);
      this.#withdrawn(control);
    }
    this.servers.answered(control);
  }

  /** The agent no longer waits for a handler. */
  #withdrawn({ request }: ControlCall): void {
    const message = fieldsOf(request.message);
    if (message.method !== 'notifications/cancelled') return;
    const { requestId, reason } = fieldsOf(message.params);
    const call = this.tools.all.findLast(
      ({ handler }) =>
        handler?.request.server_name === request.server_name &&
        fieldsOf(handler?.request.message).id === requestId,
    );
    if (call !== undefined) call.withdrawn = stringOf(reason) ?? 'without a reason';
  }

  #sent({ n, t }: TapeFrame, frame: Fields): void {
    if (frame.type !== 'user' || frame.shouldQuery === false) return;
    this.turns.prompted({ t, frame: n, text: textOf(fieldsOf(frame.message).content) });
    this.models.free(t, { parent: undefined, turn: this.turns.open?.id }, !this.turns.open?.isBusy);
  }

  #assistant({ n, t }: TapeFrame, frame: Fields): void {
    const place = this.#place(frame, t, n);
    this.models.said(frame, t, n, place);
    for (const block of recordsOf(fieldsOf(frame.message).content)) {
      if (block.type === 'tool_use') this.tools.began(block, { t, frame: n, ...place });
    }
    this.#belongs(place.parent);
  }

  /** Who asks a model: the agent whose calls the request has results of, or the one that was given this prompt. */
  #placeOf(body: Fields): { parent: string | undefined; turn: string | undefined } {
    const messages = recordsOf(body.messages);
    const [first] = messages;
    const turn = this.turns.open?.id;
    for (const { content } of messages.toReversed()) {
      for (const { type, tool_use_id: id } of recordsOf(content)) {
        const call = type === 'tool_result' ? this.tools.get(id) : undefined;
        if (call !== undefined) return { parent: call.parent, turn: call.turn ?? turn };
      }
    }
    const said = textOf(first?.content);
    const given = this.tools.open.find(({ input }) => {
      const prompt = stringOf(fieldsOf(input).prompt);
      return prompt !== undefined && prompt !== '' && said.includes(prompt);
    });
    return { parent: given?.id, turn: given?.turn ?? turn };
  }

  /** A subagent may work on in the background when its turn is over. */
  #place(frame: Fields, t: number, n: number): { parent: string | undefined; turn: string | undefined } {
    const parent = parentOf(frame);
    if (parent === undefined) return { parent, turn: this.turns.busy(t, n).id };
    return { parent, turn: this.tools.get(parent)?.turn ?? this.turns.open?.id };
  }

  #user({ n, t }: TapeFrame, frame: Fields): void {
    const blocks = recordsOf(fieldsOf(frame.message).content);
    const parent = parentOf(frame);
    this.tools.ended(frame, blocks, t, n);
    this.#belongs(parent);
    for (const { type, tool_use_id: id } of blocks) {
      if (type !== 'tool_result' || typeof id !== 'string') continue;
      if (this.tasks.ofCall(id)?.isBackground !== true) this.models.handedBack(id, t);
    }
    const turn = this.tools.get(parent)?.turn ?? this.turns.open?.id;
    if (turn !== undefined) this.models.free(t, { parent, turn }, !this.tools.isBusy(parent));
  }

  #belongs(parent: string | undefined): void {
    const call = this.tools.get(parent);
    if (call !== undefined) call.hasMessages = true;
  }

  #stream({ n, t }: TapeFrame, frame: Fields): void {
    const place = this.#place(frame, t, n);
    this.models.streamed(fieldsOf(frame.event), t, n, place);
  }

  #system({ n, t }: TapeFrame, frame: Fields): void {
    const { subtype } = frame;
    if (subtype === 'init') {
      this.inits.push({ frame: n, fields: frame, tools: new Set(stringsOf(frame.tools)) });
      this.servers.reported(frame.mcp_servers, n);
      this.models.free(t, { parent: undefined, turn: this.turns.busy(t, n).id }, true);
    } else if (subtype === 'session_state_changed' && frame.state === 'idle') this.turns.idle();
    else if (subtype === 'api_retry') this.models.retried(numberOf(frame.attempt));
    else if (subtype === 'permission_denied') {
      const call = this.tools.get(frame.tool_use_id);
      if (call !== undefined) call.denied = frame;
    } else {
      const ended = this.tasks.add(frame, n, t, this.turns.open?.id);
      if (ended?.toolUseId !== undefined) this.models.handedBack(ended.toolUseId, t);
      const begun = subtype === 'task_started' ? this.tools.get(frame.tool_use_id) : undefined;
      if (begun !== undefined) this.models.free(t, { parent: begun.id, turn: begun.turn }, false);
    }
  }

  #result({ n, t }: TapeFrame, frame: Fields): void {
    this.results.push({ frame: n, t, fields: frame });
    this.models.over();
    this.turns.ended(frame, t, n);
  }
}

/** A head with texts where there should be texts. */
function readable(head: TapeHead): TapeHead {
  const texts = ['tenon', 'node', 'platform', 'startedAt', 'conversation', 'agent', 'backEnd'] as const;
  const read = Object.fromEntries(texts.map((name) => [name, stringOf(fieldsOf(head)[name]) ?? 'unknown']));
  return { ...head, ...read, options: fieldsOf(head.options) };
}

function parentOf(frame: Fields): string | undefined {
  return stringOf(frame.parent_tool_use_id);
}
