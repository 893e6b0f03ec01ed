/** Conversations that are kept, gone on with, branched and broken off. */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Options } from '../../src/index.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { memoryTransportPair } from '../../src/protocol/transport/memory-transport.js';
import type { Frame } from '../../src/protocol/wire/frames.js';
import {
  fileSessionStore,
  InMemorySessionStore,
  parseFlags,
  type SessionStore,
  type SessionStoreEntry,
  serveRuntime,
} from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { call, expectWellFormed, type Loose, run, said, server, talk } from './support.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-sessions-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const folder = (): string => join(root, randomUUID());
const cwd = '/work';

/** One prompt in a process of its own, as far as the store can tell. */
async function say(prompt: string, sessionStore: SessionStore, options: Options = {}) {
  const { session, model } = talk(
    (_, index) => `${prompt} answered ${index}`,
    { cwd, ...options },
    { sessionStore },
  );
  const messages: Loose[] = [];
  session.send(prompt);
  for await (const message of session.stream()) messages.push(message as unknown as Loose);
  await session.close();
  const [request] = model.requests;
  if (request !== undefined) expectWellFormed(request.messages);
  return { request, messages, id: String(messages.at(-1)?.session_id) };
}

describe.each([
  ['memory', () => new InMemorySessionStore()],
  ['a file', () => fileSessionStore(folder())],
])('a conversation in %s', (_, makeStore) => {
  it('is gone on with under its id', async () => {
    const store = makeStore();
    const { id } = await say('One', store);
    const { request, id: same } = await say('Two', store, { resume: id });
    expect(same).toBe(id);
    expect(said(request)).toMatch(/One.*One answered 0.*Two/);
    const { request: third } = await say('Three', store, { resume: id });
    expect(said(third)).toMatch(/One.*Two.*Two answered 0.*Three/);
  });

  it('that is the last one is gone on with by `continue`, in its own directory only', async () => {
    const store = makeStore();
    await say('One', store);
    const { id } = await say('Two', store);
    const { id: same, request } = await say('Three', store, { continue: true });
    expect(same).toBe(id);
    expect(said(request)).not.toContain('One');
    const { id: other } = await say('Four', store, { continue: true, cwd: '/elsewhere' });
    expect(other).not.toBe(id);
  });

  it('can be forked: the old one stays as it was', async () => {
    const store = makeStore();
    const { id } = await say('One', store);
    const fork = await say('Two', store, { resume: id, forkSession: true });
    expect(fork.id).not.toBe(id);
    expect(said(fork.request)).toContain('One answered 0');
    expect(said((await say('Three', store, { resume: id })).request)).not.toContain('Two');
    expect(said((await say('Four', store, { resume: fork.id })).request)).toMatch(/One.*Two.*Four/);
  });

  it('can be gone back in, by the id of a line that the host has seen, and stays there', async () => {
    const store = makeStore();
    const { id, messages } = await say('One', store);
    const line = messages.find(({ type }) => type === 'assistant');
    await say('Two', store, { resume: id });
    const back = { resume: id, resumeSessionAt: String(line?.uuid) };
    const { request } = await say('Three', store, back);
    expect(said(request)).toMatch(/One answered 0.*Three/);
    expect(said(request)).not.toContain('Two');
    // What was given up does not come back later.
    const { request: after } = await say('Four', store, { resume: id });
    expect(said(after)).toMatch(/One answered 0.*Three.*Three answered 0.*Four/);
    expect(said(after)).not.toContain('Two');
  });

  it('can have an id of the user, but only once, and only a UUID', async () => {
    const store = makeStore();
    const sessionId = randomUUID();
    expect((await say('One', store, { sessionId })).id).toBe(sessionId);
    const again = await run([], { sessionId, cwd }, { sessionStore: store });
    expect(String(again.error)).toContain('already in use');
    const invalid = await run([], { extraArgs: { 'session-id': 'mine' }, cwd }, { sessionStore: store });
    expect(String(invalid.error)).toContain('is not a UUID');
  });

  it.each([randomUUID(), '../../etc/passwd'])(
    'that is not there (%s) is an error before any request',
    async (resume) => {
      const { error, result, model } = await run([], { resume, cwd }, { sessionStore: makeStore() });
      expect(result).toMatchObject({
        is_error: true,
        errors: [`No conversation found with session ID: ${resume}`],
      });
      expect(error).toBeUndefined();
      expect(model.requests).toHaveLength(0);
    },
  );

  it('that is not to be kept is not kept', async () => {
    const store = makeStore();
    const { id } = await say('One', store, { persistSession: false });
    expect((await run([], { resume: id, cwd }, { sessionStore: store })).result).toMatchObject({
      is_error: true,
    });
  });
});

describe('a crash', () => {
  async function crashed(change: (lines: string[]) => string) {
    const directory = folder();
    const s = server({ a: () => 'A' });
    const first = await run(
      [{ text: 'I call.', toolUses: [call('a'), call('a')] }, 'Done.'],
      { cwd, mcpServers: { s }, allowedTools: ['mcp__s'] },
      { sessionStore: fileSessionStore(directory) },
    );
    const [project = ''] = await readdir(directory);
    const [file = ''] = await readdir(join(directory, project));
    const path = join(directory, project, file);
    const lines = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, change(lines));
    return { directory, path, id: String(first.result.session_id) };
  }

  // The lines: the prompt, the words and the two calls of the answer, the two results, the last words.
  it.each([
    [
      'in the line of a result',
      (lines: string[]) => `${lines.slice(0, 5).join('\n')}\n${lines[5]?.slice(0, 40)}`,
    ],
    [
      'in the line of a call',
      (lines: string[]) => `${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 40)}`,
    ],
    ['that lost the line of a call', (lines: string[]) => lines.toSpliced(2, 1).join('\n')],
    ['that lost the line of a result', (lines: string[]) => lines.toSpliced(4, 1).join('\n')],
    ['that lost all results', (lines: string[]) => lines.toSpliced(4, 2).join('\n')],
    ['at the very beginning', () => ''],
  ])('%s leaves a conversation that can be gone on with, more than once', async (_, change) => {
    const { directory, id } = await crashed(change);
    const store = () => fileSessionStore(directory);
    await say('Two', store(), { resume: id });
    const { request } = await say('Three', store(), { resume: id });
    // Nothing that was said after the crash is lost.
    expect(said(request)).toMatch(/Two.*Two answered 0.*Three/);
  });

  it('of the disk is told, and the answer still comes', async () => {
    const broken: SessionStore = {
      load: async () => null,
      append: async () => {
        throw new Error('The disk is full.');
      },
    };
    const { messages, result } = await run(['Hello.'], {}, { sessionStore: broken });
    expect(messages.find(({ subtype }) => subtype === 'mirror_error')).toMatchObject({
      error: 'The disk is full.',
    });
    expect(result).toMatchObject({ result: 'Hello.' });
  });

  it('of one write is told, also when the next one gets through', async () => {
    const kept: string[] = [];
    const sessionStore: SessionStore = {
      load: async () => null,
      append: async (_, entries) => {
        if (entries.some(({ type }) => type === 'user')) throw new Error('The disk was full.');
        kept.push(...entries.map(({ type }) => type));
      },
    };
    const { messages } = await run(['Hello.'], { sessionStore, sessionStoreFlush: 'eager' });
    expect(kept).toEqual(['assistant', 'last-prompt']);
    const told = messages.filter(({ subtype }) => subtype === 'mirror_error');
    expect(told).toMatchObject([{ error: 'The disk was full.' }]);
  });

  describe('of a store that never answers', () => {
    const never = () => new Promise<never>(() => {});
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    /** Runs with a clock that is as far on as anybody waits for a store. */
    async function atTheEndOfPatience(options: Options, method: keyof SessionStore) {
      let isAsked = (): void => {};
      const asked = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      const hang = () => {
        isAsked();
        return never();
      };
      const sessionStore = { append: async () => {}, load: async () => null, [method]: hang };
      const running = run(['Hello.'], { ...options, sessionStore });
      await asked;
      await vi.advanceTimersByTimeAsync(options.loadTimeoutMs ?? LIMITS.storeCallMs);
      return running;
    }

    it('the answer still comes, after a word of it', async () => {
      const { messages, result } = await atTheEndOfPatience({}, 'append');
      expect(messages.find(({ subtype }) => subtype === 'mirror_error')).toMatchObject({
        error: `SessionStore.append() timed out after ${LIMITS.storeCallMs} ms`,
      });
      expect(result).toMatchObject({ result: 'Hello.' });
    });

    it('a conversation that is to be gone on with is an error, not a wait without an end', async () => {
      const { result } = await atTheEndOfPatience({ resume: randomUUID() }, 'load');
      expect(result).toMatchObject({ errors: [expect.stringContaining('SessionStore.load() timed out')] });
    });

    it('`loadTimeoutMs` says how long it is waited for, as with the CLI', async () => {
      const { result } = await atTheEndOfPatience({ resume: randomUUID(), loadTimeoutMs: 2_000 }, 'load');
      expect(result).toMatchObject({
        errors: [expect.stringContaining('SessionStore.load() timed out after 2000 ms')],
      });
    });
  });
});

it('what was said before the end of the input is answered, however long the store takes', async () => {
  const store = new InMemorySessionStore();
  const { id } = await say('One', store);
  const slow: SessionStore = {
    append: (key, entries) => store.append(key, entries),
    load: async (key) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return store.load(key);
    },
  };
  const [host, agent] = memoryTransportPair();
  const frames: Frame[] = [];
  const flags = parseFlags([`--resume=${id}`], JSON.parse);
  const config = { model: scriptedModel(['Two.']), sessionStore: slow };
  const running = serveRuntime(agent, config, { flags, cwd, reportsState: false });
  host.start({
    frame: (frame) => frames.push(frame),
    noise: () => {},
    dropped: () => {},
    stderr: () => {},
    end: () => {},
  });
  host.send({ type: 'user', message: { role: 'user', content: 'Two?' } });
  host.endInput();
  expect(await running.finished).toBe(0);
  expect(frames.at(-1)).toMatchObject({ type: 'result', result: 'Two.' });
});

it('everything that a result stands for is in the store when the host reads the result', async () => {
  const kept: SessionStoreEntry[] = [];
  const sessionStore: SessionStore = {
    append: async (_, entries) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      kept.push(...entries);
    },
    load: async () => kept,
  };
  const { session } = talk(['Hello.'], { cwd }, { sessionStore });
  await session.ask('One');
  expect(kept.map(({ type }) => type)).toEqual(['user', 'assistant', 'last-prompt']);
  await session.close();
});

describe('a history that is given', () => {
  const pair = [
    { role: 'user' as const, content: 'Add.' },
    { role: 'assistant' as const, content: [{ type: 'tool_use' as const, id: 't', name: 'add', input: {} }] },
    { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 't', content: '3' }] },
    { role: 'assistant' as const, content: 'It is 3.' },
  ];

  it('is what was said before the first prompt, and is not said again when the conversation is gone on with (pain 58, wish 20)', async () => {
    const sessionStore = new InMemorySessionStore();
    const first = await run(['Hello.'], { cwd }, { history: pair, sessionStore });
    expect(first.model.requests[0]?.messages).toHaveLength(5);
    const resume = String(first.result.session_id);
    const second = await run(['Hello.'], { cwd, resume }, { history: pair, sessionStore });
    expect(second.model.requests[0]?.messages).toHaveLength(7);
  });

  it.each([
    ['a call without a result', pair.slice(0, 2), /history\[1\].*"t" has no result/],
    ['a result without a call', pair.slice(2), /history\[0\].*"t" answers no call/],
    ['a result too late', [pair[0], pair[1], pair[3], pair[2]], /history\[1\].*"t" has no result/],
  ])('with %s is refused before any request', async (_, history, reason) => {
    const { error, model } = await run([], { cwd }, { history: history as never });
    expect(String(error)).toMatch(reason);
    expect(model.requests).toHaveLength(0);
  });
});

it.each([
  ['memory', () => new InMemorySessionStore()],
  ['a file', () => fileSessionStore(folder())],
])('a conversation of 140,000 messages in %s is gone on with, and forked', async (_, makeStore) => {
  const store = makeStore();
  const sessionId = randomUUID();
  const entries = Array.from({ length: 140_000 }, (_each, index): SessionStoreEntry => {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    const parentUuid = index === 0 ? null : `m${index - 1}`;
    return {
      type: role,
      uuid: `m${index}`,
      parentUuid,
      sessionId,
      message: { role, content: `Words ${index}` },
    };
  });
  await store.append({ projectKey: '-work', sessionId }, entries);
  for (const forkSession of [false, true]) {
    const options = { cwd, resume: sessionId, forkSession };
    const { model, result } = await run(['Still here.'], options, { sessionStore: store, context: false });
    expect(result).toMatchObject({ result: 'Still here.' });
    expect(model.requests[0]?.messages).toHaveLength(forkSession ? 140_003 : 140_001);
  }
});

it('a line of a file that is no JSON is passed over', async () => {
  const directory = folder();
  const { id } = await say('One', fileSessionStore(directory));
  const [project = ''] = await readdir(directory);
  await appendFile(join(directory, project, `${id}.jsonl`), 'garbage\n');
  const { request } = await say('Two', fileSessionStore(directory), { resume: id });
  expect(said(request)).toMatch(/One answered 0.*Two/);
});
