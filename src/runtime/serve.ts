import { randomUUID } from 'node:crypto';
import { ControlChannel, type InboundRequest, unsupportedRequest } from '../protocol/control-channel.js';
import type { HostSubtype } from '../protocol/control-requests.js';
import { messageOf } from '../protocol/errors.js';
import { type Frame, isControlFrame, type MessageFrame } from '../protocol/frames.js';
import type { Transport, TransportEnd, TransportReceiver } from '../protocol/transport.js';
import { type ControlHandlers, controlHandlers } from './control-handlers.js';
import type { Host } from './host.js';
import { Lines } from './lines.js';
import type { RuntimeConfig, RuntimeStart } from './runtime-config.js';
import { RuntimeSession } from './session.js';
import { UsageLedger } from './usage.js';

export interface RunningRuntime {
  /** The exit code that a program would have, once the host's input has ended and all work is done. */
  readonly finished: Promise<number>;
  /** Cuts short what runs. */
  abort(): void;
}

/** The agent's end of the protocol: answers the host's requests, takes its messages, and writes what happens. */
export function serveRuntime(
  transport: Transport,
  config: RuntimeConfig,
  start: RuntimeStart,
): RunningRuntime {
  const server = new RuntimeServer(transport, config, start);
  transport.start(server);
  return server;
}

class RuntimeServer implements TransportReceiver, RunningRuntime {
  readonly finished: Promise<number>;
  readonly #transport: Transport;
  readonly #channel: ControlChannel;
  readonly #session: RuntimeSession;
  readonly #handlers: ControlHandlers;
  readonly #onNoise: (line: string) => void;
  #finish: (exitCode: number) => void = () => {};

  constructor(transport: Transport, config: RuntimeConfig, start: RuntimeStart) {
    this.#transport = transport;
    this.#onNoise = start.onNoise ?? (() => {});
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#channel = new ControlChannel({
      send: (frame) => transport.send(frame),
      serve: (request) => this.#serve(request),
      debug: () => {},
      changed: () => {},
    });
    const host: Host = {
      ask: async (subtype, fields, options = {}) => {
        const answer = await this.#channel.request(subtype, fields, {
          timeoutMs: options.timeoutMs ?? 0,
          signal: options.signal,
          forgottenBy: options.forgottenBy,
        });
        return answer.response as never;
      },
    };
    const lines = new Lines(randomUUID(), (line) => this.#write(line));
    this.#session = new RuntimeSession(config, start, host, lines);
    this.#handlers = controlHandlers(this.#session);
    this.#session.open().catch((error) => this.#cannotBegin(error, lines, start));
  }

  /** A conversation that cannot be gone on with: the host gets a result that says so where there was one to resume. */
  #cannotBegin(error: unknown, lines: Lines, start: RuntimeStart): void {
    const text = messageOf(error);
    start.onStderr?.(start.flags.resume === undefined ? `Error: ${text}\n` : `${text}\n`);
    if (start.flags.resume !== undefined) {
      lines.send({
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        errors: [text],
        num_turns: 0,
        duration_ms: 0,
        duration_api_ms: 0,
        stop_reason: null,
        total_cost_usd: 0,
        usage: new UsageLedger().turnUsage(),
        modelUsage: {},
        permission_denials: [],
        result_index: 0,
      });
    }
    this.#channel.close(text);
    void this.#session.close().then(() => {
      this.#transport.endInput();
      this.#finish(1);
    });
  }

  frame(frame: Frame): void {
    if (isControlFrame(frame)) this.#channel.receive(frame);
    else if (frame.type === 'user') this.#session.say(frame as MessageFrame);
  }

  abort(): void {
    this.#channel.close('The host has stopped the agent.');
    void this.#session.close();
  }

  noise(line: string): void {
    this.#onNoise(line);
  }

  stderr(): void {}

  /** The host says no more: what it would have to answer fails, the rest is finished. */
  end(_end: TransportEnd): void {
    this.#channel.close('The host has closed its input.');
    void this.#session
      .settled()
      .then(() => this.#session.close())
      .then(() => {
        this.#transport.endInput();
        this.#finish(this.#session.exitCode);
      });
  }

  #serve({ subtype, fields, signal }: InboundRequest): unknown {
    const handler = Object.hasOwn(this.#handlers, subtype)
      ? this.#handlers[subtype as HostSubtype]
      : undefined;
    if (handler === undefined) throw unsupportedRequest(subtype);
    return handler(fields, signal);
  }

  #write(line: MessageFrame): void {
    try {
      this.#transport.send(line);
    } catch {
      // The host is gone: nobody reads.
    }
  }
}
