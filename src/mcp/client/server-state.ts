import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { McpServerStatus } from '../status.js';
import type { InitializeResult, ListedTool } from '../types.js';
import type { McpServerSource } from './server-source.js';

type Status = McpServerStatus['status'];
type Reason = Pick<McpServerStatus, 'error' | 'authChallenge'>;

/** A server's state: since when, why, and how many attempts were made to improve it. */
export class ServerState {
  /** In a row, with no stable connection in between. */
  attempts = 0;
  #status: Status = 'pending';
  #reason: Reason = {};
  #since = clock.now();
  readonly #onChange: () => void;
  #changed: Promise<void>;
  #tell: () => void = () => {};

  constructor(onChange: () => void) {
    this.#onChange = onChange;
    this.#changed = this.#nextChange();
  }

  is(...statuses: Status[]): boolean {
    return statuses.includes(this.#status);
  }

  /** A connection was asked for: earlier attempts do not count. */
  begin(): void {
    this.attempts = 0;
    this.set('pending');
  }

  attempt(): void {
    this.attempts += 1;
  }

  /** The connection is gone. If it was stable, earlier attempts do not count. */
  lost(): void {
    if (clock.now() - this.#since >= LIMITS.mcpStableMs) this.attempts = 0;
  }

  set(status: Status, reason: Reason = {}): void {
    if (status !== this.#status) this.#since = clock.now();
    this.#status = status;
    this.#reason = reason;
    const tell = this.#tell;
    this.#changed = this.#nextChange();
    tell();
    this.#onChange();
  }

  /** Resolves at the next change. */
  changed(): Promise<void> {
    return this.#changed;
  }

  report(): Pick<McpServerStatus, 'status' | 'error' | 'authChallenge' | 'since' | 'attempts'> {
    return {
      status: this.#status,
      ...this.#reason,
      since: new Date(this.#since).toISOString(),
      attempts: this.attempts,
    };
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#tell = resolve;
    });
  }
}

interface Described {
  readonly source: McpServerSource;
  readonly state: ServerState;
  readonly tools: readonly ListedTool[];
  readonly handshake: InitializeResult | undefined;
}

/** A server's status as reported to the host. */
export function statusOf({ source: server, state, tools, handshake }: Described): McpServerStatus {
  const { name, transport, source, shownConfig } = server;
  const info = handshake?.serverInfo;
  const lastStderr = server.lastStderr?.() ?? '';
  return {
    name,
    ...(info === undefined ? {} : { serverInfo: { name: info.name, version: info.version } }),
    ...state.report(),
    ...(shownConfig === undefined ? {} : { config: shownConfig }),
    transport,
    scope: 'dynamic',
    source,
    ...(state.is('connected') ? { tools: tools.map(statusOfTool) } : {}),
    ...(lastStderr === '' ? {} : { lastStderr }),
  };
}

function statusOfTool({ name, annotations = {} }: ListedTool): NonNullable<McpServerStatus['tools']>[number] {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return {
    name,
    annotations: {
      ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
      ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
      ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
    },
  };
}
