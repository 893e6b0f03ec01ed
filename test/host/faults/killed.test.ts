/** The program is killed with -9 at every moment of a turn, and another one goes on (R60, R64; scale 2). */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { binaries } from '../storage/support/postgres-server.js';
import { ground } from './support/ground.js';
import { effectsIn } from './support/look.js';
import { CASES, checkCase, KINDS, momentsOf, sendAll } from './support/moments.js';
import { startProgram } from './support/program.js';

describe.skipIf(binaries === undefined)('a program on PostgreSQL that is killed with -9', () => {
  const at = ground();

  it('at any moment: the next one goes on, no plain call is made twice, readers see each turn once, in order', async () => {
    const first = await at.start({ moments: momentsOf(CASES) });
    await sendAll(first, CASES);
    await first.kill();
    await at.start({ version: 'v2' });
    for (const each of CASES) await checkCase(each, at.storage, at.effects);
  });
});

describe('a program on PGlite that is killed with -9', () => {
  it('at any moment: the next one has all of it, and goes on at once (R61)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'faults-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const cases = CASES.filter(
      ({ kind }, index) => kind === KINDS[Math.floor(index / KINDS.length) % KINDS.length],
    );
    const directory = join(folder, 'storage');
    const effectsFile = join(folder, 'effects.jsonl');
    // A lease of ten minutes: who has the directory knows that nobody else is at work.
    const given = { place: { directory }, effectsFile, host: { lease: { ttlMs: 600_000 } } };
    await using first = await startProgram({ ...given, moments: momentsOf(cases) });
    await sendAll(first, cases);
    await first.kill();
    await using second = await startProgram({ ...given, version: 'v2' });
    for (const { ref } of cases)
      await expect.poll(async () => (await second.call('session', ref))?.state).toBe('idle');
    await second.kill('SIGTERM');
    const storage = postgresStorage({ directory });
    onTestFinished(() => storage.close());
    for (const each of cases) await checkCase(each, storage, () => effectsIn(effectsFile));
  });
});
