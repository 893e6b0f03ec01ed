/**
 * The JSON Schemas that models are shown, written down. After a purposeful change:
 * `TENON_GOLDEN=write npx vitest run test/authoring/schemas && npx biome check --write test/authoring/schemas/golden`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const isWriting = process.env.TENON_GOLDEN === 'write';

export interface Golden {
  /** Fails where the value is not what the file has under this name. */
  check(name: string, value: unknown): void;
}

/** The golden file of one library; call it where tests are collected. */
export function goldenFile(library: string): Golden {
  const url = new URL(`golden/${library.toLowerCase().replaceAll(' ', '-')}.json`, import.meta.url);
  const expected: Record<string, unknown> = isWriting ? {} : JSON.parse(readFileSync(url, 'utf8'));
  const seen = new Set<string>();
  afterAll(() => {
    if (isWriting) writeFileSync(url, `${JSON.stringify(expected, null, 2)}\n`);
    // A row that no test asks for is a row that nobody checks.
    expect(Object.keys(expected).filter((name) => !seen.has(name))).toEqual([]);
  });
  return {
    check(name, value) {
      seen.add(name);
      if (isWriting) expected[name] = value;
      expect(value, name).toEqual(expected[name]);
    },
  };
}
