import { ControlChannel, type InboundRequest } from '../protocol/control-channel.js';
import type { HostRequestFields, HostRequestPayload, HostSubtype } from '../protocol/control-requests.js';
import { AbortError, messageOf, TenonError } from '../protocol/errors.js';
import {
  type Frame,
  isControlCancel,
  isControlFrame,
  isControlRequest,
  isControlResponse,
  type MessageFrame,
} from '../protocol/frames.js';
import { LIMITS } from '../protocol/limits.js';
import type { SDKMessage, SDKResultMessage } from '../protocol/messages/index.js';
import { StderrTail } from '../protocol/stderr-tail.js';
import type { Transport, TransportEnd, TransportReceiver } from '../protocol/transport.js';
import type { ConversationSettings } from './conversation-settings.js';
import { Ending } from './ending.js';
import { errorAtEnd } from './error-at-end.js';
import type { Launch } from './launch/launch.js';
import { type FailureContext, startupTimeout } from './launch/process-failure.js';
import { ReadingPolicy, type ReadingPolicyTarget } from './reading-policy.js';
import { ResultDelivery } from './result-delivery.js';
import { TurnState } from './turn-state.js';
import { UnreadMessages } from './unread-messages.js';
import { type InputTarget, inputFailure, UserInput } from './user-input.js';

/**
 * One agent and everything that is said with it. Frames come in from the transport and are sorted: control traffic
 * to the channel, messages to whoever reads them. It ends in one of four ways: the work is done and the agent has
 * left; the agent died; the user closed it; the user's signal was aborted.
 */
export class Conversation implements TransportReceiver, InputTarget {
  readonly input: UserInput;
  readonly unread: UnreadMessages;
  readonly ending = new Ending();
  /** The id under which the agent keeps this conversation, once it has said so. */
  sessionId: string | undefined;

  readonly #launch: Launch;
  readonly #transport: Transport;
  readonly #settings: ConversationSettings;
  readonly #channel: ControlChannel;
  readonly #turns = new TurnState();
  readonly #results: ResultDelivery;
  readonly #reading: ReadingPolicy;
  readonly #stderr = new StderrTail();
  readonly #onEnd: () => void;
  #startupTimer: NodeJS.Timeout | undefined;
  #waitingForTurn: (() => void)[] = [];
  #lastResult: SDKResultMessage | undefined;
  #messagesSent = 0;
  #failure: TenonError | undefined;
  #stopping = false;
  #ended = false;
  #inputEnded = false;
  #goodbye: Promise<void> | undefined;

  constructor(
    launch: Launch,
    settings: ConversationSettings,
    serve: (request: InboundRequest) => unknown,
    onEnd: () => void,
  ) {
    this.#launch = launch;
    this.#transport = launch.transport;
    this.#settings = settings;
    this.#onEnd = onEnd;
    this.input = new UserInput(this, settings.verbatimPrompts);
    this.unread = new UnreadMessages(() => this.#reading.adjust());
    this.#reading = new ReadingPolicy(this.#readingTarget(), settings.maxUnreadBytes);
    this.#results = new ResultDelivery(this.#turns, (message, bytes) => this.#deliver(message, bytes));
    this.#channel = new ControlChannel({
      send: (frame) => this.#transport.send(frame),
      serve,
      debug: (message, frame) => settings.debug('control', message, frame),
      changed: () => this.#settle(),
    });
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
    this.#halt(new TenonError('CLOSED', 'The query was closed.'));
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

  // What the input asks of us (InputTarget).

  send(frame: MessageFrame): boolean {
    if (this.#inputEnded) throw inputClosed();
    // Counted first: a process that lives in memory may answer before `send` returns.
    this.#turns.messageSent();
    this.#messagesSent += 1;
    return this.#transport.send(frame);
  }

  drained(): Promise<void> {
    return this.#transport.drained();
  }

  /** A CLI that does not report its state gets one message per result, so that results can be told apart. */
  async readyForNext(): Promise<void> {
    while (!this.#ended && !this.#stopping && this.#messagesSent > 0) {
      const reportsState = this.#turns.reportsState;
      if (reportsState === true || (reportsState === false && !this.#turns.awaitingResult)) return;
      await new Promise<void>((resolve) => this.#waitingForTurn.push(resolve));
    }
  }

  exhausted(): void {
    this.#settle();
  }

  /** For streams of the user: what they throw ends the conversation, and is what the loop throws. */
  async writeStream(stream: Parameters<UserInput['writeStream']>[0]): Promise<void> {
    if (this.#inputEnded || this.#stopping) throw inputClosed();
    try {
      await this.input.writeStream(stream);
    } catch (error) {
      const failure = inputFailure(error);
      if (failure.code !== 'INPUT_CLOSED') this.fail(failure);
      throw failure;
    }
  }

  // What the transport tells us (TransportReceiver).

  frame(frame: Frame, byteLength: number): void {
    if (this.#startupTimer !== undefined) this.#stopStartupTimer();
    if (isControlFrame(frame)) this.#receiveControl(frame);
    else if (frame.type !== 'keep_alive') this.#receiveMessage(frame as MessageFrame, byteLength);
  }

  noise(line: string): void {
    this.#settings.debug('noise', 'a line on stdout is no message', line);
    this.#tellStderr(`${line}\n`);
  }

  stderr(text: string): void {
    this.#stderr.push(text);
    this.#tellStderr(text);
  }

  end(end: TransportEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopStartupTimer();
    this.#launch.ready();
    this.#launch.ended();
    this.#results.flush();
    const error = this.#errorAt(end);
    this.#halt(error ?? new TenonError('CLOSED', 'The agent has left.'));
    this.unread.end(error);
    this.ending.settle(end, this.#lastResult, error);
  }

  #stopStartupTimer(): void {
    clearTimeout(this.#startupTimer);
    this.#startupTimer = undefined;
  }

  #receiveControl(frame: Frame): void {
    if (isControlRequest(frame)) {
      this.#results.newWork();
      this.#channel.receiveRequest(frame);
    } else if (isControlResponse(frame)) this.#channel.receiveResponse(frame);
    else if (isControlCancel(frame)) this.#channel.receiveCancel(frame);
    else this.#settings.debug('control', 'malformed control frame: ignored', frame);
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

  #deliver(message: SDKMessage, byteLength: number): void {
    this.unread.push(message, byteLength);
    this.#reading.adjust();
  }

  /** Looks whether anything has become possible: the next message to a stateless CLI, or the end of input. */
  #settle(): void {
    if (this.#ended || this.#stopping) return;
    this.#wakeInput();
    if (this.#inputEnded || this.input.isOpen) return;
    const nothingAsked = this.#messagesSent === 0;
    if (!(nothingAsked || this.#turns.isDone) || this.#channel.openRequests > 0) return;
    this.#inputEnded = true;
    // From here the agent leaves by itself; the transport helps when it does not.
    const leave = (): void => void this.#transport.stop(this.#settings.closeGraceMs);
    if (this.#settings.endsSession) void this.#endSession().then(leave);
    else leave();
  }

  #readingTarget(): ReadingPolicyTarget {
    const conversation = this;
    return {
      get unreadBytes() {
        return conversation.unread.bytes;
      },
      get openRequests() {
        return conversation.#channel.openRequests;
      },
      get hasCallbacks() {
        return conversation.#settings.hasCallbacks();
      },
      pause: () => this.#transport.pause(),
      resume: () => this.#transport.resume(),
    };
  }

  #wakeInput(): void {
    if (this.#waitingForTurn.length > 0) for (const wake of this.#waitingForTurn.splice(0)) wake();
  }

  /** Everything pending settles: requests reject, handlers are aborted, streams of the user are released. */
  #halt(reason: Error): void {
    this.#stopping = true;
    this.#stopStartupTimer();
    this.#channel.close(reason);
    this.input.stop();
    this.#wakeInput();
    this.#results.stop();
    this.#onEnd();
  }

  /** In the middle of a turn the CLI would work on after the end of input; so it gets its signal at once. */
  #stop(): Promise<void> {
    const idle = this.#turns.isDone || this.#messagesSent === 0;
    return this.#transport.stop(idle ? this.#settings.closeGraceMs : 0);
  }

  #errorAt(end: TransportEnd): Error | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#stopping) return undefined;
    return errorAtEnd(end, {
      lastResult: this.#lastResult,
      owesResult: this.#turns.owesResult,
      inputOpen: this.input.isOpen,
      messagesSent: this.#messagesSent,
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
      stderrTail: this.#settings.hide(this.#stderr.text),
      lastControlRequest: this.#channel.lastSubtype,
    };
  }

  #tellStderr(text: string): void {
    try {
      this.#settings.stderr?.(this.#settings.hide(text));
    } catch (error) {
      this.#settings.debug('stderr', `the stderr callback threw: ${messageOf(error)}`);
    }
  }
}

function inputClosed(): TenonError {
  return new TenonError(
    'INPUT_CLOSED',
    'The input of this query has ended. For more turns give an async iterable as the prompt, or use createSession().',
  );
}
