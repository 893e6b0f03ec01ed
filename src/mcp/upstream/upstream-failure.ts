import { messageOf, TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { megabytes } from '../list-bounds.js';
import type { McpAuthChallenge } from '../status.js';

export interface UpstreamFailureDetails {
  /** The server certainly did not act on the request, so it may be sent again over a new connection. */
  mayRepeat?: boolean | undefined;
  /** The server wants us to sign in. */
  challenge?: McpAuthChallenge | undefined;
  cause?: unknown;
}

/** What is said of a server with a message beyond the bound. */
export const ENDLESS_MESSAGE = `sent more than ${megabytes(LIMITS.maxMcpMessageBytes)} without the end of a message. Let it send less at a time, or a link to what is large`;

/** A request that the server did not answer, or a server that is not there. */
export class UpstreamFailure extends TenonError {
  readonly mayRepeat: boolean;
  readonly challenge: McpAuthChallenge | undefined;

  constructor(message: string, details: UpstreamFailureDetails = {}) {
    super('SERVER_FAILED', message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TenonError';
    this.mayRepeat = details.mayRepeat ?? false;
    this.challenge = details.challenge;
  }
}

/** What a transport's error means for the message and for the connection. */
export interface Verdict {
  /** The server certainly did not act on it. */
  mayRepeat: boolean;
  endsConnection: boolean;
  /** The connection may have become unusable. */
  isDoubtful: boolean;
  /** We were refused; the challenge has what the server status. */
  isUnauthorized: boolean;
}

/** Errors from before the first byte of the request was sent. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** No connection could be made. */
export function isUnreachable(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } };
  const codes = [cause?.code, ...(cause?.errors ?? []).map(({ code }) => code)];
  return codes.some((code) => BEFORE_SENDING.has(String(code)));
}

/**
 * The verdict on an HTTP error. Without a status the socket broke, possibly after the server had acted; nothing is
 * certain then, unless no connection was made at all.
 */
export function verdictOfHttp(error: unknown, hasSession: boolean): Verdict {
  const status = statusOf(error);
  const isUnauthorized = status === 401 || (error as Error)?.name === 'UnauthorizedError';
  const isUnreached = status === undefined && isUnreachable(error);
  const isForgotten = hasSession && isSessionUnknown(status, messageOf(error));
  const isOver = isUnauthorized || isUnreached || isForgotten;
  return { mayRepeat: isOver, endsConnection: isOver, isDoubtful: status === undefined, isUnauthorized };
}

/** 404 by the specification; many servers send a 400 and say so in the text. */
export function isSessionUnknown(status: number | undefined, text: string): boolean {
  return status === 404 || (status === 400 && /session/i.test(text));
}

/** The library's SSE transport gives the status as a code, or only in the text. */
function statusOf(error: unknown): number | undefined {
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === 'number') return status;
  if (typeof code === 'number') return code;
  const digits = /\(HTTP (\d{3})\)/.exec(messageOf(error))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** `fetch` puts the reason only in the cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === undefined) return messageOf(error);
  // With several addresses there are several errors, and the message has none of them.
  const { errors } = cause as { errors?: unknown[] };
  const reason = messageOf(cause) || (errors ?? []).map(messageOf).join(', ');
  return `${messageOf(error)}: ${reason}`;
}
