/** A program that is killed in the middle of a call, at every moment, and the one that goes on (R64, acceptance 1 and 2). */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const host = fileURLToPath(new URL('../../fixtures/hosts/durable.mjs', import.meta.url));
const SESSION = '99999999-9999-4999-8999-999999999999';
const UNKNOWN = expect.stringMatching(/^The outcome of this call is unknown: .* it was not made again\.$/);

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-killed-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Runs a program to its end; what it printed, and the signal that ended it. */
function program(args: string[]): Promise<{ printed: string; signal: string | null }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [host, ...args], (error, printed, stderr) => {
      const signal = (error as { signal?: string } | null)?.signal ?? null;
      if (error !== null && signal === null) reject(new Error(stderr));
      else resolve({ printed, signal });
    });
  });
}

async function killedAndResumed(kind: string, moment: string) {
  const directory = await mkdtemp(join(root, 'program-'));
  expect(await program([directory, kind, moment, ''])).toEqual({ printed: '', signal: 'SIGKILL' });
  const { printed, signal } = await program([directory, kind, '', SESSION]);
  expect(signal).toBeNull();
  const file = join(directory, 'effects.jsonl');
  const effects = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return { ...(JSON.parse(printed) as { told: string[]; result: string }), effects };
}

type Expected = [moment: string, effects: number, told: unknown];

describe.each<[string, Expected[]]>([
  [
    'plain',
    [
      ['before begin is stored', 1, 'Paid.'],
      ['after begin, before the handler', 0, UNKNOWN],
      ['in the handler', 0, UNKNOWN],
      ['after the effect, before end', 1, UNKNOWN],
      ['after end, before the result is stored', 1, 'Paid.'],
    ],
  ],
  [
    'idempotent',
    [
      ['in the handler', 1, 'Paid.'],
      ['after the effect, before end', 2, 'Paid.'],
      ['after end, before the result is stored', 1, 'Paid.'],
    ],
  ],
  [
    'reconciling',
    [
      ['in the handler', 1, 'Paid.'],
      ['after the effect, before end', 1, 'Found.'],
      ['after end, before the result is stored', 1, 'Paid.'],
    ],
  ],
])('a program with a tool that is %s, killed', (kind, moments) => {
  it.each(moments)('%s: %i effects, and the model is told so', async (moment, effects, told) => {
    const seen = await killedAndResumed(kind, moment);
    expect(seen.effects).toHaveLength(effects);
    // The same key at every attempt: whoever has the effect can tell that it is one.
    expect(new Set(seen.effects).size).toBeLessThanOrEqual(1);
    expect(seen.told).toEqual([told]);
    expect(seen.result).toBe('Done.');
  });
});
