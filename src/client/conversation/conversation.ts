import { clock } from '../../protocol/base/clock.js';
import { AbortError, messageOf, type TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { ControlChannel } from '../../protocol/channel/control-channel.js';
import { GuardedReceiver, malformed } from '../../protocol/transport/guarded-receiver.js';
import type { DroppedFrame, TransportEnd } from '../../protocol/transport/transport.js';
import type {
  HostRequestFields,
  HostRequestPayload,
  HostSubtype,
} from '../../protocol/wire/control-requests.js';
import { type Frame, isControlFrame, type MessageFrame } from '../../protocol/wire/frames.js';
import type { SDKMessage, SDKResultMessage, SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { Callbacks } from '../callbacks/callbacks.js';
import type { Launch } from '../launch/launch.js';
import { AgentWatch } from './agent-watch.js';
import type { CompactMetadata } from './compactions.js';
import type { ConversationSettings } from './conversation-settings.js';
import { Ending, type ExitStatus } from './ending.js';
import { errorAtEnd } from './error-at-end.js';
import { Inbox, type ToolProgress } from './inbox.js';
import { TurnState } from './turn-state.js';
import { inputFailure, type Prompt, UserInput } from './user-input.js';

/**
 * One agent and everything exchanged with it. Frames from the transport are sorted: control traffic goes to
 * the channel, messages to the consumer. It ends in one of four ways: the work is done and the agent has
 * exited; the agent died; the user closed it; the user's signal was aborted.
 */
export class Conversation {
  readonly #launch: Launch;
  readonly #settings: ConversationSettings;
  readonly #channel: ControlChannel;
  readonly #turns = new TurnState();
  readonly #input: UserInput;
  readonly #inbox: Inbox;
  readonly #watch: AgentWatch;
  readonly #ending = new Ending();
  #onEnd: ((reason: Error | string) => void) | undefined;
  #failure: TenonError | undefined;
  #stopping = false;
  #ended = false;
  #sessionEnded: Promise<void> | undefined;

  constructor(launch: Launch, settings: ConversationSettings, callbacks: Pick<Callbacks, 'serve' | 'any'>) {
    const { transport } = launch;
    const changed = (): void => this.#settle();
    this.#launch = launch;
    this.#settings = settings;
    this.#channel = new ControlChannel({
      send: (frame) => transport.send(frame),
      serve: (request) => callbacks.serve(request),
      debug: (message, frame) => settings.debug('control', message, frame),
      malformed: (problem, frame) => this.#dropped(malformed(frame, 0, problem)),
      changed,
    });
    this.#watch = new AgentWatch(launch, this.#channel, settings);
    this.#input = new UserInput(transport, this.#turns, settings.verbatimPrompts, changed);
    this.#inbox = new Inbox(this.#turns, transport, this.#channel, callbacks, settings);
  }

  get pid(): number | undefined {
    return this.#launch.transport.pid;
  }

  /** The id under which the agent stores this conversation, once known. */
  get sessionId(): string | undefined {
    return this.#inbox.sessionId;
  }

  get exited(): Promise<ExitStatus> {
    return this.#ending.exited;
  }

  get done(): Promise<SDKResultMessage> {
    return this.#ending.done;
  }

  /** Called once, first: starts listening to the agent and introduces the host. */
  start(): Promise<HostRequestPayload<'initialize'>> {
    this.#watch.start((error) => this.fail(error));
    this.#launch.transport.start(
      new GuardedReceiver({
        frame: (frame, byteLength) => this.#receive(frame, byteLength),
        noise: (line) => this.#watch.noise(line),
        dropped: (frame) => this.#dropped(frame),
        stderr: (text) => this.#watch.stderr(text),
        end: (end) => this.#end(end),
      }),
    );
    return this.initialize();
  }

  initialize(changed: HostRequestFields<'initialize'> = {}): Promise<HostRequestPayload<'initialize'>> {
    // In the background: the oldest CLIs never answer it, but work nevertheless.
    const answer = this.control(
      'initialize',
      { ...this.#launch.initialize, ...changed },
      { timeoutMs: 0, background: true },
    );
    const ready = (): void => this.#launch.ready();
    answer.then(ready, ready);
    // Manifests are long and no longer needed; for a second `initialize` the caller supplies them.
    this.#launch.initialize.sdkMcpServerManifests = undefined;
    return answer;
  }

  /** Calls back once, when nothing more can be sent; immediately if that is already the case. */
  onEnd(callback: (reason: Error | string) => void): void {
    if (this.#stopping) callback(this.#failure ?? 'The agent has exited.');
    else this.#onEnd = callback;
  }

  /** A control request to the agent; resolves with the payload of its answer. */
  async control<Subtype extends HostSubtype>(
    subtype: Subtype,
    fields: HostRequestFields<Subtype>,
    options: { background?: boolean; timeoutMs?: number } = {},
  ): Promise<HostRequestPayload<Subtype>> {
    const { background = false, timeoutMs = this.#settings.controlTimeoutMs } = options;
    const request = this.#channel.request(subtype, fields, { timeoutMs, background });
    this.#inbox.requestSent();
    return (await request).response as HostRequestPayload<Subtype>;
  }

  /** A report of an in-process tool, for the consumer; some agents pass it on themselves. */
  toolProgress(progress: ToolProgress): void {
    if (!this.#stopping && !this.#inbox.hearsOfProgress) this.#inbox.progressed(progress);
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#inbox.next();
  }

  /**
   * Sends the prompt. A stream that fails ends the conversation; an agent that has already ended is reported
   * at the end.
   */
  say(prompt: Prompt): void {
    if (typeof prompt !== 'string') {
      this.writeStream(prompt).catch(() => {});
      return;
    }
    try {
      this.#input.writeText(prompt);
    } catch (error) {
      this.#settings.debug('input', `the prompt was not sent: ${messageOf(error)}`);
    }
  }

  /** For the user's streams: what they throw ends the conversation and is rethrown by the loop. */
  async writeStream(stream: AsyncIterable<SDKUserMessage>): Promise<void> {
    try {
      await this.#input.writeStream(stream);
    } catch (error) {
      const failure = inputFailure(error);
      if (failure.code !== 'INPUT_CLOSED') this.fail(failure);
      throw failure;
    }
  }

  /** Sends the command, and resolves with what the agent says about the compaction. */
  async compact(instructions: string): Promise<CompactMetadata | undefined> {
    const uuid = clock.uuid();
    const compacted = this.#inbox.expectCompaction(uuid);
    // The write may fail first; both are the caller's.
    compacted.catch(() => {});
    await this.#input.writeCommand(`/compact ${instructions}`.trim(), uuid);
    return compacted;
  }

  /** Stops quietly: unread messages are dropped, the loop ends. Resolves when the agent has ended. */
  async close(): Promise<void> {
    if (this.#endsSession && this.#turns.isDone && !this.#stopping) {
      this.#inbox.cut();
      await this.#endSession();
    }
    this.#halt('The query was closed.');
    this.#inbox.cut();
    await this.#stop();
  }

  /** Stops immediately; the loop throws. */
  abort(signal: AbortSignal): void {
    this.fail(new AbortError('Operation aborted', { cause: signal.reason }));
  }

  fail(error: TenonError): void {
    if (this.#stopping) return;
    this.#failure = error;
    this.#halt(error);
    this.#inbox.cut(error);
    void this.#stop();
  }

  #receive(frame: Frame, byteLength: number): void {
    this.#watch.frameArrived();
    if (isControlFrame(frame)) {
      if (frame.type === 'control_request') this.#inbox.requestArrived();
      this.#channel.receive(frame);
    } else if (frame.type !== 'keep_alive' && !this.#stopping) {
      this.#inbox.receive(frame as MessageFrame, byteLength);
      this.#settle();
    }
  }

  /** Whoever reads the messages learns that one is missing. */
  #dropped(frame: DroppedFrame): void {
    const { secrets } = this.#settings;
    // As of a stream: the head may end in the middle of a secret.
    const shown = { ...frame, problem: secrets.hide(frame.problem), head: secrets.stream().push(frame.head) };
    this.#watch.frameArrived();
    this.#watch.dropped(shown);
    if (!this.#stopping) this.#inbox.dropped(shown);
  }

  /**
   * Checks what is now possible: the next message to a CLI that does not report its state, or the end of
   * input.
   */
  #settle(): void {
    if (this.#stopping) return;
    this.#input.wake();
    if (this.#input.isClosed || this.#input.isOpen) return;
    const nothingAsked = this.#input.sent === 0;
    if (!(nothingAsked || this.#turns.isDone) || this.#channel.openRequests > 0) return;
    this.#input.close();
    // The agent should now exit by itself; if it does not, the transport ends it.
    const stop = (): void => void this.#launch.transport.stop(this.#settings.closeGraceMs);
    if (this.#endsSession) void this.#endSession().then(stop);
    else stop();
  }

  get #endsSession(): boolean {
    const { endsSession } = this.#settings;
    return endsSession === 'always' || (endsSession === 'if announced' && this.#inbox.callsEndHooks);
  }

  /** Lets SessionEnd hooks run while they can still answer. */
  #endSession(): Promise<void> {
    this.#sessionEnded ??= this.control('end_session', {}, { timeoutMs: LIMITS.sessionEndMs }).then(
      () => {},
      (error) => this.#settings.debug('control', `end_session: ${messageOf(error)}`),
    );
    return this.#sessionEnded;
  }

  /**
   * In the middle of a turn the CLI would keep working after the end of input, so it is signalled
   * immediately.
   */
  #stop(): Promise<void> {
    const idle = this.#turns.isDone || this.#input.sent === 0;
    return this.#launch.transport.stop(idle ? this.#settings.closeGraceMs : 0);
  }

  #end(end: TransportEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#watch.ended();
    this.#launch.ready();
    this.#launch.ended();
    this.#inbox.flush();
    const error = this.#errorAt(end);
    this.#halt(error ?? 'The agent has exited.');
    this.#inbox.end(error);
    this.#ending.settle(end, this.#inbox.lastResult, error);
  }

  /** Settles everything pending: requests reject, handlers are aborted, the user's streams are released. */
  #halt(reason: Error | string): void {
    this.#stopping = true;
    this.#watch.stop();
    this.#channel.close(reason);
    this.#input.stop();
    this.#inbox.stop();
    this.#onEnd?.(reason);
    this.#onEnd = undefined;
  }

  #errorAt(end: TransportEnd): Error | undefined {
    if (this.#failure !== undefined) return this.#failure;
    if (this.#stopping) return undefined;
    return errorAtEnd(end, {
      lastResult: this.#inbox.lastResult,
      owesResult: this.#turns.owesResult,
      inputOpen: this.#input.isOpen,
      messagesSent: this.#input.sent,
      throwOnErrorResult: this.#settings.throwOnErrorResult,
      context: this.#watch.explain(),
    });
  }
}
