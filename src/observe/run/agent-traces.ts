import type { AgentSpan } from '../tape-format.js';

/** The spans that the agent itself has reported. Children come before their parents: those end later. */
export class AgentTraces {
  readonly all: AgentSpan[] = [];
  readonly #children = new Map<string, AgentSpan[]>();
  readonly #calls = new Map<unknown, AgentSpan>();

  add(span: AgentSpan): void {
    this.all.push(span);
    if (span.name.endsWith('.tool')) this.#calls.set(span.attributes.tool_use_id, span);
    const parent = span.parentSpanId;
    if (typeof parent !== 'string') return;
    const siblings = this.#children.get(parent);
    if (siblings === undefined) this.#children.set(parent, [span]);
    else siblings.push(span);
  }

  /** What it has done for a call: waited for a person, executed it. */
  ofCall(toolUseId: string): readonly AgentSpan[] {
    return this.#children.get(this.#calls.get(toolUseId)?.spanId ?? '') ?? [];
  }
}
