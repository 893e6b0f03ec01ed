import type { ControlCall } from './control-calls.js';
import type { ModelCall } from './model-calls.js';
import type { Run } from './run.js';
import type { Compaction } from './tasks.js';
import type { ToolCall } from './tool-calls.js';
import type { Turn } from './turns.js';
import { type Fields, fieldsOf, short, stringOf } from './values.js';
import type { Span, SpanKind, SpanStatus } from './views.js';

/** The tools with which an agent has another agent do something. */
const SUBAGENTS: ReadonlySet<string> = new Set(['Agent', 'Task']);
/** What a person is asked. */
const QUESTIONS: ReadonlySet<string> = new Set(['can_use_tool', 'elicitation', 'request_user_dialog']);

export const toolSpanId = (id: string): string => `tool:${id}`;
export const modelSpanId = ({ sequence }: ModelCall): string => `model:${sequence}`;

/** Everything that somebody waited for, in the order of the starts. */
export function spansOf(run: Run): readonly Span[] {
  return run.view(makeSpans);
}

function makeSpans(run: Run): readonly Span[] {
  const made = new SpanMaker(run);
  const spans = [
    ...run.turns.all.map((turn) => made.turn(turn)),
    ...run.models.all.map((call) => made.model(call)),
    ...run.tools.all.map((call) => made.tool(call)),
    ...run.controls.all.flatMap((control) => made.control(control)),
    ...run.tasks.compactions.map((compaction) => made.compaction(compaction)),
  ];
  return spans.sort((left, right) => left.start - right.start || rank(left) - rank(right));
}

/** Who holds others comes before them. */
function rank({ kind }: Span): number {
  return kind === 'turn' ? 0 : kind === 'subagent' ? 1 : 2;
}

interface Timed {
  readonly start: number;
  readonly end: number | undefined;
  readonly firstFrame: number | undefined;
  readonly lastFrame: number | undefined;
}

class SpanMaker {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  turn(turn: Turn): Span {
    const name = turn.prompt === '' ? 'background' : short(turn.prompt, 60);
    const { result } = turn;
    return this.#span('turn', turn.id, name, undefined, turn, result?.is_error === true, {
      input: turn.prompt,
      ...(result === undefined ? {} : { output: result.result ?? result.errors }),
    });
  }

  model(call: ModelCall): Span {
    const { model = 'model', usage, attempts, firstToken, start, stopReason, error } = call;
    return this.#span('model', modelSpanId(call), model, this.#owner(call), call, error !== undefined, {
      ...(attempts === 1 ? {} : { attempts }),
      ...(firstToken === undefined ? {} : { firstTokenMs: Math.max(0, firstToken - start) }),
      ...(usage === undefined ? {} : { inputTokens: usage.input, outputTokens: usage.output }),
      ...(usage === undefined
        ? {}
        : { cacheReadTokens: usage.cacheRead, cacheWriteTokens: usage.cacheWrite }),
      ...(stopReason === undefined ? {} : { stopReason }),
      ...(call.messageId === undefined ? {} : { messageId: call.messageId }),
      ...(call.isEstimated ? { isEstimated: true } : {}),
      ...(error === undefined ? {} : { error }),
    });
  }

  tool(call: ToolCall): Span {
    const task = this.#run.tasks.ofCall(call.id);
    const isSubagent = SUBAGENTS.has(call.name) || call.hasMessages;
    const subagent = stringOf(fieldsOf(call.input).subagent_type) ?? task?.subagent;
    const time = { start: call.t, end: call.end, firstFrame: call.frame, lastFrame: call.lastFrame };
    const isBackground = task?.isBackground === true;
    const whole = isBackground ? { ...time, end: task.end, lastFrame: task.lastFrame } : time;
    const hasFailed = call.isError || (isBackground && task.status === 'failed');
    return this.#span(
      isSubagent ? 'subagent' : 'tool',
      toolSpanId(call.id),
      isSubagent ? (subagent ?? call.name) : call.name,
      this.#owner(call),
      whole,
      hasFailed,
      {
        input: call.input,
        ...(call.end === undefined ? {} : { output: call.content }),
        ...this.#handlerFacts(call),
        ...(isBackground ? { isBackground } : {}),
        ...(isSubagent ? { tool: call.name } : {}),
      },
    );
  }

  /** None for requests that nobody waits for in a turn. */
  control(control: ControlCall): Span[] {
    const { subtype, direction, request, frame } = control;
    const isHook = subtype === 'hook_callback';
    if (direction !== '<' || (!isHook && !QUESTIONS.has(subtype))) return [];
    const input = fieldsOf(request.input);
    const subagent = this.#run.tasks.get(request.agent_id ?? input.agent_id)?.toolUseId;
    const { tools } = this.#run;
    const call = tools.get(request.tool_use_id) ?? tools.get(input.tool_use_id) ?? tools.get(subagent);
    const name = isHook ? (stringOf(input.hook_event_name) ?? 'hook') : personName(subtype, request);
    const parent = call === undefined ? control.turn : toolSpanId(call.id);
    const kind = isHook ? 'hook' : 'person';
    const time = { start: control.t, end: control.end, firstFrame: frame, lastFrame: control.lastFrame };
    return [
      this.#span(kind, `${kind}:${frame}`, name, parent, time, control.outcome === 'error', {
        input: isHook ? input : (request.input ?? request),
        ...(control.answer === undefined ? {} : { output: control.answer }),
        ...decisionOf(control),
      }),
    ];
  }

  compaction({ facts, hasFailed, turn, ...time }: Compaction): Span {
    const trigger = stringOf(facts.trigger) ?? 'compaction';
    return this.#span('compaction', `compaction:${time.firstFrame}`, trigger, turn, time, hasFailed, facts);
  }

  #handlerFacts({ handler, id }: ToolCall): Fields {
    const facts: Record<string, unknown> = {};
    if (handler !== undefined) {
      facts.handlerStart = handler.t;
      if (handler.end !== undefined) facts.handlerMs = handler.end - handler.t;
    }
    for (const span of this.#run.traces.ofCall(id)) {
      if (span.name.endsWith('.execution')) facts.executionMs = span.end - span.start;
      if (!span.name.endsWith('.blocked_on_user')) continue;
      facts.blockedOnUserMs = span.end - span.start;
      if (span.attributes.decision !== undefined) facts.decision = span.attributes.decision;
    }
    return facts;
  }

  #span(
    kind: SpanKind,
    id: string,
    name: string,
    parent: string | undefined,
    { start, end, firstFrame, lastFrame }: Timed,
    hasFailed: boolean,
    facts: Fields,
  ): Span {
    const isCut = end === undefined && this.#run.isOver;
    const status: SpanStatus = isCut ? 'cut' : end === undefined ? 'open' : hasFailed ? 'error' : 'ok';
    const last = isCut ? Math.max(start, this.#run.duration) : end;
    return {
      id,
      parent,
      kind,
      name,
      start,
      end: last === undefined ? undefined : Math.max(start, last),
      status,
      firstFrame,
      lastFrame,
      facts,
    };
  }

  #owner({ parent, turn }: { parent: string | undefined; turn: string | undefined }): string | undefined {
    return parent === undefined || this.#run.tools.get(parent) === undefined ? turn : toolSpanId(parent);
  }
}

function personName(subtype: string, request: Fields): string {
  if (subtype === 'can_use_tool') return stringOf(request.tool_name) ?? 'permission';
  return stringOf(request.mcp_server_name) ?? stringOf(request.dialog_kind) ?? subtype;
}

/** What was decided: `allow`, `deny`, `accept`, `cancelled` … */
function decisionOf({ outcome, answer, error }: ControlCall): Fields {
  if (outcome === 'cancelled') return { decision: 'cancelled' };
  if (error !== undefined) return { error };
  const { behavior, action, decision, hookSpecificOutput, message, reason } = fieldsOf(answer);
  const specific = fieldsOf(hookSpecificOutput);
  const decided = behavior ?? action ?? specific.permissionDecision ?? decision;
  const why = message ?? specific.permissionDecisionReason ?? reason;
  return {
    ...(decided === undefined ? {} : { decision: decided }),
    ...(why === undefined ? {} : { reason: why }),
  };
}
