// What callers are told when something does not work: `application/problem+json` (RFC 9457), in words of this file alone.
// The message of an error may have anything in it, from a connection string to somebody else's prompt.

import { OptionError, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** A request that is not answered with what it wants. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** The program that uses the host has failed: whatever its error is, it is no answer to the caller. */
export class ProgramFailure extends Error {
  constructor(cause: unknown) {
    super('The program has failed.', { cause });
  }
}

export function notFound(): Problem {
  return new Problem(404, 'There is no such thing here, or it is not yours.');
}

export function problemResponse({ status, message, headers }: Problem): Response {
  const body = { type: 'about:blank', title: TITLES[status] ?? 'Error', status, detail: message };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
}

/** What a caller is told of an error, and whether somebody else has to be told, too. */
export function problemOf(error: unknown): { problem: Problem; isOurs: boolean } {
  if (error instanceof Problem) return { problem: error, isOurs: false };
  if (!TenonError.is(error)) return { problem: unexpected(), isOurs: true };
  switch (error.code) {
    case 'QUEUE_FULL':
      return theirs(429, 'Too much is waiting already. Try again later.', retryAfter(error));
    case 'CLOSED':
      return theirs(503, 'This server is stopping. Try again: another one may take over.', retryAfter(error));
    case 'STORAGE_FAILED':
      return {
        problem: new Problem(
          503,
          'What is stored cannot be reached right now. Try again later.',
          retryAfter(error),
        ),
        isOurs: true,
      };
    case 'LEASE_HELD':
      return theirs(409, 'The conversation is running. Interrupt it, and try again when it is idle.');
    case 'INVALID_OPTION':
      return invalidOption(error);
    default:
      return { problem: unexpected(), isOurs: true };
  }
}

function invalidOption(error: TenonError): { problem: Problem; isOurs: boolean } {
  const option = OptionError.is(error) ? error.option : '';
  if (option === 'idempotencyKey') {
    return theirs(
      422,
      'This idempotency key cannot be used: it was used for another message, or is no name.',
    );
  }
  if (option === 'answer') return theirs(400, 'This is no answer to what was asked.');
  return theirs(400, 'The request has a value that cannot be used.');
}

function theirs(
  status: number,
  detail: string,
  headers?: Readonly<Record<string, string>>,
): { problem: Problem; isOurs: boolean } {
  return { problem: new Problem(status, detail, headers), isOurs: false };
}

function unexpected(): Problem {
  return new Problem(500, 'Something went wrong here. It was reported.');
}

/** In whole seconds, rounded up: the header knows nothing smaller. */
function retryAfter(error: object): Record<string, string> {
  const given = 'retryAfterMs' in error ? error.retryAfterMs : undefined;
  const milliseconds = typeof given === 'number' && Number.isFinite(given) ? given : LIMITS.hostRetryAfterMs;
  return { 'retry-after': String(Math.max(1, Math.ceil(milliseconds / 1000))) };
}
