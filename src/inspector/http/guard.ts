import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isToken } from './token.js';

/** Who may use a route. */
export type Admission =
  /** Whoever asks for it by our name: the page without data. */
  | 'shell'
  /** Our page, with the token of its address. */
  | 'page'
  /** The agent of the watched program, with a token of its own. */
  | 'agent';

export interface GuardSettings {
  /** `127.0.0.1:4123`: what the `Host` header may say. */
  readonly hosts: ReadonlySet<string>;
  readonly pageToken: string;
  readonly agentToken: string;
}

/** Why a request is refused, as a sentence; undefined if it may pass. Whoever asks wrongly is told nothing else. */
export function refusalOf(
  { headers, method = 'GET' }: IncomingMessage,
  admission: Admission,
  { hosts, pageToken, agentToken }: GuardSettings,
): string | undefined {
  // A name that somebody points at this machine is not ours (DNS rebinding).
  const { host } = headers;
  if (host === undefined || !hosts.has(host.toLowerCase())) return 'This host name is not served here.';
  if (admission === 'shell') return isEmbedding(headers) ? 'Other pages may not use this one.' : undefined;
  const { origin } = headers;
  if (admission === 'agent') {
    // Browsers name the origin of whatever they post, and no agent is a browser.
    if (origin !== undefined || headers['sec-fetch-site'] !== undefined) return 'Pages may not report here.';
    return isToken(single(headers['x-tenon-token']), agentToken)
      ? undefined
      : 'The token is missing or wrong.';
  }
  const ours = `http://${host.toLowerCase()}`;
  if (origin !== undefined && origin !== ours) return 'Other pages may not use this one.';
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return 'Other pages may not use this one.';
  // Browsers leave the origin out of what they get from it, and say instead that it is the same.
  if (origin === undefined && (method !== 'GET' || site === undefined)) {
    return `Only the page at ${ours} may use this: the Origin header is missing.`;
  }
  const [, given] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return isToken(given, pageToken)
    ? undefined
    : 'The token is missing or wrong. Open the address that was printed.';
}

/** Whoever follows a link comes from another site, too, and sees an empty page. */
function isEmbedding(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header;
}
