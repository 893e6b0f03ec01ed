import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIMITS } from '../../protocol/base/limits.js';

/** On every answer, whoever asked. There are no CORS headers: no other page may read one. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types lit-html",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** An answer other than 200, with a sentence for whoever reads it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function respond(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { ...HEADERS, 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

export function respondJson(response: ServerResponse, value: unknown, status = 200): void {
  respond(response, status, 'application/json', JSON.stringify(value));
}

/** The body of a request as JSON. */
export async function jsonBody(request: IncomingMessage): Promise<unknown> {
  const { headers } = request;
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    throw new Refusal(415, 'Only application/json is taken.');
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Refusal(415, 'Only a body that is not compressed is taken.');
  }
  const bytes = await bodyOf(request);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const tooLong = new Refusal(413, `The body is longer than ${LIMITS.maxBodyBytes} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > LIMITS.maxBodyBytes) throw tooLong;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LIMITS.maxBodyBytes) throw tooLong;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
