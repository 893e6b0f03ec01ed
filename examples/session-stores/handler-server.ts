/** A handler of `Request`s behind Node's HTTP server, on a free port of this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface HandlerServer extends AsyncDisposable {
  readonly url: string;
}

export async function serveHandler(handle: (request: Request) => Promise<Response>): Promise<HandlerServer> {
  const server = createServer(async (incoming, outgoing) => {
    const body = await text(incoming);
    const response = await handle(new Request('http://store.invalid/', { method: 'POST', body }));
    outgoing.writeHead(response.status).end(await response.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
