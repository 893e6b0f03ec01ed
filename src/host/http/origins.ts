import { LIMITS } from '../../protocol/base/limits.js';
import { Problem } from './problems.js';

/** What a browser is told about pages of other origins, on every answer. */
export function corsHeaders(request: Request, origins: ReadonlySet<string>): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null || !origins.has(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'retry-after, x-vercel-ai-ui-message-stream',
  };
}

/** A browser asks before a page of another origin may send something. */
export function isPreflight(request: Request): boolean {
  return request.method === 'OPTIONS' && request.headers.has('access-control-request-method');
}

export function preflightResponse(request: Request, origins: ReadonlySet<string>): Response {
  if (!origins.has(request.headers.get('origin') ?? '')) throw foreign();
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST',
      // The page is trusted with its caller's rights already; which headers it uses is its own affair.
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? 'content-type',
      'access-control-max-age': String(LIMITS.corsMaxAgeMs / 1000),
    },
  });
}

/**
 * Refuses what another site's page makes its visitor's browser send: it comes with the visitor's cookies. Programs send
 * no `Origin`, browsers always do with a POST.
 */
export function refuseForeignPage(request: Request, origins: ReadonlySet<string>): void {
  if (request.method === 'GET') return;
  const origin = request.headers.get('origin');
  if (origin === null || origins.has(origin)) return;
  // What browsers say of themselves, and no page can: right also where a proxy has changed the name of the host.
  if (request.headers.get('sec-fetch-site') === 'same-origin') return;
  // Only the host: behind a proxy that speaks TLS the scheme is another one here.
  if (URL.canParse(origin) && new URL(origin).host === new URL(request.url).host) return;
  throw foreign();
}

function foreign(): Problem {
  return new Problem(403, 'Pages of this origin may not use this. They are listed in `origins`.');
}
