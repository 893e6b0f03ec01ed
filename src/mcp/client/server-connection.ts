import { untilAborted } from '../../protocol/base/cancellation.js';
import { wait } from '../../protocol/base/clock.js';
import { AbortError, messageOf, TenonError } from '../../protocol/base/errors.js';
import type { McpServerStatus } from '../status.js';
import type { CallToolResult, InitializeResult, JsonRpcMessage, ListedTool } from '../types.js';
import { UpstreamFailure } from '../upstream/upstream-failure.js';
import { checkedTools, shakeHands } from './handshake.js';
import { type McpCallOptions, McpClient, type McpRequestOptions } from './mcp-client.js';
import type { McpServerSource } from './server-source.js';
import { ServerState, statusOf } from './server-state.js';
import { type McpSettings, reconnectDelayMs } from './settings.js';

/**
 * One named server of a conversation: its state and its current tools. A lost connection is re-established; meanwhile
 * the tools stay, and calls to them wait.
 */
export class McpServerConnection {
  readonly source: McpServerSource;
  readonly state: ServerState;
  tools: ListedTool[] = [];
  handshake: InitializeResult | undefined;
  readonly #settings: McpSettings;
  readonly #changed: () => void;
  #client: McpClient | undefined;
  /** The current attempt, connection or recovery; aborted when something else is asked for. */
  #run = new AbortController();
  #hasBegun = false;
  /** Connections that are still closing. */
  readonly #endings = new Set<Promise<unknown>>();
  #relisting: Promise<void> = Promise.resolve();
  #isRelistDue = false;

  /** `changed` is called whenever the state or the tools change. */
  constructor(source: McpServerSource, settings: McpSettings, changed: () => void) {
    this.source = source;
    this.#settings = settings;
    this.#changed = changed;
    this.state = new ServerState(changed);
  }

  /** Reaches a final state within the time limit; never rejects. */
  async connect(manifest?: McpServerSource['manifest']): Promise<void> {
    const run = this.#begin('The MCP server is being connected to again.');
    this.state.begin();
    // Two processes of one server could interfere with each other.
    await this.#ended();
    try {
      await this.#attempt(run, manifest);
    } catch (error) {
      this.#failed(run, error);
    }
  }

  /** Resolves when nothing of it is left. */
  async disconnect(): Promise<void> {
    this.#begin('The MCP server was switched off.');
    this.state.set('disabled');
    this.tools = [];
    await this.#ended();
  }

  relisted(): Promise<void> {
    return this.#relisting;
  }

  /** Takes a message from a server in the host's process. */
  receive(message: JsonRpcMessage): void {
    this.#client?.receive(message);
  }

  async request(
    method: string,
    params: Record<string, unknown> | undefined,
    options: McpRequestOptions = {},
  ): Promise<Record<string, unknown>> {
    return this.#use(options.signal, (client) => client.request(method, params, options));
  }

  /** All pages of a list. */
  list<Listed>(method: string, options: McpRequestOptions = {}): Promise<Listed[]> {
    return this.#use(options.signal, (client) => client.list<Listed>(method, options));
  }

  callTool(name: string, args: unknown, toolUseId: string, options: McpCallOptions): Promise<CallToolResult> {
    const timeoutMs =
      options.timeoutMs ??
      this.source.policies.find((policy) => policy.name === name)?.timeout ??
      this.source.timeoutMs ??
      this.#settings.toolTimeoutMs;
    return this.#use(options.signal, (client) =>
      client.callTool(name, args, toolUseId, { ...options, timeoutMs }),
    );
  }

  status(): McpServerStatus {
    return statusOf(this);
  }

  /** Ends whatever was in progress. */
  #begin(reason: string): AbortController {
    // Not where nothing was: an error and an event would cost more than the rest of a connection within the process.
    if (this.#hasBegun) {
      const error = new AbortError(reason);
      this.#run.abort(error);
      this.#run = new AbortController();
      if (this.#client !== undefined) this.#end(this.#client, error);
      this.#client = undefined;
    }
    this.#hasBegun = true;
    return this.#run;
  }

  /** In the background: a process that is slow to end must not delay the news. */
  #end(client: McpClient, reason: Error): void {
    this.#track(client.close(reason));
  }

  #track(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => this.#endings.delete(done));
    this.#endings.add(done);
  }

  async #ended(): Promise<void> {
    while (this.#endings.size > 0) await Promise.all(this.#endings);
  }

  /** Connects and lists the tools, all within the time limit. Rejects with the reason if that fails. */
  async #attempt(run: AbortController, manifest?: McpServerSource['manifest']): Promise<void> {
    const { signal } = run;
    signal.throwIfAborted();
    this.state.attempt();
    const client: McpClient = new McpClient(
      this.source.name,
      {
        serve: (request, signal) => this.source.serve(this.source.name, request, signal),
        notification: (method, params) => this.#notified(method, params),
      },
      // A manifest replaces the two requests of a handshake.
      manifest === undefined ? 0 : 2,
    );
    this.#client = client;
    const onGone = (error: Error): void => this.#gone(run, client, error);
    const { clientInfo, connectTimeoutMs: timeoutMs } = this.#settings;
    const shaking = shakeHands(this.source, client, { clientInfo, timeoutMs, signal, manifest, onGone });
    this.#track(shaking);
    try {
      const { handshake, tools } = await shaking;
      signal.throwIfAborted();
      this.handshake = handshake;
      this.tools = tools;
      this.state.set('connected');
    } catch (error) {
      this.#end(client, error as Error);
      throw error;
    }
  }

  #gone(run: AbortController, client: McpClient, error: Error): void {
    client.end(error);
    if (client !== this.#client || !this.state.is('connected')) return;
    this.#end(client, error);
    if (error instanceof UpstreamFailure && error.challenge !== undefined) this.#failed(run, error);
    else void this.#recover(run, error);
  }

  /** Retries with growing delays until an attempt succeeds or the limit is reached. */
  async #recover(run: AbortController, lost: Error): Promise<void> {
    const { reconnect } = this.#settings;
    let reason: unknown = lost;
    this.state.lost();
    try {
      while (this.state.attempts < reconnect.attempts) {
        this.state.set('pending', { error: messageOf(reason) });
        await wait(reconnectDelayMs(reconnect, this.state.attempts), { signal: run.signal });
        try {
          return await this.#attempt(run);
        } catch (error) {
          if (error instanceof UpstreamFailure && error.challenge !== undefined) throw error;
          reason = error;
        }
      }
      this.#failed(run, reason);
    } catch (error) {
      this.#failed(run, error);
    }
  }

  #failed(run: AbortController, error: unknown): void {
    // Removed or reconnected in the meantime: the outcome of the earlier attempt no longer matters.
    if (run.signal.aborted) return;
    this.tools = [];
    const challenge = error instanceof UpstreamFailure ? error.challenge : undefined;
    if (challenge === undefined) {
      this.state.set('failed', { error: messageOf(error) });
      return;
    }
    const authorizationUrl = this.source.authorizationUrl?.();
    const authChallenge = authorizationUrl === undefined ? challenge : { ...challenge, authorizationUrl };
    this.state.set('needs-auth', { error: messageOf(error), authChallenge });
    void this.source
      .admitted?.()
      ?.then((isAdmitted) => (isAdmitted && !run.signal.aborted ? this.connect() : undefined))
      .catch((refusal) => {
        if (!run.signal.aborted) this.state.set('needs-auth', { error: messageOf(refusal), authChallenge });
      });
  }

  /** A request that certainly never reached the server is sent once more over a new connection; no other is ever repeated. */
  async #use<Result>(
    signal: AbortSignal | undefined,
    send: (client: McpClient) => Promise<Result>,
  ): Promise<Result> {
    const answerOf = async (client: McpClient): Promise<Result> => {
      const result = await send(client);
      this.source.answered?.();
      return result;
    };
    const client = await this.#usable(signal);
    try {
      return await answerOf(client);
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error;
      if (!error.mayRepeat || error.challenge !== undefined) throw this.#unanswered(error);
      return answerOf(await this.#usable(signal, client));
    }
  }

  #unanswered(error: UpstreamFailure): Error {
    if (error.challenge !== undefined) return error;
    return new UpstreamFailure(
      `${error.message}\nThe request may have had an effect before that. It was not repeated.`,
      { cause: error },
    );
  }

  /** The client of the current connection, or of the next one, waiting at most as long as connecting may take. */
  async #usable(signal: AbortSignal | undefined, notThis?: McpClient): Promise<McpClient> {
    if (this.state.is('connected') && this.#client !== notThis) return this.#client as McpClient;
    const limit = AbortSignal.timeout(this.#settings.connectTimeoutMs);
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    while (this.state.is('pending', 'connected')) {
      try {
        await untilAborted(this.state.changed(), either);
      } catch {
        break;
      }
      if (this.state.is('connected') && this.#client !== notThis) return this.#client as McpClient;
    }
    if (signal?.aborted) throw new AbortError('The call was cancelled.');
    throw this.#notConnected();
  }

  #notConnected(): Error {
    const { status, error } = this.state.report();
    const reason = error === undefined ? '' : ` ${error}`;
    return new Error(`The MCP server "${this.source.name}" is not connected (${status}).${reason}`);
  }

  #notified(method: string, params: Record<string, unknown>): void {
    if (method === 'notifications/message') this.#settings.onLog?.(this.source.name, params);
    if (method !== 'notifications/tools/list_changed' || !this.state.is('connected')) return;
    // In sequence: of two lists, the later one counts. One that has not begun will see this change, too.
    if (this.#isRelistDue) return;
    this.#isRelistDue = true;
    this.#relisting = this.#relisting.then(() => this.#relist()).catch((error) => this.#relistFailed(error));
  }

  async #relist(): Promise<void> {
    this.#isRelistDue = false;
    const client = this.#client;
    if (client === undefined || !this.state.is('connected')) return;
    const { connectTimeoutMs } = this.#settings;
    const tools = await client.list<ListedTool>('tools/list', { timeoutMs: connectTimeoutMs });
    if (client !== this.#client || !this.state.is('connected')) return;
    this.tools = checkedTools(tools);
    this.#changed();
  }

  /** A list beyond the bounds is the server's fault, and it is given up. Otherwise the earlier list stays. */
  #relistFailed(error: unknown): void {
    if (!(error instanceof TenonError) || error instanceof UpstreamFailure) return;
    if (this.#client !== undefined) this.#end(this.#client, error);
    this.#failed(this.#run, error);
  }
}
