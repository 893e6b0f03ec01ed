/** JSON with the line of each value, so that a message about a file can say where. */
export interface JsonDocument {
  readonly value: unknown;
  /** The line, from 1, of the value at this path, or of the nearest enclosing value if it does not exist. */
  lineOf(path: readonly (string | number)[]): number;
  /** Keys that occur twice in one object: JSON silently keeps the last. */
  readonly duplicates: readonly { path: readonly string[]; line: number }[];
}

export class JsonSyntaxError extends Error {
  readonly line: number;

  constructor(line: number, column: number, problem: string) {
    super(`${problem} at line ${line}, column ${column}`);
    this.line = line;
  }
}

const [TAB, LINE_FEED, CARRIAGE_RETURN, SPACE] = [9, 10, 13, 32];

type Path = readonly (string | number)[];

const keyOf = (path: Path): string => JSON.stringify(path);

/** Records lines for what is on the path `under` and below it; the rest of a large file is only parsed. */
export function parseJson(text: string, under: readonly string[] = []): JsonDocument {
  const reader = new JsonReader(text, under);
  const value = reader.document();
  return {
    value,
    duplicates: reader.duplicates,
    lineOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const line = reader.lines.get(keyOf(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

/** JSON according to RFC 8259; a byte order mark at the start is skipped. */
class JsonReader {
  readonly lines = new Map<string, number>();
  readonly duplicates: { path: string[]; line: number }[] = [];
  readonly #text: string;
  readonly #under: readonly string[];
  #at = 0;
  #line = 1;
  #lineStart = 0;

  constructor(text: string, under: readonly string[]) {
    this.#under = under;
    this.#text = text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  document(): unknown {
    const value = this.#value([]);
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('Unexpected text after the end of the JSON value');
    return value;
  }

  #value(path: Path): unknown {
    this.#skipSpace();
    this.#note(path, this.#line);
    const character = this.#text[this.#at];
    if (character === '{') return this.#object(path);
    if (character === '[') return this.#array(path);
    if (character === '"') return this.#string();
    const word = /[-\w.+]*/y;
    word.lastIndex = this.#at;
    const literal = word.exec(this.#text)?.[0] ?? '';
    try {
      const value: unknown = JSON.parse(literal);
      this.#at += literal.length;
      return value;
    } catch {
      return this.#fail(
        literal === '' ? `Expected a value, found ${this.#found()}` : `"${literal}" is not a JSON value`,
      );
    }
  }

  #object(path: Path): object {
    const members: [string, unknown][] = [];
    const seen = new Set<string>();
    this.#list('}', () => {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') this.#fail(`Expected a key in double quotes, found ${this.#found()}`);
      const line = this.#line;
      const key = this.#string();
      if (seen.has(key) && this.#isNear(path))
        this.duplicates.push({ path: [...path.map(String), key], line });
      seen.add(key);
      this.#skipSpace();
      if (this.#text[this.#at] !== ':')
        this.#fail(`Expected ":" after the key "${key}", found ${this.#found()}`);
      this.#at += 1;
      members.push([key, this.#value([...path, key])]);
      this.#note([...path, key], line);
    });
    // `fromEntries` defines properties: `__proto__` is a key like any other.
    return Object.fromEntries(members);
  }

  #array(path: Path): unknown[] {
    const items: unknown[] = [];
    this.#list(']', () => items.push(this.#value([...path, items.length])));
    return items;
  }

  #list(end: '}' | ']', item: () => void): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#text[this.#at] === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      item();
      this.#skipSpace();
      const separator = this.#text[this.#at];
      if (separator !== ',' && separator !== end)
        this.#fail(`Expected "," or "${end}", found ${this.#found()}`);
      this.#at += 1;
      if (separator === end) return;
    }
  }

  #string(): string {
    const quoted = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y;
    quoted.lastIndex = this.#at;
    const raw = quoted.exec(this.#text)?.[0];
    if (raw === undefined) return this.#fail('A string is not closed on its line');
    try {
      const value = JSON.parse(raw) as string;
      this.#at += raw.length;
      return value;
    } catch {
      return this.#fail('A string contains an invalid escape or control character');
    }
  }

  #note(path: Path, line: number): void {
    if (this.#isNear(path)) this.lines.set(keyOf(path), line);
  }

  /** On the path, next to it, or below its end. */
  #isNear(path: Path): boolean {
    return this.#under.every((key, depth) => depth >= path.length - 1 || path[depth] === key);
  }

  #skipSpace(): void {
    const text = this.#text;
    let at = this.#at;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === LINE_FEED) {
        this.#line += 1;
        this.#lineStart = at + 1;
      } else if (code !== SPACE && code !== TAB && code !== CARRIAGE_RETURN) break;
      at += 1;
    }
    this.#at = at;
  }

  /** At most one character of the text: it may be in the middle of a secret. */
  #found(): string {
    const character = this.#text[this.#at];
    return character === undefined ? 'the end of the file' : JSON.stringify(character);
  }

  #fail(problem: string): never {
    throw new JsonSyntaxError(this.#line, this.#at - this.#lineStart + 1, problem);
  }
}
