import { REDACTED, SECRET_MAPS } from './redact-config.js';

/** Shorter values are switches and numbers; to hide those would only garble the text. */
const SHORTEST_SECRET = 4;
const DEEPEST = 20;
const NONE: readonly string[] = [];

/** Remembers what was given as `env` or `headers` of servers and what else is secret, and takes it out of whatever is shown. */
export class SecretValues {
  #longestFirst: readonly string[] = NONE;

  /** A server as it is written, or with its variables replaced. */
  add(config: object | undefined): void {
    for (const key of SECRET_MAPS) {
      const values = (config as Record<string, unknown> | undefined)?.[key];
      if (typeof values === 'object' && values !== null) this.addValues(Object.values(values));
    }
  }

  addValues(values: readonly unknown[]): void {
    // Of "Bearer abc" the last word is the secret, and a server may quote it alone.
    const secrets = values
      .filter((value) => typeof value === 'string')
      .flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
      .filter(isSecret)
      // And as it stands in JSON text.
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
    if (secrets.length === 0) return;
    const all = new Set([...this.#longestFirst, ...secrets]);
    this.#longestFirst = [...all].sort((one, other) => other.length - one.length);
  }

  hide(text: string): string {
    return this.#longestFirst.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
  }

  /** The same value with every text in it looked through; what is no plain data stays as it is. */
  hideIn<Value>(value: Value, depth = 0): Value {
    if (this.#longestFirst.length === 0 || depth > DEEPEST) return value;
    if (typeof value === 'string') return this.hide(value) as Value;
    if (Array.isArray(value)) return value.map((item) => this.hideIn(item, depth + 1)) as Value;
    if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.hideIn(item, depth + 1)]),
    ) as Value;
  }
}

/** What only names a variable is no secret. */
function isSecret(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !/^\$\{\w+\}$/.test(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
