import { describeProblem, type McpConfigProblem } from '../../config/problems.js';
import type { McpReadyOptions, McpServerStatus, McpSetServersResult } from '../../mcp/status.js';
import type { McpServerConfig, McpServerConfigForProcessTransport } from '../../mcp/types.js';
import type { Options } from '../../options/options.js';
import { clock, wait } from '../../protocol/base/clock.js';
import { ControlError, OptionError, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type {
  HostRequestFields,
  HostRequestPayload,
  HostSubtype,
  InitializeRequest,
} from '../../protocol/wire/control-requests.js';
import type { Conversation } from '../conversation/conversation.js';
import type { Debug } from '../query/observers.js';
import {
  addTo,
  type ConfiguredServers,
  environmentOf,
  resolveGiven,
  type SplitServers,
} from './configured-servers.js';
import type { InProcessServers } from './in-process-servers.js';
import type { ServerContent } from './server-content.js';
import { StatusBook } from './status-book.js';
import { StatusMonitor } from './status-monitor.js';

/** The servers' states once there is nothing left to wait for. */
export interface McpReadiness {
  /** All are connected or deliberately disabled. */
  ready: boolean;
  connected: string[];
  /** `failed` or `needs-auth`, with the reason. */
  failed: McpServerStatus[];
  disabled: string[];
  /** Still connecting when time ran out. */
  pending: string[];
}

/** The servers of one call. */
type UsableServers = Pick<SplitServers, 'process' | 'inProcess'> & {
  failed: Map<string, McpConfigProblem>;
};

/** What a host can do with the MCP servers of a running agent. */
export class McpControls {
  readonly #agent: Conversation;
  readonly #options: Options;
  readonly #initialized: Promise<unknown>;
  readonly #servers: InProcessServers;
  readonly #configured: ConfiguredServers;
  // Created on first use: most conversations need none of them, and there may be hundreds of conversations.
  #book: StatusBook | undefined;
  #content: Promise<ServerContent> | undefined;
  #monitor: StatusMonitor | undefined;
  #expected: Set<string> | undefined;
  /** External servers named by the latest `set`. */
  #externalServers: Record<string, McpServerConfigForProcessTransport> | undefined;
  #changing: Promise<unknown> = Promise.resolve();
  #isChanged = false;
  #isEnded = false;

  constructor(
    agent: Conversation,
    servers: InProcessServers,
    configured: ConfiguredServers,
    options: Options,
    initialized: Promise<unknown>,
    debug: Debug,
  ) {
    this.#agent = agent;
    this.#options = options;
    this.#initialized = initialized;
    this.#servers = servers;
    this.#configured = configured;
    const { onMcpStatus } = options;
    if (onMcpStatus == null) return;
    this.monitor.listen((change) => {
      try {
        onMcpStatus(change);
      } catch (error) {
        debug('mcp', `onMcpStatus threw: ${String(error)}`);
      }
    });
  }

  /** Few hosts read resources and prompts, so the code for it is loaded on first use. */
  content(): Promise<ServerContent> {
    this.#content ??= import('./server-content.js').then(({ ServerContent }) => {
      const hiding = { control: this.#ask.bind(this) };
      return new ServerContent(hiding, this.#servers, () => this.#externalNames());
    });
    return this.#content;
  }

  get monitor(): StatusMonitor {
    if (this.#monitor === undefined) {
      this.#monitor = new StatusMonitor(() => this.status({ background: true }));
      if (this.#isEnded) this.#monitor.end();
    }
    return this.#monitor;
  }

  /** What a second `initialize` must announce: the in-process servers may have changed since the first. */
  announcement(): InitializeRequest {
    const now = this.#servers.announcement();
    if (!this.#isChanged) return now;
    const none = { sdkMcpServers: [], sdkMcpServerManifests: undefined, sdkMcpServerConfigs: undefined };
    return { ...none, ...now };
  }

  async status({ background = false } = {}): Promise<McpServerStatus[]> {
    const answer = await this.#agent.control('mcp_status', {}, { background });
    const rows = this.#statusBook().complete(answer?.mcpServers ?? []);
    this.monitor.observe(rows);
    return rows;
  }

  /** Resolves when no server's state will change on its own, or time runs out. */
  async ready(options: McpReadyOptions = {}): Promise<McpReadiness> {
    const { servers, timeout = LIMITS.mcpReadyMs } = options;
    const end = clock.now() + timeout;
    // Before that, the agent may not know its servers.
    await Promise.race([this.#initialized, wait(timeout, { keepsAlive: false })]);
    for (;;) {
      const rows = await this.status();
      const byName = new Map(rows.map((row) => [row.name, row]));
      const expected = this.#expectedNames();
      const wanted = [...new Set(servers ?? [...expected, ...byName.keys()])];
      const unknown = wanted.find((name) => !byName.has(name) && !expected.has(name));
      if (unknown !== undefined) throw noSuchServer(unknown, [...byName.keys()]);
      const pending = wanted.filter((name) => (byName.get(name)?.status ?? 'pending') === 'pending');
      const remaining = end - clock.now();
      if (pending.length === 0 || remaining <= 0) {
        return readiness(
          wanted.flatMap((name) => byName.get(name) ?? []),
          pending,
        );
      }
      await wait(Math.min(remaining, LIMITS.mcpPendingPollMs));
    }
  }

  /**
   * As the official SDK does it: replaces in-process servers, also those of the options, and the servers of
   * earlier calls. Other servers of the options and of files stay until a call names them.
   */
  set(configs: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    return this.#inTurn(() => this.#set(configs));
  }

  async #set(configs: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    const { process, inProcess, failed } = this.#usable(configs);
    // Before the request: the agent may contact a new server before it answers.
    const replacement = this.#servers.replace(inProcess);
    const servers: Record<string, McpServerConfigForProcessTransport> = {
      ...process,
      ...this.#servers.onWire(),
    };
    let result: McpSetServersResult;
    try {
      result = await this.#ask('mcp_set_servers', { servers });
    } catch (error) {
      replacement.undo();
      throw error;
    }
    replacement.keep();
    this.#isChanged = true;
    this.#externalServers = process;
    this.#statusBook().replaceFailed(Object.keys(configs), failed);
    const { added = [], removed = [], errors = {} } = result ?? {};
    const gone = new Set(removed);
    this.#expected = new Set([
      ...[...this.#expectedNames()].filter((name) => !gone.has(name)),
      ...Object.keys(servers).filter((name) => !Object.hasOwn(errors, name)),
    ]);
    const reasons = [...failed].map(([name, problem]) => [name, describeProblem(problem)]);
    const allErrors: Record<string, string> = { ...errors, ...Object.fromEntries(reasons) };
    return { added, removed, errors: this.#configured.secrets.hideIn(allErrors) };
  }

  /** One change after the other: the outcome of the first is what the second replaces. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => {});
    return changed;
  }

  /**
   * The CLI refuses to reconnect in-process servers, so they are removed and added again. Disabling and
   * enabling them would work as well, but the CLI records disabled servers in the user's configuration.
   */
  async reconnect(name: string): Promise<void> {
    this.#statusBook().attempted(name);
    if (this.#servers.instanceOf(name) === undefined) {
      await this.#ask('mcp_reconnect', { serverName: name });
      return;
    }
    await this.#inTurn(async () => {
      const servers = { ...this.#externalServers, ...this.#servers.onWire() };
      const { [name]: _, ...others } = servers;
      await this.#ask('mcp_set_servers', { servers: others });
      this.#servers.disconnect(name);
      await this.#ask('mcp_set_servers', { servers });
    });
    const added = await this.ready({ servers: [name] });
    if (added.disabled.length > 0) await this.#ask('mcp_toggle', { serverName: name, enabled: true });
    const { failed, pending } = added.disabled.length > 0 ? await this.ready({ servers: [name] }) : added;
    if (failed.length === 0 && pending.length === 0) return;
    const reason = failed[0]?.error ?? 'it did not answer in time';
    throw new TenonError('SERVER_FAILED', `The MCP server "${name}" did not reconnect: ${reason}`);
  }

  async toggle(name: string, enabled: boolean): Promise<void> {
    if (enabled) this.#statusBook().attempted(name);
    await this.#ask('mcp_toggle', { serverName: name, enabled });
  }

  end(): void {
    this.#isEnded = true;
    this.#monitor?.end();
    void this.#content?.then((content) => content.close());
  }

  #statusBook(): StatusBook {
    this.#book ??= new StatusBook(this.#configured);
    return this.#book;
  }

  /** Servers that the agent was told about; those it does not list yet may still be connecting. */
  #expectedNames(): Set<string> {
    const { inProcess, process } = this.#configured.split;
    this.#expected ??= new Set([...Object.keys(inProcess), ...Object.keys(process)]);
    return this.#expected;
  }

  /** Errors from the agent may quote a server's secrets. */
  async #ask<Subtype extends HostSubtype>(
    subtype: Subtype,
    fields: HostRequestFields<Subtype>,
  ): Promise<HostRequestPayload<Subtype>> {
    try {
      return await this.#agent.control(subtype, fields);
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      throw new ControlError(subtype, this.#configured.secrets.hide(error.message), error.errorCode);
    }
  }

  /** Sorts the servers that a call gives; throws for one that cannot work with `strictMcpConfig`. */
  #usable(configs: Record<string, McpServerConfig>): UsableServers {
    const { secrets } = this.#configured;
    const usable: UsableServers = { process: {}, inProcess: {}, failed: new Map() };
    const { servers } = resolveGiven(configs, this.#options, environmentOf(this.#options));
    for (const { name, written, config, error } of Object.values(servers)) {
      secrets.add(written);
      secrets.add(config);
      if (error !== undefined) usable.failed.set(name, error);
      else addTo(usable, name, written);
    }
    return usable;
  }

  async #externalNames(): Promise<string[]> {
    const inProcess = new Set(this.#servers.names);
    return (await this.status())
      .filter(({ name, status }) => status === 'connected' && !inProcess.has(name))
      .map(({ name }) => name);
  }
}

function readiness(rows: readonly McpServerStatus[], pending: string[]): McpReadiness {
  const namesWith = (status: McpServerStatus['status']): string[] =>
    rows.filter((row) => row.status === status).map(({ name }) => name);
  const failed = rows.filter(({ status }) => status === 'failed' || status === 'needs-auth');
  return {
    ready: failed.length === 0 && pending.length === 0,
    connected: namesWith('connected'),
    failed,
    disabled: namesWith('disabled'),
    pending,
  };
}

function noSuchServer(name: string, known: readonly string[]): OptionError {
  return new OptionError(
    'servers',
    name,
    `mcpReady(): there is no MCP server "${name}". ${known.length === 0 ? 'There are none.' : `There are: ${known.join(', ')}.`}`,
  );
}
