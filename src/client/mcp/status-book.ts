import { describeProblem, type McpConfigProblem } from '../../config/problems.js';
import type { McpServerStatus } from '../../mcp/status.js';
import { clock, timestamp } from '../../protocol/base/clock.js';
import { redactConfig } from '../../protocol/base/secret-values.js';
import type { ConfiguredServers } from './configured-servers.js';

interface Remembered {
  status: McpServerStatus['status'];
  since: string;
  attempts: number;
}

/** An unusable server. */
interface Failed {
  problem: McpConfigProblem;
  /** Since when, in milliseconds since 1970. */
  at: number;
  isOfCall?: boolean;
}

/**
 * What the agent reports about its servers, completed with what the client knows: unusable servers, the file that a
 * server comes from, when it entered its state. Values of `env` and `headers` are removed.
 */
export class StatusBook {
  readonly #configured: ConfiguredServers;
  readonly #remembered = new Map<string, Remembered>();
  #failed: ReadonlyMap<string, Failed>;

  constructor(configured: ConfiguredServers) {
    this.#configured = configured;
    const { begunAt: at } = configured;
    this.#failed = new Map([...configured.failed].map(([name, problem]) => [name, { problem, at }]));
  }

  /** A call has given other servers: unusable ones of its own, in place of those of the call before. */
  replaceFailed(named: readonly string[], failed: ReadonlyMap<string, McpConfigProblem>): void {
    const given = new Set(named);
    const at = clock.now();
    this.#failed = new Map([
      ...[...this.#failed].filter(([name, { isOfCall }]) => !given.has(name) && !isOfCall),
      ...[...failed].map(([name, problem]): [string, Failed] => [name, { problem, at, isOfCall: true }]),
    ]);
  }

  /** The client has asked for another attempt. */
  attempted(name: string): void {
    const known = this.#remembered.get(name);
    if (known !== undefined) known.attempts += 1;
  }

  complete(rows: readonly McpServerStatus[]): McpServerStatus[] {
    const failed = this.#failed;
    const named = new Set(rows.map(({ name }) => name));
    const leftOut = [...failed].filter(([name]) => !named.has(name));
    const known = rows.map((row) => {
      const problem = failed.get(row.name);
      return problem === undefined ? this.#completed(row) : this.#leftOut(row.name, problem);
    });
    return [...known, ...leftOut.map(([name, problem]) => this.#leftOut(name, problem))];
  }

  #completed(row: McpServerStatus): McpServerStatus {
    const { places, secrets } = this.#configured;
    const { since, attempts } = this.#remember(row);
    const place = places.get(row.name);
    const { error, lastStderr, config } = row;
    return {
      since,
      attempts,
      ...row,
      ...(place === undefined ? {} : { source: place }),
      // Only in texts and configurations: a secret may be an ordinary word that is also a server's name.
      ...(error === undefined ? {} : { error: secrets.hide(error) }),
      ...(lastStderr === undefined ? {} : { lastStderr: secrets.hide(lastStderr) }),
      ...(config === undefined ? {} : { config: redactConfig(secrets.hideIn(config)) }),
    };
  }

  #remember({ name, status }: McpServerStatus): Remembered {
    const known = this.#remembered.get(name);
    if (known?.status === status) return known;
    const since = timestamp();
    const remembered = { status, since, attempts: known?.attempts ?? 1 };
    this.#remembered.set(name, remembered);
    return remembered;
  }

  #leftOut(name: string, { problem, at }: Failed): McpServerStatus {
    return {
      name,
      status: 'failed',
      error: describeProblem(problem),
      source: problem.place === 'options' ? 'dynamic' : problem.place,
      since: new Date(at).toISOString(),
      attempts: 0,
    };
  }
}
