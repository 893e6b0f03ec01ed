import type { CallMiddleware } from '../../mcp/call-middleware.js';
import type { CallToolResult } from '../../mcp/types.js';
import type { GivenOptions } from '../../options/row.js';
import {
  type AgentTracer,
  type ConversationTrace,
  type TracedCaller,
  type TracedConversation,
  type TracedRequest,
  tracedCalls,
} from '../../options/tracer.js';
import { messageOf } from '../../protocol/base/errors.js';
import type { SecretValues } from '../../protocol/base/secret-values.js';
import { activeTraceHeaders, type TraceHeaders } from '../../protocol/base/trace-context.js';
import type { Transport } from '../../protocol/transport/transport.js';
import { wrapReceiver, wrapTransport } from '../../protocol/transport/wrap-transport.js';
import type { Debug, Tap } from './observers.js';

/** The trace that the agent joins: that of `tracer`, or the one that is active where the conversation is opened. */
export function traceHeaders(trace: Trace | undefined, debug: Debug): TraceHeaders | undefined {
  if (trace !== undefined) return trace.headers;
  try {
    return activeTraceHeaders();
  } catch (error) {
    debug('trace', `the propagator threw: ${messageOf(error)}`);
    return undefined;
  }
}

/** Undefined without a tracer, and if the tracer fails. */
export function openTrace(
  options: GivenOptions,
  isPrompted: boolean,
  secrets: SecretValues,
  debug: Debug,
): Trace | undefined {
  const { tracer } = options;
  if (tracer === undefined) return undefined;
  const report = (error: unknown): void => debug('trace', `tracer threw: ${messageOf(error)}`);
  const hide = (text: string): string => secrets.hide(text);
  const traced: TracedConversation = { options, isPrompted, hide, report };
  try {
    return new Trace(tracer.begin(traced), report);
  } catch (error) {
    report(error);
    return undefined;
  }
}

/** Where a message is given may be the only place that knows what it belongs to. */
export function givenMessage(tracer: AgentTracer | null | undefined, message: unknown): void {
  if (typeof tracer?.given !== 'function' || typeof message !== 'object' || message === null) return;
  try {
    tracer.given(message);
  } catch {
    // The same tracer will fail again, where it can be reported.
  }
}

/** One conversation's trace. What the tracer throws is reported, and the conversation goes on as if there was none. */
export class Trace implements ConversationTrace {
  readonly headers: TraceHeaders | undefined;
  readonly #inner: ConversationTrace;
  readonly #report: (error: unknown) => void;

  constructor(inner: ConversationTrace, report: (error: unknown) => void) {
    this.#inner = inner;
    this.#report = report;
    this.headers = inner.headers;
  }

  /** Shows the frames to the tracer, before others act on them. */
  around({ around, ...tap }: Tap): Tap {
    return { ...tap, around: (transport, calls) => this.#tapped(around(transport, calls)) };
  }

  /** Before all other middleware. */
  before(others: readonly CallMiddleware[] | undefined): readonly CallMiddleware[] {
    return [tracedCalls(this, 'host'), ...(others ?? [])];
  }

  ready(): void {
    this.#safely(() => this.#inner.ready());
  }

  frame(...seen: Parameters<ConversationTrace['frame']>): void {
    this.#safely(() => this.#inner.frame(...seen));
  }

  call(
    call: Parameters<ConversationTrace['call']>[0],
    by: TracedCaller,
    run: () => Promise<CallToolResult>,
  ): void {
    this.#safely(() => this.#inner.call(call, by, run));
  }

  chat<Event>(request: TracedRequest, answer: () => AsyncIterable<Event>): AsyncIterable<Event> {
    try {
      return this.#inner.chat(request, answer);
    } catch (error) {
      this.#report(error);
      return answer();
    }
  }

  end(reason: Error | string): void {
    this.#safely(() => this.#inner.end(reason));
  }

  #tapped(inner: Transport): Transport {
    return wrapTransport(inner, {
      start: (receiver) =>
        inner.start(
          wrapReceiver(receiver, {
            frame: (frame, byteLength) => {
              this.frame(frame, 'received');
              receiver.frame(frame, byteLength);
            },
          }),
        ),
      send: (frame) => {
        this.frame(frame, 'sent');
        return inner.send(frame);
      },
    });
  }

  #safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#report(error);
    }
  }
}
