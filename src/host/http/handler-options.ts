import type { SessionRef } from '../storage/port/conversation.js';

/** Who is asking: a tenant, and with `session` only that conversation of it. */
export interface Caller {
  tenant: string;
  /** Only this conversation. Without it, all of the tenant's. */
  session?: string | undefined;
}

/** What a request wants, for `authorize`. */
export interface Wanted {
  action: 'send' | 'read' | 'interrupt' | 'approvals' | 'answer';
  /** The name of the conversation in the path. */
  session?: string | undefined;
}

export interface HandlerOptions {
  /**
   * Says who is asking; `null` and `undefined` are refused with 401. Called before anything else is read. It must not trust what
   * the request says of itself: look at a cookie or a token.
   */
  authorize(
    request: Request,
    wanted: Wanted,
  ): Caller | SessionRef | null | undefined | Promise<Caller | SessionRef | null | undefined>;
  /** Where the routes are. Default: `/`. */
  basePath?: string | undefined;
  /** Bytes of a request's body. Default: 1 MB. */
  maxBodyBytes?: number | undefined;
  /** Pages of these origins may use it (CORS), besides those of the same one. Default: none. */
  origins?: readonly string[] | undefined;
  /** A reader that takes nothing for so long is cut off. Default: 30,000. */
  slowReaderMs?: number | undefined;
}
