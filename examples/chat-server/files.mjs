// The files of the page, read once. What is not on this list does not exist.

import { readdirSync, readFileSync } from 'node:fs';

const TYPES = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['mjs', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
]);

/** Nothing from elsewhere, nothing inline, and no text of anybody's becomes a part of the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const SAFE_HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * The page's file for a path; `/` and `/c/…`, the address of a conversation, are the page itself.
 *
 * @returns {(pathname: string) => { type: string, body: Buffer } | undefined}
 */
export function pageFiles() {
  const folder = new URL('page/', import.meta.url);
  const files = new Map(
    readdirSync(folder).map((name) => {
      const type = TYPES.get(name.split('.').at(-1) ?? '') ?? 'application/octet-stream';
      return [`/page/${name}`, { type, body: readFileSync(new URL(name, folder)) }];
    }),
  );
  return (pathname) => files.get(/^\/(c\/[\w-]+)?$/.test(pathname) ? '/page/index.html' : pathname);
}
