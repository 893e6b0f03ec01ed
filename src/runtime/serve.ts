import type { ReceivedOptions, RuntimeFacts } from '../options/row.js';
import { checkReceived } from '../options/support.js';
import { clock, loopTurn } from '../protocol/base/clock.js';
import { messageOf } from '../protocol/base/errors.js';
import { LIMITS } from '../protocol/base/limits.js';
import {
  ControlChannel,
  type InboundRequest,
  unsupportedRequest,
} from '../protocol/channel/control-channel.js';
import { GuardedReceiver, malformed } from '../protocol/transport/guarded-receiver.js';
import type {
  DroppedFrame,
  Transport,
  TransportEnd,
  TransportReceiver,
} from '../protocol/transport/transport.js';
import type {
  AgentRequestFields,
  AgentRequestPayload,
  AgentSubtype,
  HostSubtype,
} from '../protocol/wire/control-requests.js';
import { type Frame, isControlFrame, type MessageFrame } from '../protocol/wire/frames.js';
import { checkFetcher } from '../workspace/tools/web-fetch.js';
import { checkContext } from './context/context-options.js';
import { type ControlHandlers, controlHandlers } from './conversation/control-handlers.js';
import { AgentConversation } from './conversation/conversation.js';
import { Lines } from './conversation/lines.js';
import type { Host } from './host.js';
import { checkJournal, checkKept } from './journal.js';
import { checkPlugins } from './knowledge/open-knowledge.js';
import { checkKnowledge } from './knowledge/values.js';
import { checkModel } from './model.js';
import { checkCache, factsOf, type PlacedConfig, type RuntimeStart } from './start/runtime-config.js';
import { checkMaxResultChars } from './tools/result-bounds.js';
import { UsageLedger } from './turn/usage.js';

export interface RunningRuntime {
  /**
   * Resolves with the exit code a program would have, once the host's input has ended and all work is done.
   */
  readonly finished: Promise<number>;
  /** Aborts the running work. */
  abort(): void;
  /**
   * Ends now, for a program that is told to leave: aborts the running work, calls the hooks of the settings for the end
   * of a session, and resolves when nothing is left of what was started. The limits are in `LIMITS`.
   */
  stop(): Promise<void>;
}

/**
 * The agent's end of the protocol: answers the host's requests, accepts its messages, and writes messages.
 */
export function serveRuntime(
  transport: Transport,
  config: PlacedConfig,
  start: RuntimeStart,
): RunningRuntime {
  checkModel(config, 'serveRuntime');
  checkCache(config, 'serveRuntime');
  checkMaxResultChars(config.maxResultChars);
  checkFetcher(config.fetcher);
  checkContext(config.context);
  checkKnowledge(config, 'serveRuntime');
  checkJournal(config, 'serveRuntime');
  const server = new RuntimeServer(transport, config, start);
  const turn = loopTurn();
  if (turn === undefined) server.begin();
  else void turn.then(() => server.begin());
  return server;
}

class RuntimeServer implements TransportReceiver, RunningRuntime {
  readonly finished: Promise<number>;
  readonly #transport: Transport;
  readonly #channel: ControlChannel;
  readonly #conversation: AgentConversation;
  readonly #handlers: ControlHandlers;
  readonly #onNoise: (line: string) => void;
  readonly #lines: Lines;
  readonly #start: RuntimeStart;
  readonly #facts: RuntimeFacts;
  #warned: Set<string> | undefined;
  /** Further frames are ignored: a prompt may directly follow what was refused. */
  #hasRefused = false;
  #isEnding = false;
  #finish: (exitCode: number) => void = () => {};

  constructor(transport: Transport, config: PlacedConfig, start: RuntimeStart) {
    this.#transport = transport;
    this.#start = start;
    this.#facts = factsOf(config);
    this.#checkReceived({ plan: start.flags, ...(start.env === undefined ? {} : { env: start.env }) });
    checkPlugins(start.flags, config);
    if (config.journal !== undefined) checkKept(config, start);
    this.#onNoise = start.onNoise ?? (() => {});
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#channel = new ControlChannel({
      send: (frame) => transport.send(frame),
      serve: (request) => this.#serve(request),
      debug: () => {},
      malformed: (problem, frame) => this.dropped(malformed(frame, 0, problem)),
      changed: () => {},
    });
    const host: Host = {
      ask: async <Subtype extends AgentSubtype>(
        subtype: Subtype,
        fields: AgentRequestFields<Subtype>,
        options: Parameters<Host['ask']>[2] = {},
      ) => {
        const answer = await this.#channel.request(subtype, fields, {
          timeoutMs: options.timeoutMs ?? 0,
          signal: options.signal,
          forgottenBy: options.forgottenBy,
        });
        return answer.response as AgentRequestPayload<Subtype>;
      },
    };
    const lines = new Lines(
      clock.uuid(),
      (line) => this.#write(line),
      () => transport.drained(),
    );
    this.#lines = lines;
    this.#conversation = new AgentConversation(config, start, host, lines);
    this.#handlers = controlHandlers(this.#conversation);
  }

  /** From here on it reads what the host has sent. */
  begin(): void {
    this.#conversation.open().catch((error) => this.#failToStart(error));
    this.#transport.start(new GuardedReceiver(this));
  }

  /** Throws for an option that must not be ignored. One that may be is reported on stderr, once. */
  #checkReceived(received: ReceivedOptions): void {
    if (this.#start.isChecked) return;
    checkReceived(received, this.#facts, (text) => {
      this.#warned ??= new Set();
      if (this.#warned.has(text)) return;
      this.#warned.add(text);
      this.#start.onStderr?.(`warning: ${text}\n`);
    });
  }

  /** The conversation cannot start. If it was to be resumed, the host also gets a result with the reason. */
  #failToStart(error: unknown): void {
    const start = this.#start;
    const text = messageOf(error);
    this.#hasRefused = true;
    start.onStderr?.(start.flags.resume === undefined ? `Error: ${text}\n` : `${text}\n`);
    if (start.flags.resume !== undefined) {
      this.#lines.send({
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
    void this.#conversation.close().then(() => {
      this.#transport.endInput();
      this.#finish(1);
    });
  }

  frame(frame: Frame): void {
    if (this.#hasRefused) return;
    if (isControlFrame(frame)) this.#channel.receive(frame);
    else if (frame.type === 'user') this.#conversation.say(frame as MessageFrame);
  }

  abort(): void {
    this.#channel.close('The host has stopped the agent.');
    void this.#conversation.close();
  }

  async stop(): Promise<void> {
    this.#channel.close('The agent was told to leave.');
    this.#conversation.interrupt(true);
    await this.#conversation.end(true, LIMITS.sessionEndAfterSignalMs);
    await this.#conversation.close();
  }

  noise(line: string): void {
    this.#onNoise(line);
  }

  /** The host wrote it, and is told on both of the ways that warnings take. */
  dropped({ problem, head }: DroppedFrame): void {
    this.#conversation.warn(`${problem} It begins: ${head}`);
  }

  stderr(): void {}

  /** The host's input has ended: requests to the host fail, and the remaining work is finished. */
  end(_end: TransportEnd): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#channel.close('The host has closed its input.');
    void this.#conversation
      .settled()
      .then(() => this.#conversation.end(true))
      .then(() => this.#conversation.close())
      .then(() => {
        this.#transport.endInput();
        this.#finish(this.#conversation.exitCode);
      });
  }

  #serve({ subtype, fields, signal }: InboundRequest): unknown {
    const handler = this.#isServed(subtype) ? this.#handlers[subtype] : undefined;
    if (handler === undefined) throw unsupportedRequest(subtype);
    if (subtype === 'initialize') this.#checkInitialize(fields);
    const answer = handler(fields, signal);
    if (subtype === 'end_session') void this.#endAfter(answer);
    return answer;
  }

  /** The host wants no more, whether or not it closes its input. */
  async #endAfter(answer: unknown): Promise<void> {
    await Promise.resolve(answer).catch(() => {});
    // The answer comes first.
    clock.setImmediate(() => this.end({ code: 0, signal: null }));
  }

  /** The conversation ends if the host asked for something unavailable: it would rely on it. */
  #checkInitialize(initialize: object): void {
    try {
      this.#checkReceived({ initialize });
    } catch (error) {
      this.#failToStart(error);
      throw error;
    }
  }

  #isServed(subtype: string): subtype is HostSubtype {
    return Object.hasOwn(this.#handlers, subtype);
  }

  /** False when the host is behind. */
  #write(line: MessageFrame): boolean {
    try {
      return this.#transport.send(line);
    } catch {
      // The host is gone, so nobody reads this line.
      return true;
    }
  }
}
