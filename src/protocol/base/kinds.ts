/** An object with keys: neither an array nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a field of any name: an assignment to `__proto__` would change the prototype instead. */
export function setOwn<Value>(record: Record<string, Value>, name: string, value: Value): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

/** What a value is, for an error message. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`;
}

type Defined<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Drops the fields that are undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}
