import type { Readable, Writable } from 'node:stream';
import { OptionError } from '../../protocol/base/errors.js';
import { emitWarning } from '../../protocol/base/host-process.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { type LineReceiver, LineSplitter } from '../../protocol/transport/pipes.js';
import { INVALID_REQUEST, PARSE_ERROR } from '../json-rpc/codes.js';
import type { JsonRpcMessage, McpTransport } from '../types.js';
import { instanceToServe, type ServableServer } from './servable.js';

export interface ServeStdioOptions {
  stdin?: Readable | undefined;
  stdout?: Writable | undefined;
  /** A longer line of the client is refused. Default: 128 MB. */
  maxLineBytes?: number | undefined;
}

export interface StdioServing extends AsyncDisposable {
  /** Resolves when the client closes its end, or after `close()`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export async function serveStdio(
  server: ServableServer,
  options: ServeStdioOptions = {},
): Promise<StdioServing> {
  const { stdin = process.stdin, stdout = process.stdout } = options;
  const { maxLineBytes = LIMITS.maxMcpMessageBytes } = options;
  const instance = instanceToServe(server, 'serveStdio');
  if (!(maxLineBytes > 0)) {
    const text = `serveStdio: \`maxLineBytes\` must be a number of bytes above 0; it is ${JSON.stringify(maxLineBytes)}.`;
    throw new OptionError('maxLineBytes', maxLineBytes, text);
  }
  const transport = new StdioServerTransport(stdin, stdout, maxLineBytes);
  await instance.connect(transport);
  const endSession = transport.onclose;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      endSession?.();
      resolve();
    };
  });
  const close = async (): Promise<void> => {
    await transport.close();
    await closed;
  };
  return { closed, close, [Symbol.asyncDispose]: close };
}

/** The server's end of the pipes to the program that started it. */
class StdioServerTransport implements McpTransport, LineReceiver {
  onmessage: McpTransport['onmessage'];
  onclose: McpTransport['onclose'];
  onerror: McpTransport['onerror'];
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #maxLineBytes: number;
  readonly #splitter: LineSplitter;
  #isClosed = false;

  constructor(stdin: Readable, stdout: Writable, maxLineBytes: number) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#maxLineBytes = maxLineBytes;
    this.#splitter = new LineSplitter(this, maxLineBytes);
  }

  readonly #received = (chunk: Buffer): void => this.#splitter.push(chunk);
  readonly #ended = (): void => void this.close();

  async start(): Promise<void> {
    this.#stdin.on('data', this.#received);
    for (const event of ['end', 'close', 'error']) this.#stdin.on(event, this.#ended);
    this.#stdout.on('error', this.#ended);
  }

  async send(message: JsonRpcMessage): Promise<void> {
    this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stdin.off('data', this.#received);
    // Otherwise the program would not end by itself.
    if (this.#stdin.listenerCount('data') === 0) this.#stdin.pause();
    this.onclose?.();
  }

  // LineReceiver: called by the splitter.

  line(text: string): void {
    if (this.#isClosed || text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(null, PARSE_ERROR, 'Parse error: the line is not JSON.');
      return;
    }
    if (isMessage(value)) this.onmessage?.(value);
    else this.#refuse(idOf(value), INVALID_REQUEST, 'Invalid request: not a message of JSON-RPC 2.0.');
  }

  oversized(): void {
    if (this.#isClosed) return;
    const text = `Invalid request: the line is longer than ${this.#maxLineBytes} bytes (maxLineBytes).`;
    this.#refuse(null, INVALID_REQUEST, text);
  }

  #refuse(id: unknown, code: number, message: string): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #write(message: object): void {
    if (this.#isClosed || !this.#stdout.writable) return;
    if (this.#stdout.writableLength > LIMITS.maxUnsentBytes) {
      emitWarning(
        `The client on the other end of stdout has not read ${this.#stdout.writableLength} bytes. It is no longer served.`,
        { type: 'TenonWarning', code: 'TENON_STALLED_CLIENT' },
      );
      void this.close();
      return;
    }
    this.#stdout.write(`${JSON.stringify(message)}\n`);
  }
}

function isMessage(value: unknown): value is JsonRpcMessage {
  if (!isRecord(value)) return false;
  const { method, id, params } = value;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if ('id' in value && !hasId && !(id === null && 'error' in value)) return false;
  if (!('method' in value)) return 'result' in value || 'error' in value;
  return typeof method === 'string' && (params === undefined || isRecord(params));
}

function idOf(value: unknown): unknown {
  const id = isRecord(value) ? value.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
