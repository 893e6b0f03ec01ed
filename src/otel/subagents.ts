import { type Context, SpanKind } from '@opentelemetry/api';
import { ATTRIBUTE, OPERATION } from './names.js';
import type { SpanOperation } from './operation.js';
import type { TraceSetting } from './setting.js';

interface Subagent {
  readonly name: string | undefined;
  readonly operation: SpanOperation;
}

/** Agents that agents call: an `invoke_agent` within the call of the tool that starts them. */
export class SubagentSpans {
  readonly #setting: TraceSetting;
  /** By the call that started them. Those that have ended stay: a late message of theirs must not begin another. */
  readonly #agents = new Map<string, Subagent>();

  constructor(setting: TraceSetting) {
    this.#setting = setting;
  }

  /** What its own work belongs to; begins it if it is new. */
  contextOf(toolUseId: string, name: string | undefined, parent: Context): Context {
    const known = this.#agents.get(toolUseId);
    if (known !== undefined) return known.operation.context;
    const operation = this.#setting.start({
      operation: OPERATION.invokeAgent,
      subject: name,
      kind: SpanKind.INTERNAL,
      parent,
      attributes: name === undefined ? {} : { [ATTRIBUTE.agentName]: name },
    });
    this.#agents.set(toolUseId, { name, operation });
    return operation.context;
  }

  has(toolUseId: string): boolean {
    return this.#agents.has(toolUseId);
  }

  answered(toolUseId: string, model: string): void {
    this.#agents.get(toolUseId)?.operation.set({ [ATTRIBUTE.responseModel]: model });
  }

  ended(toolUseId: string, errorType: string | undefined): void {
    const agent = this.#agents.get(toolUseId);
    if (agent !== undefined) this.#end(agent, errorType);
  }

  endAll(errorType: string): void {
    for (const agent of this.#agents.values()) this.#end(agent, errorType);
    this.#agents.clear();
  }

  /** A turn has ended: what is over is not needed any more. */
  forgetEnded(): void {
    for (const [id, { operation }] of this.#agents) if (operation.isEnded) this.#agents.delete(id);
  }

  #end({ name, operation }: Subagent, errorType: string | undefined): void {
    const milliseconds = operation.end(errorType);
    if (milliseconds !== undefined) this.#setting.metrics.agent(milliseconds, name, errorType);
  }
}
