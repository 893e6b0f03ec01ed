import { type Context, context, isSpanContextValid, trace } from '@opentelemetry/api';
import type { ToolInvocation } from '../mcp/call-middleware.js';
import type { CallToolResult } from '../mcp/types.js';
import type { ConversationTrace, TracedCaller, TracedRequest } from '../options/tracer.js';
import { isRecord } from '../protocol/base/kinds.js';
import type { TraceHeaders } from '../protocol/base/trace-context.js';
import type { Frame, MessageFrame } from '../protocol/wire/frames.js';
import { tracedChat } from './chat.js';
import { headersOf } from './headers.js';
import { ATTRIBUTE, ERROR, OPERATION } from './names.js';
import type { SpanOperation } from './operation.js';
import type { TraceSetting } from './setting.js';
import { SubagentSpans } from './subagents.js';
import { ToolSpans } from './tool-spans.js';
import { type TurnFacts, Turns } from './turns.js';

/** By which names models know the tool that starts a subagent. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Agent', 'Task']);

/** The spans of one conversation, made of its frames, of its calls and of its requests to a model in this process. */
export class ConversationSpans implements ConversationTrace {
  readonly headers: TraceHeaders | undefined;
  readonly #setting: TraceSetting;
  readonly #turns: Turns;
  readonly #tools: ToolSpans;
  readonly #subagents: SubagentSpans;
  /** Where the conversation was opened. */
  readonly #opened: Context;
  /** An agent that was started before it had a prompt. */
  readonly #creation: SpanOperation | undefined;
  readonly #contextOfMessage: (message: object) => Context | undefined;
  /** Of messages that were sent during a turn, and may get one of their own. */
  #waiting: Context[] = [];
  #awaitsPrompt: boolean;
  /** The requests for permission that are open, with the calls that they are about. */
  readonly #asked = new Map<string, string>();
  #isEnded = false;

  constructor(
    setting: TraceSetting,
    facts: TurnFacts,
    isPrompted: boolean,
    contextOfMessage: (message: object) => Context | undefined,
  ) {
    this.#setting = setting;
    this.#turns = new Turns(setting, facts);
    this.#tools = new ToolSpans(setting);
    this.#subagents = new SubagentSpans(setting);
    this.#opened = context.active();
    this.#contextOfMessage = contextOfMessage;
    this.#awaitsPrompt = isPrompted;
    const { agentName, kind } = facts;
    this.#creation = isPrompted
      ? undefined
      : setting.start({
          operation: OPERATION.createAgent,
          subject: agentName,
          kind,
          parent: this.#opened,
          attributes: agentName === undefined ? {} : { [ATTRIBUTE.agentName]: agentName },
        });
    const first = this.#creation ?? this.#turns.begin(this.#opened, undefined);
    this.headers = headersOf(first.context);
  }

  ready(): void {
    this.#creation?.end();
  }

  frame(frame: Frame, direction: 'sent' | 'received'): void {
    if (this.#isEnded) return;
    if (direction === 'sent') this.#sent(frame);
    else this.#received(frame);
  }

  call(call: ToolInvocation, by: TracedCaller, run: () => Promise<CallToolResult>): void {
    if (!this.#isEnded) this.#tools.run(call, by, this.#owner(), run);
  }

  chat<Event>(request: TracedRequest, answer: () => AsyncIterable<Event>): AsyncIterable<Event> {
    if (this.#isEnded) return answer();
    this.#turns.hasChats = true;
    return tracedChat(this.#setting, request, this.#owner(), answer);
  }

  end(reason: Error | string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const errorType = typeof reason === 'string' ? ERROR.cancelled : errorOf(reason);
    this.#subagents.endAll(errorType);
    this.#tools.endAll(errorType);
    this.#creation?.end(errorType);
    this.#turns.current?.set(this.#setting.common);
    this.#turns.end(errorType);
  }

  #sent(frame: Frame): void {
    if (frame.type === 'user' && isRecord(frame.message)) this.#prompted(frame.message);
    if (frame.type !== 'control_response' || !isRecord(frame.response)) return;
    const { request_id: id } = frame.response;
    const call = this.#asked.get(String(id));
    if (call === undefined) return;
    this.#asked.delete(String(id));
    this.#tools.decided(call);
  }

  #received(frame: Frame): void {
    switch (frame.type) {
      case 'control_request':
        this.#permissionAsked(frame as MessageFrame);
        break;
      case 'control_cancel_request':
        this.#asked.delete(String(frame.request_id));
        break;
      case 'assistant':
        this.#answered(frame as MessageFrame);
        break;
      case 'stream_event':
        if (frame.parent_tool_use_id == null) this.#turn();
        break;
      case 'user':
        this.#results(frame as MessageFrame);
        break;
      case 'system':
        this.#told(frame as MessageFrame);
        break;
      case 'result':
        this.#learnSession(frame as MessageFrame);
        this.#turns.finished(frame as MessageFrame);
        this.#tools.forgetEnded();
        this.#subagents.forgetEnded();
        break;
    }
  }

  #prompted(message: Record<string, unknown>): void {
    const given = this.#contextOfMessage(message) ?? context.active();
    if (this.#awaitsPrompt) this.#awaitsPrompt = false;
    else if (this.#turns.current !== undefined) {
      this.#waiting.push(given);
      return;
    } else this.#begin(given);
    this.#turns.prompted(message);
  }

  #permissionAsked({ request_id: id, request }: MessageFrame): void {
    if (!isRecord(request) || request.subtype !== 'can_use_tool') return;
    if (typeof id === 'string' && typeof request.tool_use_id === 'string')
      this.#asked.set(id, request.tool_use_id);
  }

  #answered(frame: MessageFrame): void {
    const { message, parent_tool_use_id: parent } = frame;
    if (!isRecord(message)) return;
    this.#learnSession(frame);
    const isSubagent = typeof parent === 'string';
    const owner = isSubagent ? this.#subagent(parent, frame.subagent_type) : this.#turn().context;
    // The CLI answers in the place of the model where there was none.
    if (typeof message.model === 'string' && message.model !== '<synthetic>') {
      if (isSubagent) this.#subagents.answered(parent, message.model);
      else this.#turns.answered(message.model);
    }
    if (!Array.isArray(message.content)) return;
    for (const block of message.content) {
      if (isRecord(block) && block.type === 'tool_use' && typeof block.id === 'string')
        this.#tools.requested(block.id, String(block.name), block.input, owner);
    }
  }

  #results({ message, isReplay, tool_result_meta: metas, tool_use_result: detail }: MessageFrame): void {
    if (isReplay === true || !isRecord(message) || !Array.isArray(message.content)) return;
    for (const block of message.content) {
      if (!isRecord(block) || block.type !== 'tool_result' || typeof block.tool_use_id !== 'string') continue;
      const { tool_use_id: id, is_error: isError, content } = block;
      const meta = Array.isArray(metas) ? metas.find((each) => isRecord(each) && each.id === id) : undefined;
      const isInBackground = isRecord(detail) && detail.isAsync === true;
      if (!isInBackground) this.#subagents.ended(id, isError === true ? ERROR.other : undefined);
      this.#tools.result(id, isError === true, meta, content);
    }
  }

  #told(frame: MessageFrame): void {
    const { subtype, tool_use_id: id } = frame;
    if (subtype === 'init') {
      this.#learnSession(frame);
      this.#turn();
    }
    if (subtype === 'session_state_changed' && frame.state === 'idle') this.#waiting = [];
    if (typeof id !== 'string') return;
    if (subtype === 'task_started' && frame.task_type === 'local_agent')
      this.#subagent(id, frame.subagent_type);
    if (subtype === 'task_notification')
      this.#subagents.ended(
        id,
        frame.status === 'completed' ? undefined : String(frame.status ?? ERROR.other),
      );
  }

  #learnSession({ session_id: id }: MessageFrame): void {
    if (typeof id !== 'string' || id === '' || this.#setting.common[ATTRIBUTE.conversationId] === id) return;
    this.#setting.learn({ [ATTRIBUTE.conversationId]: id });
    this.#turns.current?.set({ [ATTRIBUTE.conversationId]: id });
  }

  /** The turn that is going on. One that nobody asked for begins by itself: work in the background wakes the agent. */
  #turn(): SpanOperation {
    return this.#turns.current ?? this.#begin(this.#waiting.shift() ?? this.#opened);
  }

  /** Without a span of its own, a turn belongs to the start of the agent, whose trace the agent has joined. */
  #begin(given: Context): SpanOperation {
    const span = trace.getSpanContext(given);
    const parent = span !== undefined && isSpanContextValid(span) ? given : this.#creation?.context;
    return this.#turns.begin(parent ?? given, this.#creation);
  }

  #subagent(toolUseId: string, name: unknown): Context {
    const named = typeof name === 'string' ? name : undefined;
    const parent = this.#subagents.has(toolUseId)
      ? this.#opened
      : (this.#tools.contextOf(toolUseId) ?? this.#turn().context);
    return this.#subagents.contextOf(toolUseId, named, parent);
  }

  /** Whose work the code is that runs now: that of a subagent, of a tool, or of the turn. */
  #owner(): Context {
    const call = this.#tools.current();
    if (call === undefined) return this.#turn().context;
    if (call.id === undefined || !AGENT_TOOLS.has(call.name)) return call.operation?.context ?? call.owner;
    const { subagent_type: name } = isRecord(call.input) ? call.input : {};
    return this.#subagent(call.id, name);
  }
}

function errorOf(error: Error): string {
  if (error.name === 'AbortError') return ERROR.cancelled;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
