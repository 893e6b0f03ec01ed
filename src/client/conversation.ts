import {
  ControlChannel,
  type ControlChannelOptions,
  type InboundRequest,
} from '../protocol/control-channel.js';
import type { HostRequestFields, HostRequestPayload, HostSubtype } from '../protocol/control-requests.js';
import { AbortError, messageOf, type TenonError } from '../protocol/errors.js';
import { type Frame, isControlFrame, type MessageFrame } from '../protocol/frames.js';
import { LIMITS } from '../protocol/limits.js';
import type { SDKMessage, SDKResultMessage } from '../protocol/messages/index.js';
import type { Transport, TransportEnd, TransportReceiver } from '../protocol/transport.js';
import { AgentWords } from './agent-words.js';
import type { Callbacks } from './callbacks/callbacks.js';
import type { ConversationSettings } from './conversation-settings.js';
import { Ending } from './ending.js';
import { errorAtEnd } from './error-at-end.js';
import type { Launch } from './launch/launch.js';
import { type FailureContext, startupTimeout } from './launch/process-failure.js';
import { OutgoingMessages } from './outgoing-messages.js';
import { ReadingPolicy, type ReadingPolicyTarget } from './reading-policy.js';
import { type Delivery, ResultDelivery } from './result-delivery.js';
import { TurnState } from './turn-state.js';
import { UnreadMessages } from './unread-messages.js';
import { inputFailure, UserInput } from './user-input.js';

/**
 * One agent and everything that is said with it. Frames come in from the transport and are sorted: control traffic
 * to the channel, messages to whoever reads them. It ends in one of four ways: the work is done and the agent has
 * left; the agent died; the user closed it; the user's signal was aborted.
 */
export class Conversation implements TransportReceiver, ControlChannelOptions, ReadingPolicyTarget, Delivery {
  readonly input: UserInput;
  readonly unread: UnreadMessages;
  readonly ending = new Ending();
  /** The id under which the agent keeps this conversation, once it has said so. */
  sessionId: string | undefined;

  readonly #launch: Launch;
  readonly #transport: Transport;
  readonly #settings: ConversationSettings;
  readonly #callbacks: Pick<Callbacks, 'serve' | 'any'>;
  readonly #channel: ControlChannel;
  readonly #turns = new TurnState();
  readonly #outgoing: OutgoingMessages;
  readonly #results: ResultDelivery;
  readonly #reading: ReadingPolicy;
  readonly #words: AgentWords;
  readonly #onEnd: () => void;
  #startupTimer: NodeJS.Timeout | undefined;
  #lastResult: SDKResultMessage | undefined;
  #failure: TenonError | undefined;
  #stopping = false;
  #ended = false;
  #goodbye: Promise<void> | undefined;

  constructor(
    launch: Launch,
    settings: ConversationSettings,
    callbacks: Pick<Callbacks, 'serve' | 'any'>,
    onEnd: () => void,
  ) {
    this.#launch = launch;
    this.#transport = launch.transport;
    this.#settings = settings;
    this.#callbacks = callbacks;
    this.#onEnd = onEnd;
    this.#outgoing = new OutgoingMessages(launch.transport, this.#turns, this);
    this.input = new UserInput(this.#outgoing, settings.verbatimPrompts);
    this.#words = new AgentWords(settings);
    this.#reading = new ReadingPolicy(this, settings.maxUnreadBytes);
    this.unread = new UnreadMessages(this.#reading);
    this.#results = new ResultDelivery(this.#turns, this);
    this.#channel = new ControlChannel(this);
  }

  get pid(): number | undefined {
    return this.#transport.pid;
  }

  start(): void {
    this.#transport.start(this);
    const { startupTimeoutMs } = this.#settings;
    if (startupTimeoutMs > 0) {
      this.#startupTimer = setTimeout(
        () => this.fail(startupTimeout(startupTimeoutMs, this.#failureContext())),
        startupTimeoutMs,
      );
    }
  }

  /** A control request to the agent; resolves with the payload of its answer. */
  async control<Subtype extends HostSubtype>(
    subtype: Subtype,
    fields: HostRequestFields<Subtype>,
    options: { background?: boolean; timeoutMs?: number } = {},
  ): Promise<HostRequestPayload<Subtype>> {
    const timeoutMs = options.timeoutMs ?? this.#settings.controlTimeoutMs;
    const request = this.#channel.request(subtype, fields, {
      timeoutMs,
      background: options.background ?? false,
    });
    // The answer may lie behind messages that nobody reads.
    this.#reading.adjust();
    return (await request).response as HostRequestPayload<Subtype>;
  }

  initialize(changed: HostRequestFields<'initialize'> = {}): Promise<HostRequestPayload<'initialize'>> {
    // In the background: the oldest CLIs never answer it, and work all the same.
    const answer = this.control(
      'initialize',
      { ...this.#launch.initialize, ...changed },
      { timeoutMs: 0, background: true },
    );
    const ready = (): void => this.#launch.ready();
    answer.then(ready, ready);
    // Said, and long: a second time it comes from whoever has the servers.
    this.#launch.initialize.sdkMcpServerManifests = undefined;
    return answer;
  }

  /** Stops quietly: unread messages are dropped, the loop ends. Resolves when the agent is gone. */
  close(): Promise<void> {
    const canHear = this.#settings.endsSession && this.#turns.isDone && !this.#stopping && !this.#ended;
    if (!canHear) return this.#closeNow();
    this.unread.cut();
    return this.#endSession().then(() => this.#closeNow());
  }

  #closeNow(): Promise<void> {
    this.#halt('The query was closed.');
    this.unread.cut();
    return this.#stop();
  }

  /** Hooks at the end of the session are called while they can still answer. */
  #endSession(): Promise<void> {
    this.#goodbye ??= this.control('end_session', {}, { timeoutMs: LIMITS.sessionEndMs }).then(
      () => {},
      (error) => this.#settings.debug('control', `end_session: ${messageOf(error)}`),
    );
    return this.#goodbye;
  }

  /** Stops at once and lets the loop throw. */
  abort(signal: AbortSignal): void {
    if (this.#ended) return;
    this.fail(new AbortError('Operation aborted', { cause: signal.reason }));
  }

  fail(error: TenonError): void {
    if (this.#stopping || this.#ended) return;
    this.#failure = error;
    this.#halt(error);
    this.unread.cut(error);
    void this.#stop();
  }

  /** For streams of the user: what they throw ends the conversation, and is what the loop throws. */
  async writeStream(stream: Parameters<UserInput['writeStream']>[0]): Promise<void> {
    this.#outgoing.refuseWhenClosed();
    try {
      await this.input.writeStream(stream);
    } catch (error) {
      const failure = inputFailure(error);
      if (failure.code !== 'INPUT_CLOSED') this.fail(failure);
      throw failure;
    }
  }

  // What the control channel asks of us (ControlChannelOptions).

  send(frame: Frame): void {
    this.#transport.send(frame);
  }

  serve(request: InboundRequest): unknown {
    return this.#callbacks.serve(request);
  }

  debug(message: string, frame: unknown): void {
    this.#settings.debug('control', message, frame);
  }

  changed(): void {
    this.#settle();
  }

  // What the reading policy looks at and does (ReadingPolicyTarget).

  get unreadBytes(): number {
    return this.unread.bytes;
  }

  get openRequests(): number {
    return this.#channel.openRequests;
  }

  get hasCallbacks(): boolean {
    return this.#callbacks.any;
  }

  pause(): void {
    this.#transport.pause();
  }

  resume(): void {
    this.#transport.resume();
  }

  // What the delivery of results hands on (Delivery).

  deliver(message: SDKMessage, byteLength: number): void {
    this.unread.push(message, byteLength);
    this.#reading.adjust();
  }

  // What the transport tells us (TransportReceiver).

  frame(frame: Frame, byteLength: number): void {
    if (this.#startupTimer !== undefined) this.#stopStartupTimer();
    if (isControlFrame(frame)) {
      if (frame.type === 'control_request') this.#results.newWork();
      this.#channel.receive(frame);
    } else if (frame.type !== 'keep_alive') this.#receiveMessage(frame as MessageFrame, byteLength);
  }

  noise(line: string): void {
    this.#words.noise(line);
  }

  stderr(text: string): void {
    this.#words.stderr(text);
  }

  end(end: TransportEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopStartupTimer();
    this.#launch.ready();
    this.#launch.ended();
    this.#results.flush();
    const error = this.#errorAt(end);
    this.#halt(error ?? 'The agent has left.');
    this.unread.end(error);
    this.ending.settle(end, this.#lastResult, error);
  }

  #stopStartupTimer(): void {
    clearTimeout(this.#startupTimer);
    this.#startupTimer = undefined;
  }

  #receiveMessage(message: MessageFrame, byteLength: number): void {
    if (this.#stopping) return;
    if (typeof message.session_id === 'string' && message.session_id !== '') {
      this.sessionId = message.session_id;
    }
    this.#turns.observe(message);
    if (message.type === 'result') this.#lastResult = message as unknown as SDKResultMessage;
    this.#results.receive(message, byteLength);
    this.#settle();
  }

  /** Looks whether anything has become possible: the next message to a stateless CLI, or the end of input. */
  #settle(): void {
    if (this.#ended || this.#stopping) return;
    this.#outgoing.wake();
    if (this.#outgoing.isClosed || this.input.isOpen) return;
    const nothingAsked = this.#outgoing.sent === 0;
    if (!(nothingAsked || this.#turns.isDone) || this.#channel.openRequests > 0) return;
    this.#outgoing.close();
    // From here the agent leaves by itself; the transport helps when it does not.
    const leave = (): void => void this.#transport.stop(this.#settings.closeGraceMs);
    if (this.#settings.endsSession) void this.#endSession().then(leave);
    else leave();
  }

  /** Everything pending settles: requests reject, handlers are aborted, streams of the user are released. */
  #halt(reason: Error | string): void {
    this.#stopping = true;
    this.#stopStartupTimer();
    this.#channel.close(reason);
    this.input.stop();
    this.#outgoing.close();
    this.#results.stop();
    this.#onEnd();
  }

  /** In the middle of a turn the CLI would work on after the end of input; so it gets its signal at once. */
  #stop(): Promise<void> {
    const idle = this.#turns.isDone || this.#outgoing.sent === 0;
    return this.#transport.stop(idle ? this.#settings.closeGraceMs : 0);
  }

  #errorAt(end: TransportEnd): Error | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#stopping) return undefined;
    return errorAtEnd(end, {
      lastResult: this.#lastResult,
      owesResult: this.#turns.owesResult,
      inputOpen: this.input.isOpen,
      messagesSent: this.#outgoing.sent,
      throwOnErrorResult: this.#settings.throwOnErrorResult,
      context: this.#failureContext(),
    });
  }

  #failureContext(): FailureContext {
    const { argv, cliVersion, interpreter } = this.#launch;
    return {
      argv,
      cliVersion,
      interpreter,
      stderrTail: this.#words.last,
      lastControlRequest: this.#channel.lastSubtype,
    };
  }
}
