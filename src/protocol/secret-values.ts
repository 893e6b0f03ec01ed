import { REDACTED, SECRET_MAPS } from './redact-config.js';

/** Shorter values are switches and numbers; to hide those would only garble the text. */
const SHORTEST_SECRET = 4;
const DEEPEST = 20;

/** Remembers what was given as `env` or `headers` of servers and what else is secret, and takes it out of whatever is shown. */
export class SecretValues {
  readonly #values = new Set<string>();
  #longestFirst: string[] = [];

  /** A server as it is written, or with its variables replaced. */
  add(config: object | undefined): void {
    for (const key of SECRET_MAPS) {
      const values = (config as Record<string, unknown> | undefined)?.[key];
      if (typeof values === 'object' && values !== null) this.addValues(Object.values(values));
    }
  }

  addValues(values: readonly unknown[]): void {
    for (const value of values) {
      if (typeof value !== 'string') continue;
      // Of "Bearer abc" the last word is the secret, and a server may quote it alone.
      for (const secret of [value, value.split(' ').at(-1) ?? '']) this.#remember(secret);
    }
    if (this.#values.size === this.#longestFirst.length) return;
    this.#longestFirst = [...this.#values].sort((one, other) => other.length - one.length);
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

  #remember(secret: string): void {
    // What only names a variable is no secret.
    if (secret.length < SHORTEST_SECRET || /^\$\{\w+\}$/.test(secret)) return;
    this.#values.add(secret);
    // As it stands in JSON text.
    this.#values.add(JSON.stringify(secret).slice(1, -1));
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
