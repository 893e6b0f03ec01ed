/** A host behind a real `node:http` server. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createParser } from 'eventsource-parser';
import { type HandlerOptions, type Host, toNodeHandler } from '../../../../src/host/index.js';
import { untilAborted } from '../../../../src/protocol/base/cancellation.js';
import type { Model } from '../../../../src/runtime/index.js';

export interface Served extends AsyncDisposable {
  /** `http://127.0.0.1:4123` */
  readonly origin: string;
  readonly port: number;
  /** Cuts every connection with RST. */
  reset(): void;
}

export async function listening(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Everybody is let in, as a user of "acme". */
export function served(host: Host, options: Partial<HandlerOptions> = {}): Promise<Served> {
  return listening(toNodeHandler(host.handler({ authorize: () => ({ tenant: 'acme' }), ...options })));
}

export function post(
  url: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export interface Received {
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: what a test looks at, it names.
  data: any;
}

/** What a stream says, one event after another; `[DONE]` is not among them. */
export async function* eventsOf(response: Response): AsyncGenerator<Received, void> {
  const ready: Received[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      if (data !== '[DONE]') ready.push({ id, data: JSON.parse(data) });
    },
  });
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** What a stream says up to and including the first event that fits. */
export async function readUntil(
  response: Response,
  isLast: (data: Received['data']) => boolean,
): Promise<Received[]> {
  const events: Received[] = [];
  for await (const event of eventsOf(response)) {
    events.push(event);
    if (isLast(event.data)) return events;
  }
  throw new Error(`the stream has ended: ${JSON.stringify(events)}`);
}

export const isDoneEvent = ({ message }: Received['data']): boolean =>
  message.type === 'host' && message.subtype === 'done';

/** A promise that a test fulfils, for a model that is to wait. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** A model that says nothing from a certain word on until it is allowed to. */
export function held(model: Model, word: string, until: Promise<void>): Model {
  return {
    ...model,
    async *stream(request, context) {
      for await (const event of model.stream(request, context)) {
        const isIt =
          event.type === 'content_block_delta' &&
          event.delta.type === 'text_delta' &&
          event.delta.text.startsWith(word);
        if (isIt) await untilAborted(until, context.signal);
        yield event;
      }
    },
  };
}
