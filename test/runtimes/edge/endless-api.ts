/** A Messages API that begins one answer and never ends it, and knows when the client has gone. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EndlessApi extends AsyncDisposable {
  readonly url: string;
  readonly requestEnded: Promise<void>;
}

const usage = { input_tokens: 1, output_tokens: 1 };
const BEGINNING = [
  {
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'endless', content: [], usage },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'First words' } },
];

export async function endlessApi(): Promise<EndlessApi> {
  let end = () => {};
  const requestEnded = new Promise<void>((resolve) => {
    end = resolve;
  });
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    outgoing.once('close', () => end());
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of BEGINNING) {
      outgoing.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestEnded,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
