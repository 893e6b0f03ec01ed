import { type Attributes, type Context, type Link, type SpanKind, trace } from '@opentelemetry/api';
import { contentMessage } from './content.js';
import { ATTRIBUTE, OPERATION } from './names.js';
import type { SpanOperation } from './operation.js';
import type { TraceSetting } from './setting.js';
import { errorOfResult, resultAttributes, TurnUsage } from './usage.js';

export interface TurnFacts {
  readonly agentName: string | undefined;
  readonly model: string | undefined;
  readonly kind: SpanKind;
}

/** The `invoke_agent` spans of one conversation: one for each turn. */
export class Turns {
  readonly #setting: TraceSetting;
  readonly #facts: TurnFacts;
  readonly #usage = new TurnUsage();
  /** Requests to models are measured one by one; otherwise only whole turns are. */
  hasChats = false;
  #turn: SpanOperation | undefined;
  #responseModel: string | undefined;

  constructor(setting: TraceSetting, facts: TurnFacts) {
    this.#setting = setting;
    this.#facts = facts;
  }

  get current(): SpanOperation | undefined {
    return this.#turn;
  }

  /** `linked`: the start of the agent, if the turn is part of another trace. */
  begin(parent: Context, linked: SpanOperation | undefined): SpanOperation {
    const { agentName, model, kind } = this.#facts;
    this.#responseModel = undefined;
    this.#turn = this.#setting.start({
      operation: OPERATION.invokeAgent,
      subject: agentName,
      kind,
      parent,
      links: linksTo(linked, parent),
      attributes: {
        ...(agentName === undefined ? {} : { [ATTRIBUTE.agentName]: agentName }),
        ...(model === undefined ? {} : { [ATTRIBUTE.requestModel]: model }),
      },
    });
    return this.#turn;
  }

  prompted(message: { role?: unknown; content?: unknown }): void {
    if (!this.#setting.content.messages) return;
    const said = [contentMessage(String(message.role ?? 'user'), message.content)];
    this.#turn?.set({ [ATTRIBUTE.inputMessages]: this.#setting.text(said) });
  }

  answered(model: string): void {
    if (model === this.#responseModel) return;
    this.#responseModel = model;
    this.#turn?.set({ [ATTRIBUTE.responseModel]: model });
  }

  /** The turn has its result. */
  finished(result: Readonly<Record<string, unknown>>): void {
    const used = this.#usage.take(result);
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.set(this.#setting.common);
    turn.set(resultAttributes(result, used));
    if (this.#setting.content.messages && typeof result.result === 'string') {
      const finish = typeof result.stop_reason === 'string' ? { finish_reason: result.stop_reason } : {};
      const said = [{ ...contentMessage('assistant', result.result), ...finish }];
      turn.set({ [ATTRIBUTE.outputMessages]: this.#setting.text(said) });
    }
    if (!this.hasChats) {
      for (const [model, tokens] of Object.entries(used.models)) {
        if (tokens.input + tokens.output === 0) continue;
        this.#setting.metrics.tokens(tokens, { ...this.#measured(), [ATTRIBUTE.responseModel]: model });
      }
    }
    this.end(errorOfResult(result));
  }

  end(errorType: string | undefined): void {
    const milliseconds = this.#turn?.end(errorType);
    this.#turn = undefined;
    if (milliseconds === undefined) return;
    const error = errorType === undefined ? {} : { [ATTRIBUTE.errorType]: errorType };
    this.#setting.metrics.operation(milliseconds, { ...this.#measured(), ...error });
    this.#setting.metrics.agent(milliseconds, this.#facts.agentName, errorType);
  }

  #measured(): Attributes {
    const { agentName, model } = this.#facts;
    const provider = this.#setting.common[ATTRIBUTE.provider];
    return {
      [ATTRIBUTE.operation]: OPERATION.invokeAgent,
      ...(provider === undefined ? {} : { [ATTRIBUTE.provider]: provider }),
      ...(agentName === undefined ? {} : { [ATTRIBUTE.agentName]: agentName }),
      ...(model === undefined ? {} : { [ATTRIBUTE.requestModel]: model }),
    };
  }
}

function linksTo(other: SpanOperation | undefined, parent: Context): Link[] | undefined {
  if (other === undefined) return undefined;
  const start = other.span.spanContext();
  return trace.getSpanContext(parent)?.traceId === start.traceId ? undefined : [{ context: start }];
}
