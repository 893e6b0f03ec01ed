import type { ProxiedServerConfig } from './upstream-transport.js';

/** Shorter values are switches and numbers; to hide those would only garble the text. */
const SHORTEST_SECRET = 4;

/** Takes what the user gave as environment, headers or credentials out of a text. */
export class SecretHider {
  #secrets: string[] = [];

  constructor(config: ProxiedServerConfig) {
    this.add(valuesOf(config));
  }

  add(values: readonly string[]): void {
    // Of "Bearer abc" the last word is the secret, and a server may quote it alone.
    const all = [...this.#secrets, ...values.flatMap((value) => [value, value.split(' ').at(-1) ?? ''])];
    this.#secrets = [...new Set(all)]
      .filter((value) => value.length >= SHORTEST_SECRET)
      .toSorted((one, other) => other.length - one.length);
  }

  hide(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '<redacted>'), text);
  }
}

function valuesOf(config: ProxiedServerConfig): string[] {
  if (!('url' in config)) return Object.values(config.env ?? {});
  const { username, password, searchParams } = new URL(config.url);
  const inUrl = [username, password, ...searchParams.values()];
  return [
    ...inUrl.flatMap((value) => [value, encodeURIComponent(value)]),
    ...Object.values(config.headers ?? {}),
  ];
}
