import type { Frame } from '../../protocol/frames.js';
import { LIMITS } from '../../protocol/limits.js';
import type { JsonRpcMessage, McpStdioServerConfig, McpTransport } from '../../protocol/mcp.js';
import { type ProcessTransport, spawnTransport } from '../../protocol/process/process-transport.js';
import type { TransportEnd } from '../../protocol/transport.js';

export interface StdioSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string | undefined;
  /** What it writes to stderr, and what it writes to stdout that is no message. */
  onStderr(text: string): void;
}

/**
 * JSON-RPC over a program's stdin and stdout. The program is in a process group of its own: with it goes everything that it
 * has started, also when the host dies.
 */
export class StdioTransport implements McpTransport {
  onmessage: McpTransport['onmessage'];
  onclose: McpTransport['onclose'];
  onerror: McpTransport['onerror'];
  readonly #config: McpStdioServerConfig;
  readonly #surroundings: StdioSurroundings;
  #process: ProcessTransport | undefined;
  #end: TransportEnd | undefined;

  constructor(config: McpStdioServerConfig, surroundings: StdioSurroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** How it ended by itself. */
  get ending(): string {
    if (this.#end === undefined) return 'has ended';
    const { code, signal } = this.#end;
    return signal === null ? `has ended with exit code ${code}` : `was ended by ${signal}`;
  }

  start(): Promise<void> {
    const { command, args = [], env = {} } = this.#config;
    const { cwd, onStderr } = this.#surroundings;
    const started = spawnTransport({
      command,
      args,
      cwd,
      env: { ...this.#surroundings.env, ...env },
      closeGraceMs: LIMITS.mcpCloseGraceMs,
    });
    this.#process = started;
    return new Promise((resolve, reject) => {
      started.start({
        frame: (frame) => this.onmessage?.(frame as unknown as JsonRpcMessage),
        noise: (line) => onStderr(`[on stdout] ${line}\n`),
        stderr: onStderr,
        end: (end) => {
          this.#end = end;
          if (end.error !== undefined) reject(end.error);
          else this.onclose?.();
        },
      });
      // Without a pid it was never started, and the end says why.
      if (started.pid !== undefined) resolve();
    });
  }

  async send(message: JsonRpcMessage): Promise<void> {
    this.#process?.send(message as unknown as Frame);
  }

  async close(): Promise<void> {
    await this.#process?.stop();
  }
}
