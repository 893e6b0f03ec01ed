import { setTimeout as wait } from 'node:timers/promises';
import { describeProblem } from '../../config/problems.js';
import { resolveFrom } from '../../config/resolve-mcp-config.js';
import type {
  HostRequestFields,
  HostRequestPayload,
  HostSubtype,
  InitializeRequest,
} from '../../protocol/control-requests.js';
import { ControlError, OptionError, TenonError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import type {
  McpSdkServerConfigWithInstance,
  McpServerConfig,
  McpServerConfigForProcessTransport,
} from '../../protocol/mcp.js';
import type { McpServerStatus, McpSetServersResult } from '../../protocol/mcp-status.js';
import type { Conversation } from '../conversation.js';
import type { Debug } from '../debug.js';
import type { Options } from '../options.js';
import { type ConfiguredServers, environmentOf } from './configured-servers.js';
import type { InProcessServers } from './in-process-servers.js';
import type { ServerContent } from './server-content.js';
import { splitServers } from './split-servers.js';
import { StatusBook } from './status-book.js';
import { StatusMonitor } from './status-monitor.js';

export interface McpReadyOptions {
  /** Default: all that the agent has. */
  servers?: readonly string[] | undefined;
  /** In milliseconds; 65 s unless given. */
  timeout?: number | undefined;
}

/** How the servers stand once there is nothing left to wait for. */
export interface McpReadiness {
  /** All are connected, or were disabled on purpose. */
  ready: boolean;
  connected: string[];
  /** `failed` or `needs-auth`, with the reason. */
  failed: McpServerStatus[];
  disabled: string[];
  /** Still connecting when the time was over. */
  pending: string[];
}

/** What a host can do with the MCP servers of a running agent. */
export class McpControls {
  readonly #agent: Conversation;
  readonly #options: Options;
  readonly #initialized: () => Promise<unknown>;
  readonly #servers: InProcessServers;
  readonly #configured: ConfiguredServers;
  // Made when they are first asked for: most conversations need none of it, and there may be hundreds of them.
  #book: StatusBook | undefined;
  #content: Promise<ServerContent> | undefined;
  #monitor: StatusMonitor | undefined;
  /** Servers of the options that live here, until a call of `set` has named them: they stay. */
  #kept: Record<string, McpSdkServerConfigWithInstance>;
  #expected: Set<string> | undefined;
  /** Servers outside that the last call of `set` has named. */
  #named: Record<string, McpServerConfigForProcessTransport> | undefined;
  #isChanged = false;
  #isEnded = false;

  constructor(
    agent: Conversation,
    servers: InProcessServers,
    configured: ConfiguredServers,
    options: Options,
    initialized: () => Promise<unknown>,
    debug: Debug,
  ) {
    this.#agent = agent;
    this.#options = options;
    this.#initialized = initialized;
    this.#servers = servers;
    this.#configured = configured;
    this.#kept = configured.split.inProcess;
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

  /** Few hosts read resources and prompts themselves: the code for it is loaded when one does. */
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

  /** What a second `initialize` has to say of the servers here, which need no longer be those of the first. */
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

  /** Resolves when each is in a state that will not change by itself, or the time is over. */
  async ready(options: McpReadyOptions = {}): Promise<McpReadiness> {
    const { servers, timeout = LIMITS.mcpReadyMs } = options;
    const end = Date.now() + timeout;
    // Before that the agent may not know its servers yet.
    await Promise.race([this.#initialized(), wait(timeout, undefined, { ref: false })]);
    for (;;) {
      const rows = await this.status();
      const byName = new Map(rows.map((row) => [row.name, row]));
      const expected = this.#expectedNames();
      const wanted = [...new Set(servers ?? [...expected, ...byName.keys()])];
      const unknown = wanted.find((name) => !byName.has(name) && !expected.has(name));
      if (unknown !== undefined) throw noSuchServer(unknown, [...byName.keys()]);
      const pending = wanted.filter((name) => (byName.get(name)?.status ?? 'pending') === 'pending');
      const left = end - Date.now();
      if (pending.length === 0 || left <= 0) {
        return readiness(
          wanted.flatMap((name) => byName.get(name) ?? []),
          pending,
        );
      }
      await wait(Math.min(left, LIMITS.mcpPendingPollMs));
    }
  }

  async set(given: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    const split = splitServers(given);
    const errors = this.#takeUnusable(split.process);
    this.#kept = { ...this.#kept };
    for (const name of Object.keys(given)) delete this.#kept[name];
    const inProcess = { ...this.#kept, ...split.inProcess };
    // Before the request: the agent may speak to a new server before it answers.
    const before = this.#servers.replace(inProcess);
    const servers: Record<string, McpServerConfigForProcessTransport> = {
      ...split.process,
      ...this.#servers.onWire(),
    };
    try {
      const result = await this.#ask('mcp_set_servers', { servers });
      this.#isChanged = true;
      this.#named = split.process;
      for (const [name, { instance }] of Object.entries(before)) {
        const now = this.#servers.instanceOf(name);
        if (now !== undefined && now !== instance) this.#servers.announceChange(name);
      }
      const removed = new Set(result?.removed ?? []);
      const expected = new Set([
        ...[...this.#expectedNames()].filter((name) => !removed.has(name)),
        ...Object.keys(servers),
      ]);
      for (const name of Object.keys(result?.errors ?? {})) expected.delete(name);
      this.#expected = expected;
      return {
        added: result?.added ?? [],
        removed: result?.removed ?? [],
        errors: this.#configured.secrets.hideIn({ ...result?.errors, ...errors }),
      };
    } catch (error) {
      this.#servers.replace(before);
      throw error;
    }
  }

  /**
   * The CLI refuses to reconnect servers of the host, so they are taken away and given back. Switching them off and on
   * would do as well, but the CLI writes what is off into the user's configuration.
   */
  async reconnect(name: string): Promise<void> {
    this.#statusBook().attempted(name);
    if (this.#servers.instanceOf(name) === undefined) {
      await this.#ask('mcp_reconnect', { serverName: name });
      return;
    }
    const servers = { ...this.#named, ...this.#servers.onWire() };
    const { [name]: _, ...others } = servers;
    await this.#ask('mcp_set_servers', { servers: others });
    this.#servers.disconnect(name);
    await this.#ask('mcp_set_servers', { servers });
    const before = await this.ready({ servers: [name] });
    if (before.disabled.length > 0) await this.#ask('mcp_toggle', { serverName: name, enabled: true });
    const { failed, pending } = before.disabled.length > 0 ? await this.ready({ servers: [name] }) : before;
    if (failed.length === 0 && pending.length === 0) return;
    const reason = failed[0]?.error ?? 'it did not answer in time';
    throw new TenonError('SERVER_FAILED', `The MCP server "${name}" did not connect again: ${reason}`);
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

  /** Servers that the agent was told of: they may still be connecting when it does not list them. */
  #expectedNames(): Set<string> {
    const { inProcess, process } = this.#configured.split;
    this.#expected ??= new Set([...Object.keys(inProcess), ...Object.keys(process)]);
    return this.#expected;
  }

  /** An error of the agent may quote what a server was given. */
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

  /** Takes out what cannot be used, and returns why; with `strictMcpConfig` throws. */
  #takeUnusable(servers: Record<string, McpServerConfig>): Record<string, string> {
    const { secrets } = this.#configured;
    const errors: Record<string, string> = {};
    if (this.#options.spawnClaudeCodeProcess != null) {
      for (const config of Object.values(servers)) secrets.add(config);
      return errors;
    }
    const env = environmentOf(this.#options);
    const resolved = resolveFrom({ ...this.#options, mcpServers: servers, env }, []);
    for (const { name, written, config, error } of Object.values(resolved.servers)) {
      secrets.add(written);
      secrets.add(config);
      if (error === undefined) continue;
      errors[name] = describeProblem(error);
      delete servers[name];
    }
    return errors;
  }

  async #externalNames(): Promise<string[]> {
    const here = new Set(this.#servers.names);
    return (await this.status())
      .filter(({ name, status }) => status === 'connected' && !here.has(name))
      .map(({ name }) => name);
  }
}

function readiness(rows: readonly McpServerStatus[], pending: string[]): McpReadiness {
  const named = (status: McpServerStatus['status']): string[] =>
    rows.filter((row) => row.status === status).map(({ name }) => name);
  const failed = rows.filter(({ status }) => status === 'failed' || status === 'needs-auth');
  return {
    ready: failed.length === 0 && pending.length === 0,
    connected: named('connected'),
    failed,
    disabled: named('disabled'),
    pending,
  };
}

function noSuchServer(name: string, known: readonly string[]): OptionError {
  return new OptionError(
    'servers',
    name,
    `mcpReady(): there is no MCP server "${name}". ${known.length === 0 ? 'There is none at all.' : `There are: ${known.join(', ')}.`}`,
  );
}
