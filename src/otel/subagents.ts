import type { Context } from '@opentelemetry/api';
import { ATTRIBUTE, OPERATION } from './names.js';
import { SpanKind, type SpanOperation } from './operation.js';
import type { TraceSetting } from './setting.js';

/** Agents that agents call: an `invoke_agent` within the call of the tool that starts them. */
export class SubagentSpans {
  readonly #setting: TraceSetting;
  /** By the call that started them. Those that have ended stay: a late message of theirs must not begin another. */
  readonly #agents = new Map<string, SpanOperation>();

  constructor(setting: TraceSetting) {
    this.#setting = setting;
  }

  /** What its own work belongs to; begins it if it is new. */
  contextOf(toolUseId: string, name: string | undefined, parent: Context): Context {
    const known = this.#agents.get(toolUseId);
    if (known !== undefined) return known.context;
    const begun = this.#setting.start({
      operation: OPERATION.invokeAgent,
      subject: name,
      kind: SpanKind.INTERNAL,
      parent,
      attributes: name === undefined ? {} : { [ATTRIBUTE.agentName]: name },
    });
    this.#agents.set(toolUseId, begun);
    return begun.context;
  }

  has(toolUseId: string): boolean {
    return this.#agents.has(toolUseId);
  }

  answered(toolUseId: string, model: string): void {
    this.#agents.get(toolUseId)?.set({ [ATTRIBUTE.responseModel]: model });
  }

  ended(toolUseId: string, errorType: string | undefined): void {
    this.#agents.get(toolUseId)?.end(errorType);
  }

  endAll(errorType: string): void {
    for (const agent of this.#agents.values()) agent.end(errorType);
    this.#agents.clear();
  }

  /** A turn has ended: what is over is not needed any more. */
  forgetEnded(): void {
    for (const [id, agent] of this.#agents) if (agent.isEnded) this.#agents.delete(id);
  }
}
