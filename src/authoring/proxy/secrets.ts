import type { ProxiedServerConfig } from './upstream-transport.js';

/** Shorter values are switches and numbers; to hide those would only garble the text. */
const SHORTEST_SECRET = 4;

/** A function that takes what the user gave as environment, headers or credentials out of a text. */
export function secretHider(config: ProxiedServerConfig): (text: string) => string {
  const secrets = [...new Set(valuesOf(config))]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .toSorted((one, other) => other.length - one.length);
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '<redacted>'), text);
}

function valuesOf(config: ProxiedServerConfig): string[] {
  if (!('url' in config)) return Object.values(config.env ?? {});
  const { username, password, searchParams } = new URL(config.url);
  const inUrl = [username, password, ...searchParams.values()];
  // Of "Bearer abc" the last word is the secret, and a server may quote it alone.
  const inHeaders = Object.values(config.headers ?? {}).flatMap((value) => [
    value,
    value.split(' ').at(-1) ?? '',
  ]);
  return [...inUrl.flatMap((value) => [value, encodeURIComponent(value)]), ...inHeaders];
}
