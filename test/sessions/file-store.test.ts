/** `fileSessionStore` beside other writers: killed ones, and ones that write at the same time (pain 29). */
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fileSessionStore, renameSession, type SessionStoreEntry } from '../../src/index.js';
import { clock, useClock } from '../../src/protocol/base/clock.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { within } from './support.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-file-store-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const key = { projectKey: '-work', sessionId: '11111111-1111-4111-8111-111111111111' };
const entry = (uuid: string): SessionStoreEntry => ({ type: 'user', uuid, parentUuid: null });

async function newStore() {
  const directory = await mkdtemp(join(root, 'projects-'));
  const path = join(directory, key.projectKey, `${key.sessionId}.jsonl`);
  const store = fileSessionStore(directory);
  const ids = async () => (await store.load(key))?.map(({ uuid }) => uuid);
  return { path, store, ids };
}

describe('a line that another writer has left half written', () => {
  it('does not swallow the next append, also after appends that went well', async () => {
    const { path, store, ids } = await newStore();
    await store.append(key, [entry('one')]);
    await appendFile(path, '{"type":"user","uuid":"torn","mess');
    await store.append(key, [entry('two')]);
    await appendFile(path, '{"type":"us');
    await store.append(key, [entry('three')], { after: 'two' });
    expect(await ids()).toEqual(['one', 'two', 'three']);
  });

  it('does not swallow a title', async () => {
    const config = await mkdtemp(join(root, 'config-'));
    const transcript = join(config, 'projects', key.projectKey, `${key.sessionId}.jsonl`);
    await mkdir(dirname(transcript), { recursive: true });
    await writeFile(transcript, `${JSON.stringify(entry('one'))}\n{"type":"us`);
    await within(config, () => renameSession(key.sessionId, 'A title'));
    const loaded = await fileSessionStore(join(config, 'projects')).load(key);
    expect(loaded?.map(({ type }) => type)).toEqual(['user', 'custom-title']);
  });
});

it('the last entry is found behind megabytes of notes', async () => {
  const { store } = await newStore();
  await store.append(key, [entry('one')]);
  await store.append(key, [{ type: 'note', text: 'x'.repeat(2_000_000) }]);
  await expect(store.append(key, [entry('other')], { after: null })).rejects.toMatchObject({
    code: 'SESSION_CONFLICT',
    key,
  });
  await store.append(key, [entry('two')], { after: 'one' });
});

it('appends keep the order of the calls, and leave no lock', async () => {
  const { store, ids, path } = await newStore();
  const names = Array.from({ length: 30 }, (_, index) => `entry ${index}`);
  await Promise.all(names.map((name) => store.append(key, [entry(name)])));
  expect(await ids()).toEqual(names);
  expect(await readdir(dirname(path))).toEqual([`${key.sessionId}.jsonl`]);
});

describe('a lock', () => {
  let restore = (): void => {};
  afterEach(() => restore());

  /** A clock on which every wait takes a second, and no time. */
  function hurry(eachWait: () => Promise<void> = async () => {}): void {
    let seconds = 0;
    restore = useClock({
      ...clock,
      monotonic: () => seconds * 1_000,
      setTimeout: (callback, milliseconds) => {
        // The limit of a call to a store is not what is waited for here.
        if (milliseconds > LIMITS.lockPollMs * 2) return clock.setTimeout(callback, milliseconds);
        seconds += 1;
        void eachWait().then(callback);
        return undefined as never;
      },
    });
  }

  it('of a process that was killed is taken over, by one of those that wait', async () => {
    const { path, store, ids } = await newStore();
    await store.append(key, [entry('one')]);
    await writeFile(`${path}.lock`, 'somebody');
    hurry();
    const another = fileSessionStore(dirname(dirname(path)));
    const outcomes = await Promise.allSettled([
      store.append(key, [entry('two')], { after: 'one' }),
      another.append(key, [entry('other')], { after: 'one' }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await ids()).toHaveLength(2);
    expect(await readdir(dirname(path))).toEqual([`${key.sessionId}.jsonl`]);
  });

  it('that changes hands all the time is not waited for without end', async () => {
    const { path, store, ids } = await newStore();
    await store.append(key, [entry('one')]);
    let owner = 0;
    const change = () => writeFile(`${path}.lock`, `owner ${owner++}`);
    await change();
    hurry(change);
    await expect(store.append(key, [entry('two')])).rejects.toThrow(/\.lock was not free for 60000 ms/);
    expect(await ids()).toEqual(['one']);
  });
});
