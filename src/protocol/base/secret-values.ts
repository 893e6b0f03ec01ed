/** The parts of a server's entry whose values are secret. */
export const SECRET_MAPS = ['env', 'headers'] as const;
export const REDACTED = '<redacted>';

/** A server's entry that is safe to show: the names in `env` and `headers`, not the values. */
export function redactConfig<Config extends object>(config: Config): Config {
  const shown: Record<string, unknown> = { ...(config as Record<string, unknown>) };
  for (const key of SECRET_MAPS) {
    const values = shown[key];
    if (typeof values === 'object' && values !== null) {
      shown[key] = Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]));
    } else if (values !== undefined) shown[key] = REDACTED;
  }
  return shown as Config;
}

/** Shorter values are switches and numbers; hiding those would only garble the text. */
const SHORTEST_SECRET = 4;
const DEEPEST = 20;
const NONE: readonly string[] = [];

/**
 * Collects secrets, such as the values of servers' `env` and `headers`, and removes them from whatever is
 * shown.
 */
export class SecretValues {
  #longestFirst: readonly string[] = NONE;

  /** A server's entry, with its variables expanded or not. */
  add(config: object | undefined): void {
    for (const key of SECRET_MAPS) {
      const values = (config as Record<string, unknown> | undefined)?.[key];
      if (typeof values === 'object' && values !== null) this.addValues(Object.values(values));
    }
  }

  addValues(values: readonly unknown[]): void {
    // In "Bearer abc" the last word is the secret, and a server may quote it alone.
    const secrets = values
      .filter((value) => typeof value === 'string')
      .flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
      .filter(isSecret)
      // Also as it appears inside JSON text.
      .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
    if (secrets.length === 0) return;
    const all = new Set([...this.#longestFirst, ...secrets]);
    this.#longestFirst = [...all].sort((one, other) => other.length - one.length);
  }

  hide(text: string): string {
    return this.#longestFirst.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
  }

  /** A copy with secrets hidden in every string; anything but plain data is kept as it is. */
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

/** A reference to a variable is not a secret. */
function isSecret(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !/^\$\{\w+\}$/.test(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
