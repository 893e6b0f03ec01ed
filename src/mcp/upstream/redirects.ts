const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Credentials, and what describes a body that is no longer there. */
const OF_ANOTHER_ORIGIN = ['authorization', 'cookie', 'mcp-session-id'];
const OF_THE_BODY = ['content-type', 'content-length', 'content-encoding'];

/** The request that a response asks for instead, by the rules of `fetch`; undefined if it asks for none. */
export function redirectOf(
  { status, headers }: Response,
  from: URL,
  init: RequestInit,
): { url: URL; init: RequestInit } | undefined {
  const location = headers.get('location');
  if (!REDIRECTS.has(status) || location === null || !URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from);
  const { method = 'GET', body, ...rest } = init;
  const kept = new Headers(init.headers);
  if (url.origin !== from.origin) for (const name of OF_ANOTHER_ORIGIN) kept.delete(name);
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet)
    return { url, init: { ...rest, method, headers: kept, ...(body == null ? {} : { body }) } };
  for (const name of OF_THE_BODY) kept.delete(name);
  return { url, init: { ...rest, method: 'GET', headers: kept } };
}
