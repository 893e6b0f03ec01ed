import { LIMITS } from '../../protocol/base/limits.js';
import { type ProcessTransport, spawnTransport } from '../../protocol/transport/process/process-transport.js';
import type { TransportEnd } from '../../protocol/transport/transport.js';
import type { Frame } from '../../protocol/wire/frames.js';
import type { JsonRpcMessage, McpStdioServerConfig, McpTransport } from '../types.js';
import { ENDLESS_MESSAGE } from './upstream-failure.js';
import type { ProgramSurroundings } from './upstream-transport.js';

/**
 * JSON-RPC over a program's stdin and stdout. The program runs in its own process group, so everything it started goes
 * with it, even if the host dies.
 */
export class StdioTransport implements McpTransport {
  onmessage: McpTransport['onmessage'];
  onclose: McpTransport['onclose'];
  onerror: McpTransport['onerror'];
  readonly #config: McpStdioServerConfig;
  readonly #surroundings: ProgramSurroundings;
  #process: ProcessTransport | undefined;
  #end: TransportEnd | undefined;
  #isEndless = false;

  constructor(config: McpStdioServerConfig, surroundings: ProgramSurroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** How it ended, if it ended on its own. */
  get ending(): string {
    if (this.#isEndless) return ENDLESS_MESSAGE;
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
      // As the CLI does.
      env: { ...(this.#surroundings.env ?? process.env), ...env },
      closeGraceMs: LIMITS.mcpCloseGraceMs,
      maxLineBytes: LIMITS.maxMcpMessageBytes,
      onLongLine: () => this.#giveUp(),
    });
    this.#process = started;
    return new Promise((resolve, reject) => {
      started.start({
        frame: (frame) => this.onmessage?.(frame as unknown as JsonRpcMessage),
        noise: (line) => onStderr(`[on stdout] ${line}\n`),
        dropped: ({ problem, head }) => onStderr(`[on stdout] ${problem} ${head}\n`),
        stderr: onStderr,
        end: (end) => {
          this.#end = end;
          if (end.error !== undefined) reject(end.error);
          else this.onclose?.();
        },
      });
      // Without a pid it never started, and `end` says why.
      if (started.pid !== undefined) resolve();
    });
  }

  async send(message: JsonRpcMessage): Promise<void> {
    this.#process?.send(message as unknown as Frame);
  }

  async close(): Promise<void> {
    await this.#process?.stop(this.#isEndless ? 0 : undefined);
  }

  /** Whatever was asked for last may be in that line, so nothing that is open can be answered. */
  #giveUp(): void {
    this.#isEndless = true;
    this.onclose?.();
  }
}
