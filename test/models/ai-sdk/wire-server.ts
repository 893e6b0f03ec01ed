/** A server that answers like the vendors' APIs and shows what the provider packages really send. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer } from './answer-frames.js';
import { framesFor } from './vendor-answers.js';

export type Step =
  | Answer
  /** Its content is sent, and then nothing more. */
  | { hold: Answer }
  /** An event stream that is only this. */
  | { first: string }
  | { status: number; body?: object; headers?: Record<string, string> };

// biome-ignore lint/suspicious/noExplicitAny: bodies of five APIs, which the tests look into
export type Body = any;

export interface WireServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly { path: string; headers: Record<string, unknown>; body: Body }[];
  /** How many answers were cut off by the client. */
  readonly cutOff: number;
}

/** Each request is answered with the next step. */
export async function wireServer(steps: readonly Step[]): Promise<WireServer> {
  const requests: { path: string; headers: Record<string, unknown>; body: Body }[] = [];
  let cutOff = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = decodeURIComponent(request.url ?? '');
    const step = steps[requests.length] ?? {
      status: 500,
      body: { error: { message: 'The script has ended.' } },
    };
    requests.push({ path, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.on('close', () => {
      if (!response.writableFinished) cutOff += 1;
    });
    if ('status' in step) {
      response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
      response.end(JSON.stringify(step.body ?? { error: { message: `Status ${step.status}.` } }));
      return;
    }
    if ('first' in step) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(step.first);
      return;
    }
    const { contentType, content, end } = framesFor(path, 'hold' in step ? step.hold : step);
    response.writeHead(200, { 'content-type': contentType });
    for (const frame of content) response.write(frame);
    if ('hold' in step) return;
    for (const frame of end) response.write(frame);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get cutOff() {
      return cutOff;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
