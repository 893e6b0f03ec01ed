import { messageOf, TenonError } from '../../protocol/errors.js';
import type { McpAuthChallenge } from '../../protocol/mcp-status.js';

export interface UpstreamFailureDetails {
  /** The server has surely not acted on the request: over a new connection it may be sent again. */
  mayRepeat?: boolean | undefined;
  /** The server wants to know who asks. */
  challenge?: McpAuthChallenge | undefined;
  cause?: unknown;
}

/** A request that got no answer of the server, or a server that is not there. */
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

/** What an error of a transport means for the message that was sent, and for the connection. */
export interface Verdict {
  /** It was surely not acted on. */
  mayRepeat: boolean;
  endsConnection: boolean;
  /** The connection may be of no use any more. */
  isDoubtful: boolean;
  /** Nobody was let in; what the server said of it is in the challenge. */
  isUnauthorized: boolean;
}

/** Errors of the phase before a single byte of the request has left. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The server could not even be connected to. */
export function isNobodyThere(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown; errors?: { code?: unknown }[] } };
  const codes = [cause?.code, ...(cause?.errors ?? []).map(({ code }) => code)];
  return codes.some((code) => BEFORE_SENDING.has(String(code)));
}

/**
 * Of an error of an HTTP request. Without a status the socket broke, perhaps after the server had done what it was asked; then
 * nothing is known but when nobody was there to connect to.
 */
export function verdictOfHttp(error: unknown, hasSession: boolean): Verdict {
  const status = statusOf(error);
  const isUnauthorized = status === 401 || (error as Error)?.name === 'UnauthorizedError';
  const isNobody = status === undefined && isNobodyThere(error);
  const isForgotten = hasSession && isSessionUnknown(status, messageOf(error));
  const isOver = isUnauthorized || isNobody || isForgotten;
  return { mayRepeat: isOver, endsConnection: isOver, isDoubtful: status === undefined, isUnauthorized };
}

/** 404 by the specification; many servers say it with a 400 and words. */
export function isSessionUnknown(status: number | undefined, text: string): boolean {
  return status === 404 || (status === 400 && /session/i.test(text));
}

/** The SSE transport of the library tells the status as a code, or in words only. */
function statusOf(error: unknown): number | undefined {
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === 'number') return status;
  if (typeof code === 'number') return code;
  const said = /\(HTTP (\d{3})\)/.exec(messageOf(error))?.[1];
  return said === undefined ? undefined : Number(said);
}

/** `fetch` says why only in the cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause === undefined) return messageOf(error);
  // Several addresses, several errors, and none of them in the message.
  const { errors } = cause as { errors?: unknown[] };
  const reason = messageOf(cause) || (errors ?? []).map(messageOf).join(', ');
  return `${messageOf(error)}: ${reason}`;
}
