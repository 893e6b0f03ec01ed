import { type Attributes, type Context, context, SpanKind } from '@opentelemetry/api';
import type { TracedRequest } from '../options/tracer.js';
import { isRecord } from '../protocol/base/kinds.js';
import { contentMessage, StreamedContent } from './content.js';
import { ATTRIBUTE, ERROR, OPERATION, providerName } from './names.js';
import type { SpanOperation } from './operation.js';
import type { TraceSetting } from './setting.js';
import { tokensOf, usageAttributes } from './usage.js';

/** The events of one answer, in a `chat` span, unless what asks the model makes one itself. */
export async function* tracedChat<Event>(
  setting: TraceSetting,
  request: TracedRequest,
  parent: Context,
  answer: () => AsyncIterable<Event>,
): AsyncGenerator<Event, void> {
  const chat = new Chat(setting, request, parent);
  let errorType: string | undefined = ERROR.cancelled;
  const inside = <Result>(act: () => Result): Result => context.with(chat.context, act);
  const events = inside(() => answer()[Symbol.asyncIterator]());
  try {
    for (;;) {
      const next = await inside(() => events.next());
      if (next.done) break;
      setting.safely(() => chat.event(next.value));
      yield next.value;
    }
    errorType = undefined;
  } catch (error) {
    errorType = errorOf(error);
    throw error;
  } finally {
    setting.safely(() => chat.end(errorType));
    if (errorType === ERROR.cancelled) await inside(() => events.return?.());
  }
}

class Chat {
  readonly context: Context;
  readonly #setting: TraceSetting;
  readonly #request: TracedRequest;
  readonly #operation: SpanOperation | undefined;
  readonly #began: number;
  readonly #said: StreamedContent | undefined;
  #usage: Record<string, unknown> = {};
  #model: string | undefined;
  #stopReason: string | undefined;

  constructor(setting: TraceSetting, request: TracedRequest, parent: Context) {
    this.#setting = setting;
    this.#request = request;
    this.#began = setting.time.now();
    let operation: SpanOperation | undefined;
    setting.safely(() => {
      if (request.provider !== undefined)
        setting.learn({ [ATTRIBUTE.provider]: providerName(request.provider) });
      if (!request.tracesItself) operation = this.#start(parent);
    });
    this.#operation = operation;
    this.#said = operation !== undefined && setting.content.messages ? new StreamedContent() : undefined;
    this.context = operation?.context ?? parent;
  }

  event(event: unknown): void {
    if (!isRecord(event)) return;
    this.#said?.push(event);
    if (event.type === 'message_start' && isRecord(event.message)) {
      const { id, model, usage } = event.message;
      Object.assign(this.#usage, usage);
      if (typeof model === 'string') this.#model = model;
      this.#operation?.set({
        [ATTRIBUTE.timeToFirstChunk]: (this.#setting.time.now() - this.#began) / 1000,
        ...(typeof id === 'string' ? { [ATTRIBUTE.responseId]: id } : {}),
        ...(this.#model === undefined ? {} : { [ATTRIBUTE.responseModel]: this.#model }),
      });
    }
    if (event.type !== 'message_delta') return;
    Object.assign(this.#usage, event.usage);
    if (isRecord(event.delta) && typeof event.delta.stop_reason === 'string')
      this.#stopReason = event.delta.stop_reason;
  }

  end(errorType: string | undefined): void {
    const { metrics, time, common } = this.#setting;
    const tokens = tokensOf(this.#usage);
    const error = errorType === undefined ? {} : { [ATTRIBUTE.errorType]: errorType };
    const measured: Attributes = {
      [ATTRIBUTE.operation]: OPERATION.chat,
      ...(common[ATTRIBUTE.provider] === undefined
        ? {}
        : { [ATTRIBUTE.provider]: common[ATTRIBUTE.provider] }),
      [ATTRIBUTE.requestModel]: this.#request.body.model,
      ...(this.#model === undefined ? {} : { [ATTRIBUTE.responseModel]: this.#model }),
    };
    metrics.operation(time.now() - this.#began, { ...measured, ...error });
    if (this.#model !== undefined) metrics.tokens(tokens, measured);
    this.#operation?.set({
      ...usageAttributes(tokens),
      ...(this.#stopReason === undefined ? {} : { [ATTRIBUTE.finishReasons]: [this.#stopReason] }),
      ...(this.#said === undefined
        ? {}
        : { [ATTRIBUTE.outputMessages]: this.#setting.text([this.#said.message(this.#stopReason)]) }),
    });
    this.#operation?.end(errorType);
  }

  #start(parent: Context): SpanOperation {
    const { model, max_tokens, messages, system } = this.#request.body;
    const said = this.#setting.content.messages
      ? {
          [ATTRIBUTE.inputMessages]: this.#setting.text(
            messages.map(({ role, content }) => contentMessage(role, content)),
          ),
          [ATTRIBUTE.systemInstructions]: this.#setting.text(
            system.map(({ text }) => ({ type: 'text', content: text })),
          ),
        }
      : {};
    return this.#setting.start({
      operation: OPERATION.chat,
      subject: model,
      kind: SpanKind.CLIENT,
      parent,
      attributes: {
        [ATTRIBUTE.requestModel]: model,
        [ATTRIBUTE.maxTokens]: max_tokens,
        [ATTRIBUTE.requestStream]: true,
        ...said,
      },
    });
  }
}

/** The status of the API, its name for the failure, or that of the error. */
function errorOf(error: unknown): string {
  const { status, type, name } = isRecord(error) ? error : {};
  if (name === 'AbortError') return ERROR.cancelled;
  if (typeof status === 'number') return String(status);
  if (typeof type === 'string') return type;
  return typeof name === 'string' ? name : ERROR.other;
}
