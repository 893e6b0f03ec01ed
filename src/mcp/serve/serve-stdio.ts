import type { Readable, Writable } from 'node:stream';
import type { McpTransport } from '../types.js';
import { instanceToServe, type ServableServer } from './servable.js';

export interface ServeStdioOptions {
  stdin?: Readable | undefined;
  stdout?: Writable | undefined;
}

export interface StdioServing extends AsyncDisposable {
  /** Resolves when the client closes its end, or after `close()`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export async function serveStdio(
  server: ServableServer,
  { stdin = process.stdin, stdout = process.stdout }: ServeStdioOptions = {},
): Promise<StdioServing> {
  const instance = instanceToServe(server, 'serveStdio');
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const library = new StdioServerTransport(stdin, stdout, { maxBufferSize: Number.POSITIVE_INFINITY });
  const transport = library as McpTransport;
  await instance.connect(transport);
  const endSession = transport.onclose;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      endSession?.();
      resolve();
    };
  });
  const close = async (): Promise<void> => {
    await library.close();
    await closed;
  };
  return { closed, close, [Symbol.asyncDispose]: close };
}
