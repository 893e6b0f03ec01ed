import type { ControlCall } from './control-calls.js';
import { type Fields, fieldsOf, recordsOf, stringOf } from './values.js';

/** One call of a tool: from the block in which the model asks for it to the result that the model gets. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The call of the subagent that has made it. */
  readonly parent: string | undefined;
  readonly t: number;
  readonly frame: number;
  /** The turn in which it was made. */
  readonly turn: string | undefined;
  end: number | undefined;
  lastFrame: number | undefined;
  isError: boolean;
  /** The content of its result. */
  content: unknown;
  /** What the agent says about the result: who has permitted it, and why it was not run. */
  meta: Fields;
  /** What the host gets beside the content. */
  detail: unknown;
  /** Its way into the handler of an in-process server. */
  handler: ControlCall | undefined;
  /** Those who were asked about it. */
  readonly asked: ControlCall[];
  readonly hooks: ControlCall[];
  /** From the message `permission_denied`. */
  denied: Fields | undefined;
  /** Whether the agent itself has withdrawn the call of the handler, and why. */
  withdrawn: string | undefined;
  /** Whether messages of a subagent belong to it. */
  hasMessages: boolean;
}

/** The calls of a run, by id. */
export class ToolCalls {
  readonly all: ToolCall[] = [];
  readonly #byId = new Map<string, ToolCall>();
  readonly #open = new Set<ToolCall>();
  /** A subagent's hooks are asked before its message with the call comes. */
  readonly #early = new Map<string, ControlCall[]>();

  /** Those without a result. */
  get open(): readonly ToolCall[] {
    return [...this.#open];
  }

  /** Whether a call of this subagent, or of the conversation itself, is under way. */
  isBusy(parent: string | undefined): boolean {
    for (const call of this.#open) if (call.parent === parent) return true;
    return false;
  }

  get(id: unknown): ToolCall | undefined {
    return typeof id === 'string' ? this.#byId.get(id) : undefined;
  }

  /** Undefined for a block that was already seen, or is no call. */
  began(block: Fields, at: Pick<ToolCall, 't' | 'frame' | 'parent' | 'turn'>): ToolCall | undefined {
    const id = stringOf(block.id);
    if (id === undefined || this.#byId.has(id)) return undefined;
    const { t, frame, parent, turn } = at;
    const call: ToolCall = {
      t,
      frame,
      parent,
      turn,
      id,
      name: stringOf(block.name) ?? '',
      input: block.input,
      end: undefined,
      lastFrame: undefined,
      isError: false,
      content: undefined,
      meta: {},
      detail: undefined,
      handler: undefined,
      asked: [],
      hooks: [],
      denied: undefined,
      withdrawn: undefined,
      hasMessages: false,
    };
    this.all.push(call);
    this.#byId.set(id, call);
    this.#open.add(call);
    for (const control of this.#early.get(id) ?? []) attach(call, control);
    this.#early.delete(id);
    return call;
  }

  /** The results in a message to the model. */
  ended(message: Fields, blocks: readonly Fields[], t: number, frame: number): void {
    const metas = recordsOf(message.tool_result_meta);
    for (const block of blocks) {
      if (block.type !== 'tool_result') continue;
      const call = this.get(block.tool_use_id);
      if (call === undefined || call.end !== undefined) continue;
      this.#open.delete(call);
      call.end = t;
      call.lastFrame = frame;
      call.isError = block.is_error === true;
      call.content = block.content;
      call.meta = metas.find(({ id }) => id === call.id) ?? {};
      call.detail = message.tool_use_result;
    }
  }

  /** A control request that is about a call. */
  asks(control: ControlCall): void {
    const { subtype, request } = control;
    const id = stringOf(subtype === 'mcp_message' ? idOfHandler(request) : request.tool_use_id);
    if (id === undefined) return;
    const call = this.#byId.get(id);
    if (call !== undefined) attach(call, control);
    else this.#early.set(id, [...(this.#early.get(id) ?? []), control]);
  }
}

function attach(call: ToolCall, control: ControlCall): void {
  const { subtype } = control;
  if (subtype === 'mcp_message') call.handler = control;
  else if (subtype === 'hook_callback') call.hooks.push(control);
  else if (subtype === 'can_use_tool') call.asked.push(control);
}

/** The call that a message to an in-process server belongs to. */
function idOfHandler(request: Fields): unknown {
  const message = fieldsOf(request.message);
  if (message.method !== 'tools/call') return undefined;
  return fieldsOf(fieldsOf(message.params)._meta)['claudecode/toolUseId'];
}
