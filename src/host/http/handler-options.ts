import { OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { checkedCount, checkedDuration } from '../storage/checked.js';
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
  /** The name of the conversation: of the path, or of the body of `POST /chat`. */
  session?: string | undefined;
}

export interface HandlerOptions {
  /**
   * Says who is asking; `null` and `undefined` are refused with 401. Called before anything else is read. It must not trust what
   * the request says of itself: look at a cookie or a token. `POST /chat` names its conversation in the body: for it
   * `authorize` is called a second time, with the name and with what the page wants (`send` or `answer`).
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

export interface HandlerSettings {
  readonly authorize: HandlerOptions['authorize'];
  /** Without a slash at its end: empty for `/`. */
  readonly basePath: string;
  readonly maxBodyBytes: number;
  readonly origins: ReadonlySet<string>;
  readonly slowReaderMs: number;
}

export function handlerSettings(options: HandlerOptions): HandlerSettings {
  const { authorize, basePath = '/', maxBodyBytes, origins = [], slowReaderMs } = options ?? {};
  if (typeof authorize !== 'function') {
    throw new OptionError(
      'authorize',
      authorize,
      '`authorize` of `host.handler()` is missing: without it anybody could read and steer every conversation. ' +
        'Pass a function that looks at a cookie or a token and returns `{ tenant }`, or null.',
    );
  }
  return {
    // Called as a method: it may be one of an object of the caller's.
    authorize: (request, wanted) => options.authorize(request, wanted),
    basePath: checkedBasePath(basePath),
    maxBodyBytes: checkedCount('maxBodyBytes', maxBodyBytes ?? LIMITS.hostBodyBytes),
    origins: new Set(origins.map(checkedOrigin)),
    slowReaderMs: checkedDuration('slowReaderMs', slowReaderMs ?? LIMITS.hostSlowReaderMs),
  };
}

function checkedBasePath(path: unknown): string {
  if (typeof path === 'string' && /^\/[^?#]*$/.test(path)) return path.replace(/\/+$/, '');
  throw new OptionError(
    'basePath',
    path,
    `\`basePath\` must be a path such as "/agent", not ${JSON.stringify(path)}.`,
  );
}

function checkedOrigin(origin: unknown): string {
  if (typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  throw new OptionError(
    'origins',
    origin,
    `\`origins\` has ${JSON.stringify(origin)}, which is no origin. Name each one, such as "https://chat.example.com", without a path.`,
  );
}
