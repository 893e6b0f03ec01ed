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
  /** As they stand in a line of JSON: a text in it is escaped, and JSON in that text once more. */
  #inLines: readonly { probe: string; secret: string }[] = [];

  /** A server's entry, with its variables expanded or not. */
  add(config: object | undefined): void {
    for (const key of SECRET_MAPS) {
      const values = (config as Record<string, unknown> | undefined)?.[key];
      if (typeof values === 'object' && values !== null) this.addValues(Object.values(values));
    }
    const { oauth, url } = (config ?? {}) as { oauth?: { clientSecret?: unknown } | null; url?: unknown };
    this.addValues([oauth?.clientSecret, ...secretsOfUrl(url)]);
  }

  addValues(values: readonly unknown[]): void {
    // In "Bearer abc" the last word is the secret, and a server may quote it alone.
    const secrets = values
      .filter((value) => typeof value === 'string')
      .flatMap((value) => [value, value.split(' ').at(-1) ?? ''])
      .filter(isSecret)
      // Also as it appears inside JSON text.
      .flatMap((secret) => [secret, escaped(secret)]);
    if (secrets.length === 0) return;
    const all = new Set([...this.#longestFirst, ...secrets]);
    this.#longestFirst = [...all].sort((one, other) => other.length - one.length);
    const inLines = new Set([...all].flatMap((secret) => [secret, escaped(secret)]));
    this.#inLines = [...inLines].map((secret) => ({ probe: probeOf(secret), secret }));
  }

  hide(text: string): string {
    return this.#longestFirst.reduce((shown, secret) => shown.replaceAll(secret, REDACTED), text);
  }

  /** Whether a line of JSON may have one in it, at any depth: false means that nothing needs to be hidden. */
  mayBeIn(line: string): boolean {
    return this.#inLines.some(({ probe, secret }) => line.includes(probe) && line.includes(secret));
  }

  /** For a text that comes in parts. */
  stream(): HiddenStream {
    return new HiddenStream(
      (text) => this.hide(text),
      (text) => this.#safeLength(text),
    );
  }

  /** How much of a text can be hidden and shown, whatever follows: the rest may be the beginning of a secret. */
  #safeLength(text: string): number {
    let safe = text.length - Math.max(0, ...this.#longestFirst.map((secret) => begun(secret, text)));
    // Not through the middle of one that is complete.
    for (let before = -1; before !== safe; ) {
      before = safe;
      for (const secret of this.#longestFirst) {
        const start = text.indexOf(secret, Math.max(0, safe - secret.length + 1));
        if (start !== -1 && start < safe) safe = start;
      }
    }
    return safe;
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

/** The password, and parameters whose name tells. */
function secretsOfUrl(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  const named = [...searchParams].filter(([name]) => /key|token|secret|password|auth/i.test(name));
  return [password, ...named.map(([, value]) => value)];
}

const SECRET_NAME = /(key|token|secret|password|passwd|credentials?|auth)s?(_|$)/i;
const SHORTEST_VARIABLE = 6;
/** Switches, numbers, and paths such as that of SSH_AUTH_SOCK. */
const HARMLESS_VALUE = /^(?:\d+|true|false|none|null|\/[\w.-]+\/.*|[A-Za-z]:\\.*)$/;

/** The values of an environment that are secret by the name of their variable, and passwords of URLs. */
export function secretVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (SECRET_NAME.test(name) && value.length >= SHORTEST_VARIABLE && !HARMLESS_VALUE.test(value)) {
      return [value];
    }
    return value.includes('://') ? secretsOfUrl(value).filter((secret) => secret !== '') : [];
  });
}

/** Hides secrets in a text that comes in parts, also one that is divided between them. */
export class HiddenStream {
  readonly #hide: (text: string) => string;
  readonly #safeLength: (text: string) => number;
  #rest = '';

  constructor(hide: (text: string) => string, safeLength: (text: string) => number) {
    this.#hide = hide;
    this.#safeLength = safeLength;
  }

  /** What can be shown now. */
  push(text: string): string {
    const all = this.#rest + text;
    const safe = this.#safeLength(all);
    this.#rest = all.slice(safe);
    return this.#hide(all.slice(0, safe));
  }

  /** Nothing more comes: what can be shown of the rest. */
  end(): string {
    const rest = this.#rest;
    this.#rest = '';
    return this.#hide(rest);
  }
}

/** From the rarest in texts to the most frequent. */
const RARITY = [/[^a-z0-9 "'{}[\]:,._/\\-]/, /[jkqvwxyzbgh]/, /[0-9]/];
const LONGEST_PROBE = 6;

/**
 * A part of a secret that is quickly found to be missing: a search is fast if it looks for few characters, of which the
 * first is rare.
 */
function probeOf(secret: string): string {
  const beginnings = secret.slice(0, Math.max(1, secret.length - SHORTEST_SECRET));
  const found = RARITY.map((kind) => beginnings.search(kind)).find((at) => at !== -1) ?? 0;
  return secret.slice(found, found + LONGEST_PROBE);
}

function escaped(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

/** How long the beginning of the secret is with which the text ends. */
function begun(secret: string, text: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

/** A reference to a variable is not a secret. */
function isSecret(value: string): boolean {
  return value.length >= SHORTEST_SECRET && !/^\$\{\w+\}$/.test(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
