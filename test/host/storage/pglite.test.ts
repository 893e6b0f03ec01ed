/** The storage in a directory: no server, and nothing lost with the program (R60). */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../../src/host/index.js';
import { lockDirectory } from '../../../src/host/storage/postgres/directory-lock.js';
import { postgresStorage } from '../../../src/host/storage/postgres/index.js';
import { ITS_PACKAGES, installBuilt } from '../../support/built-package.js';
import { startWorker } from './support/worker.js';

const REF = { tenant: 'acme', session: 'user-7' };
const PROMPT = { kind: 'prompt', body: 'hello' } as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-pglite-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the storage in a directory', () => {
  it('survives a program that is killed in the middle of its writes, and serves one program at a time', async () => {
    const directory = join(folder, 'killed');
    await using worker = startWorker({ directory });
    const flood = worker.run('flood', REF, 'a', 100_000);
    await expect.poll(() => worker.said.length).toBeGreaterThan(100);
    const mine = postgresStorage({ directory });
    await expect(mine.open()).rejects.toThrow(`in use by process ${worker.process.pid}`);
    worker.process.kill('SIGKILL');
    await expect(flood).rejects.toThrow('gone');
    // The same storage, without a restart of this program: what was refused is tried again.
    await mine.open();
    const { lease } = await mine.leases.acquire(REF, { owner: 'test', ttlMs: 60_000 });
    const bodies = (await mine.inbox.read(lease as Lease, { limit: 10_000 })).map(({ body }) => body);
    expect(bodies.length).toBeGreaterThanOrEqual(worker.said.length);
    expect(bodies).toEqual(bodies.map((_, index) => ['a', index]));
    const { id } = await mine.approvals.ask(lease as Lease, 'toolu_1', { question: 'May I?' });
    await mine.commit(lease as Lease, { release: { state: 'waiting' } });
    await expect(postgresStorage({ directory }).open()).rejects.toThrow(`in use by process ${process.pid}`);
    await mine.close();

    // Closed and opened again, with the approval still waiting (acceptance 4).
    const next = postgresStorage({ directory });
    expect((await next.approvals.list()).map((each) => each.id)).toEqual([id]);
    expect(await next.approvals.answer(id, { behavior: 'allow' })).toBe('taken');
    expect((await next.sessions.get(REF))?.state).toBe('queued');
    await next.close();
  });

  it('does not wait for the leases of a program that was killed, and counts the crash (R61)', async () => {
    const directory = join(folder, 'leases');
    const others = ['lost', 'parked'].map((session) => ({ ...REF, session }));
    await using worker = startWorker({ directory });
    for (const ref of others) {
      await worker.call('inbox', 'send', ref, PROMPT);
      await worker.call('leases', 'acquire', ref, { owner: 'victim', ttlMs: 3_600_000 });
    }
    worker.process.kill('SIGKILL');
    await expect.poll(() => worker.process.signalCode).toBe('SIGKILL');
    const mine = postgresStorage({ directory });
    expect(await mine.sessions.counts()).toMatchObject({ queued: 2, running: 0 });
    const options = { owner: 'next', ttlMs: 3_600_000 };
    const refused = await mine.leases.acquire({ ...REF, session: 'parked' }, { ...options, maxCrashes: 1 });
    expect(refused).toMatchObject({ refused: 'parked', reason: /1 times.*"victim"/ });
    const [lease] = await mine.leases.claim({ ...options, count: 10 });
    expect(lease).toMatchObject({ session: 'lost', crashes: 1 });
    await mine.close();
  });

  it('is not kept from its directory by a process that has the number of the one before', async () => {
    const directory = join(folder, 'stale');
    await mkdir(directory);
    for (const left of ['', `${process.pid} 1`, '1 1', '999999999 5']) {
      await writeFile(join(directory, 'lock'), left);
      const unlock = await lockDirectory(directory);
      expect(await readFile(join(directory, 'lock'), 'utf8')).toMatch(`${process.pid} `);
      await unlock();
      await expect(readFile(join(directory, 'lock'))).rejects.toThrow('ENOENT');
    }
    // Of several that find the same lock of a dead process, one gets the directory.
    await writeFile(join(directory, 'lock'), '999999999 5');
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => lockDirectory(directory)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    await expect(lockDirectory(join(directory, 'lock'))).rejects.toThrow(/cannot be used for a storage/);
  });

  it('leaves a client that it was given open, and hears of what another storage on it does', async () => {
    const client = await PGlite.create();
    const [writer, reader] = [postgresStorage({ client }), postgresStorage({ client })];
    let calls = 0;
    reader.watch({ kind: 'inbox', ...REF }, () => {
      calls += 1;
    });
    await expect.poll(() => calls).toBeGreaterThan(0);
    const before = calls;
    await writer.inbox.send(REF, PROMPT);
    await expect.poll(() => calls).toBeGreaterThan(before);
    await Promise.all([writer.close(), reader.close()]);
    expect((await client.query('SELECT count(*)::int AS count FROM tenon.inbox')).rows).toEqual([
      { count: 1 },
    ]);
    await client.close();
  });
});

describe('a package that is not installed', () => {
  it.each([
    ['pg', "{ connectionString: 'postgres://localhost/x' }"],
    ['@electric-sql/pglite', '{}'],
  ])('%s is named, with what to do', async (name, options) => {
    const project = join(folder, name.replace('/', '-'));
    await installBuilt(project, [...ITS_PACKAGES]);
    const main = join(project, 'main.mjs');
    await writeFile(
      main,
      `import { postgresStorage } from 'tenon/host/postgres';
       const storage = postgresStorage(${options});
       await storage.open().catch(({ code, message }) => console.log(code, message));
       await storage.close();`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [main], { cwd: project });
    expect(stdout).toContain(`PACKAGE_NOT_FOUND postgresStorage() needs the package "${name}"`);
    expect(stdout).toContain(`npm install ${name}`);
  });
});
