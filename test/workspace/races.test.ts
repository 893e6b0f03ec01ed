/** A program that exchanges a directory for a link, again and again, while files are read and written. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { localWorkspace } from '../../src/workspace/adapters/local.js';
import type { Workspace } from '../../src/workspace/workspace.js';

/** Renames are atomic: `victim` is the directory or the link, or for a moment nothing, in which a write may make it anew. */
const SWAPPER = `
const { renameSync, rmSync } = require('node:fs');
const { workerData: { root, state } } = require('node:worker_threads');
const flags = new Int32Array(state);
function become(name) {
  for (;;) {
    try {
      return renameSync(root + name, root + '/victim');
    } catch (error) {
      if (!['EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
      try {
        rmSync(root + '/victim', { recursive: true, force: true });
      } catch {}
    }
  }
}
while (Atomics.load(flags, 0) === 0) {
  renameSync(root + '/victim', root + '/directory');
  become('/link');
  renameSync(root + '/victim', root + '/link');
  become('/directory');
  Atomics.add(flags, 1, 1);
}
`;

interface Arena {
  readonly inside: Workspace;
  readonly root: string;
  readonly outside: string;
  swaps(): number;
  stop(): Promise<void>;
}

async function arena(): Promise<Arena> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'tenon-races-')));
  const [root, outside] = [join(base, 'root'), join(base, 'outside')];
  await mkdir(join(root, 'victim', 'deep'), { recursive: true });
  await mkdir(join(outside, 'deep'), { recursive: true });
  for (const name of ['a.txt', 'deep/a.txt', 'gone.txt']) {
    await writeFile(join(root, 'victim', name), 'inside');
    await writeFile(join(outside, name), 'outside');
  }
  await symlink(outside, join(root, 'link'));
  const state = new SharedArrayBuffer(8);
  const flags = new Int32Array(state);
  const worker = new Worker(SWAPPER, { eval: true, workerData: { root, state } });
  const hasExited = new Promise((resolve) => worker.once('exit', resolve));
  return {
    inside: localWorkspace(root),
    root,
    outside,
    swaps: () => Atomics.load(flags, 1),
    stop: async () => {
      Atomics.store(flags, 0, 1);
      await hasExited;
      await rm(base, { recursive: true, force: true });
    },
  };
}

type Act = (arena: Arena, count: number) => Promise<'inside' | 'outside' | 'done'>;

/** Runs it thousands of times, and until it has met the link. */
async function provoked(place: Arena, act: Act): Promise<Record<string, number>> {
  const seen: Record<string, number> = { inside: 0, outside: 0, done: 0, refused: 0 };
  const isEnough = (): boolean => place.swaps() > 100 && seen.refused !== 0;
  for (let count = 0; count < 3000 || !(isEnough() || count > 1_000_000); count += 1) {
    const outcome = await act(place, count).catch(() => 'refused');
    seen[outcome] = (seen[outcome] ?? 0) + 1;
  }
  return seen;
}

const ACTS: Record<string, Act> = {
  read: async ({ inside, root }, count) => {
    const path = join(root, 'victim', count % 2 === 0 ? 'a.txt' : 'deep/a.txt');
    return new TextDecoder().decode(await inside.read(path)) as 'inside';
  },
  write: async ({ inside, root }, count) => {
    await inside.write(join(root, 'victim', `made/w${count % 10}.txt`), new TextEncoder().encode('inside'));
    return 'done';
  },
  list: async ({ inside, root }) => {
    const names = (await inside.list(join(root, 'victim'))).map(({ name }) => name);
    return names.includes('only-outside.txt') ? 'outside' : 'inside';
  },
  remove: async ({ inside, root }) => {
    await inside.remove(join(root, 'victim', 'gone.txt'));
    return 'done';
  },
  exec: async ({ inside, root }) => {
    let output = '';
    const running = inside.exec?.('cat a.txt', {
      cwd: join(root, 'victim'),
      env: { PATH: process.env.PATH },
      onOutput: (chunk) => {
        output += Buffer.from(chunk).toString();
      },
    });
    await running?.ended;
    return output as 'inside';
  },
};

const isLinux = process.platform === 'linux';

it.runIf(isLinux).each(Object.keys(ACTS).filter((name) => name !== 'exec'))(
  'R48: %s never reaches what a directory was exchanged for meanwhile',
  { timeout: 300_000 },
  async (name) => {
    const place = await arena();
    try {
      await writeFile(join(place.outside, 'only-outside.txt'), 'outside');
      const before = await contents(place.outside);
      const seen = await provoked(place, ACTS[name] as Act);
      expect(seen.outside).toBe(0);
      expect(await contents(place.outside)).toEqual(before);
      // Otherwise nothing was tested.
      expect(place.swaps()).toBeGreaterThan(100);
      expect(seen.refused).toBeGreaterThan(0);
      expect((seen.inside ?? 0) + (seen.done ?? 0)).toBeGreaterThan(0);
    } finally {
      await place.stop();
    }
  },
);

it.runIf(isLinux)(
  'R48: a command starts in the directory that was asked for, or not at all',
  { timeout: 300_000 },
  async () => {
    const place = await arena();
    try {
      const seen: string[] = [];
      for (let count = 0; count < 100; count += 1) {
        seen.push(await (ACTS.exec as Act)(place, count).catch(() => 'refused'));
      }
      expect(seen).not.toContain('outside');
      expect(seen).toContain('inside');
    } finally {
      await place.stop();
    }
  },
);

async function contents(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (path) => [path, await readFile(path, 'utf8')] as const)),
  );
}
