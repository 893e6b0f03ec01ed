import { setTimeout as wait } from 'node:timers/promises';
import { UpstreamFailure } from '../../authoring/proxy/upstream-failure.js';
import { AbortError, messageOf } from '../../protocol/errors.js';
import type { CallToolResult, InitializeResult, JsonRpcMessage, ListedTool } from '../../protocol/mcp.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';
import { untilAborted } from '../abortable.js';
import { shakeHands } from './handshake.js';
import { McpClient, type McpRequestOptions } from './mcp-client.js';
import type { McpServerSource } from './mcp-server-source.js';
import { type McpSettings, reconnectDelayMs } from './mcp-settings.js';
import { ServerState } from './server-state.js';
import { statusOf } from './server-status.js';

/**
 * One named server of a conversation: its state, and its tools as they are now. A server that was connected and is lost is
 * connected to again; until then its tools stay, and whoever calls one waits.
 */
export class McpServerConnection {
  readonly source: McpServerSource;
  readonly state = new ServerState();
  tools: ListedTool[] = [];
  handshake: InitializeResult | undefined;
  readonly #settings: McpSettings;
  #client: McpClient | undefined;
  /** What goes on for as long as nobody asks for something else: an attempt, a connection, the attempts to get it back. */
  #run = new AbortController();
  /** What still has to end. */
  readonly #endings = new Set<Promise<unknown>>();
  #relisting: Promise<void> = Promise.resolve();

  constructor(source: McpServerSource, settings: McpSettings) {
    this.source = source;
    this.#settings = settings;
  }

  /** Ends in a final state, never rejects, and takes no longer than the time limit. */
  async connect(manifest?: McpServerSource['manifest']): Promise<void> {
    const run = this.#begin('The MCP server is being connected to again.');
    this.state.begin();
    // Two processes of one server might be in each other's way.
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

  /** A message of a server in the host's process. */
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
  list<Listed>(method: string, key: string, options: McpRequestOptions = {}): Promise<Listed[]> {
    return this.#use(options.signal, (client) => client.list<Listed>(method, key, options));
  }

  callTool(
    name: string,
    args: unknown,
    toolUseId: string,
    options: McpRequestOptions,
  ): Promise<CallToolResult> {
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

  /** Ends what went on before. */
  #begin(reason: string): AbortController {
    this.#run.abort(new AbortError(reason));
    this.#run = new AbortController();
    if (this.#client !== undefined) this.#end(this.#client, new AbortError(reason));
    this.#client = undefined;
    return this.#run;
  }

  /** In the background: a process that does not want to end must not hold up the news. */
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

  /** One connection from nothing to the list of tools, all within the time limit. Rejects with the reason why not. */
  async #attempt(run: AbortController, manifest?: McpServerSource['manifest']): Promise<void> {
    const { signal } = run;
    signal.throwIfAborted();
    this.state.attempt();
    const client: McpClient = new McpClient(
      {
        serve: (request, signal) => this.source.serve(this.source.name, request, signal),
        notification: (method, params) => this.#notified(method, params),
      },
      // A manifest stands for the two requests of a handshake.
      manifest === undefined ? 0 : 2,
    );
    this.#client = client;
    const gone = (error: Error): void => this.#gone(run, client, error);
    const timeoutMs = this.#settings.connectTimeoutMs;
    const shaking = shakeHands(this.source, client, { timeoutMs, signal, manifest, gone });
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

  /** Attempts with longer and longer waits between them, until one succeeds or there were enough. */
  async #recover(run: AbortController, lost: Error): Promise<void> {
    const { reconnect } = this.#settings;
    let reason: unknown = lost;
    this.state.lost();
    try {
      while (this.state.attempts < reconnect.attempts) {
        this.state.set('pending', { error: messageOf(reason) });
        await wait(reconnectDelayMs(reconnect, this.state.attempts), undefined, { signal: run.signal });
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
    // Taken away or connected to anew in the meantime: what became of the earlier attempt is of no interest.
    if (run.signal.aborted) return;
    this.tools = [];
    const challenge = error instanceof UpstreamFailure ? error.challenge : undefined;
    if (challenge === undefined) {
      this.state.set('failed', { error: messageOf(error) });
      return;
    }
    const authorizationUrl = this.source.authorizationUrl?.();
    const said = authorizationUrl === undefined ? challenge : { ...challenge, authorizationUrl };
    this.state.set('needs-auth', { error: messageOf(error), authChallenge: said });
    void this.source
      .admitted?.()
      ?.then((isAdmitted) => (isAdmitted && !run.signal.aborted ? this.connect() : undefined))
      .catch((refusal) => {
        if (!run.signal.aborted)
          this.state.set('needs-auth', { error: messageOf(refusal), authChallenge: said });
      });
  }

  /** What the server surely never got is sent once more over a new connection; anything else is never repeated. */
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

  /** The client of the present connection, or of the next one, which is waited for as long as a connection may take. */
  async #usable(signal: AbortSignal | undefined, notThis?: McpClient): Promise<McpClient> {
    if (this.state.is('connected') && this.#client !== notThis) return this.#client as McpClient;
    const limit = AbortSignal.timeout(this.#settings.connectTimeoutMs);
    const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    while (this.state.is('pending', 'connected')) {
      try {
        await untilAborted(this.state.changed(), both);
      } catch {
        break;
      }
      if (this.state.is('connected') && this.#client !== notThis) return this.#client as McpClient;
    }
    if (signal?.aborted) throw new AbortError('The call was cancelled.');
    throw this.#notConnected();
  }

  #notConnected(): Error {
    const { status, error } = this.state.shown();
    const reason = error === undefined ? '' : ` ${error}`;
    return new Error(`The MCP server "${this.source.name}" is not connected (${status}).${reason}`);
  }

  #notified(method: string, params: Record<string, unknown>): void {
    if (method === 'notifications/message') this.#settings.onLog?.(this.source.name, params);
    if (method !== 'notifications/tools/list_changed' || !this.state.is('connected')) return;
    // One after another: of two lists the later one counts.
    this.#relisting = this.#relisting.then(() => this.#relist()).catch(() => {});
  }

  async #relist(): Promise<void> {
    const client = this.#client;
    if (client === undefined || !this.state.is('connected')) return;
    const { connectTimeoutMs } = this.#settings;
    const tools = await client.list<ListedTool>('tools/list', 'tools', { timeoutMs: connectTimeoutMs });
    if (client === this.#client && this.state.is('connected')) this.tools = tools;
  }
}
