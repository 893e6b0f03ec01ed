import type { ResponseHeaders } from './messages-fetch.js';

// The shapes are those of the vendor's packages, so that what failed is read in one way whoever the client is.

export class MessagesApiError extends Error {
  override readonly name = 'MessagesApiError';
  readonly status: number | undefined;
  readonly headers: ResponseHeaders | undefined;
  /** The body: `{ type: 'error', error: { type, message } }`, if it was one. */
  readonly error: unknown;

  constructor(
    message: string,
    {
      status,
      headers,
      body,
      cause,
    }: { status?: number; headers?: ResponseHeaders; body?: unknown; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.headers = headers;
    this.error = body;
  }
}

/** Nobody answered, or the answer broke off. */
export class MessagesConnectionError extends Error {
  override readonly name = 'MessagesConnectionError';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
