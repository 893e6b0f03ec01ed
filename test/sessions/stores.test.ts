/** `sessionStore` (issue 6): conversations are copied into a store, and gone on with from it, on both back ends (pain 29). */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSession,
  fileSessionStore,
  getSessionMessages,
  InMemorySessionStore,
  listSessions,
  type Options,
  query,
  type SDKMessage,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../src/testing/index.js';
import { collect, type Sandbox } from '../support/real-cli.js';
import { type ScriptedCli, scriptedCli } from '../support/scripted-cli.js';

let box: Sandbox;
let cli: ScriptedCli;
let machines = 0;

beforeAll(async () => {
  cli = await scriptedCli(({ body }) => {
    const said = JSON.stringify(body.messages);
    if (said.includes('HELP ME') && !said.includes('GET HELP')) return text('The helper is done.');
    if (said.includes('GET HELP') && !said.includes('"tool_result"')) {
      const input = {
        description: 'Help',
        prompt: 'HELP ME',
        subagent_type: 'general-purpose',
        run_in_background: false,
      };
      return toolUse('Agent', input);
    }
    return text(`Read ${body.messages.filter(({ role }) => role === 'assistant').length} answers.`);
  });
  box = cli.box;
});
afterAll(() => cli[Symbol.asyncDispose]());

/** The CLI on a machine without any conversation. */
function newMachine(): { options: Options; config: string } {
  machines += 1;
  const config = join(box.home, `machine-${machines}`);
  return { config, options: cli.options({ env: { CLAUDE_CONFIG_DIR: config } }) };
}

async function ask(prompt: string, options: Options) {
  const { messages, error } = await collect(query({ prompt, options }));
  const result = messages.findLast((message) => message.type === 'result');
  return { messages, error, result: result as Extract<SDKMessage, { type: 'result'; subtype: 'success' }> };
}

const projectKey = (): string => box.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');

/** Remembers the calls. */
class WatchedStore extends InMemorySessionStore {
  readonly calls: { key: SessionKey; entries: SessionStoreEntry[] }[] = [];

  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    this.calls.push({ key, entries });
    await super.append(key, entries);
  }
}

describe('the CLI', () => {
  it('has its transcript in the store, subagents too, and another machine goes on with it', async () => {
    const sessionStore = new WatchedStore();
    const first = newMachine();
    const { result } = await ask('GET HELP', { ...first.options, sessionStore });
    const key = { projectKey: projectKey(), sessionId: result.session_id };
    // The store has what the file has, but for the CLI's notes on its requests.
    const file = await readFile(
      join(first.config, 'projects', key.projectKey, `${key.sessionId}.jsonl`),
      'utf8',
    );
    const written = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as SessionStoreEntry)
      .filter(({ type }) => !type.startsWith('api-request'));
    expect(sessionStore.getEntries(key)).toHaveLength(written.length);
    expect(sessionStore.getEntries(key)).toEqual(expect.arrayContaining(written));
    expect(await sessionStore.listSubkeys(key)).toHaveLength(1);
    // A few calls, not one for each entry.
    expect(sessionStore.calls.length).toBeLessThan(8);

    const second = newMachine();
    const again = await ask('And now?', { ...second.options, sessionStore, resume: key.sessionId });
    expect(again.result).toMatchObject({ session_id: key.sessionId, result: 'Read 2 answers.' });
    const folder = join(second.config, 'projects', key.projectKey, key.sessionId, 'subagents');
    expect((await readdir(folder)).sort()).toEqual([
      expect.stringMatching(/^agent-.*\.jsonl$/),
      expect.stringMatching(/^agent-.*\.meta\.json$/),
    ]);
    const place = { dir: box.cwd, sessionStore };
    expect(await getSessionMessages(key.sessionId, place)).toHaveLength(6);
    expect(await listSessions(place)).toMatchObject([{ summary: 'And now?', firstPrompt: 'GET HELP' }]);
  });

  it('goes on with the last conversation of the store, and forks it', async () => {
    const sessionStore = new InMemorySessionStore();
    const { result } = await ask('One', { ...newMachine().options, sessionStore });
    const more = await ask('Two', { ...newMachine().options, sessionStore, continue: true });
    expect(more.result).toMatchObject({ session_id: result.session_id, result: 'Read 1 answers.' });
    const fork = { ...newMachine().options, sessionStore, resume: result.session_id, forkSession: true };
    const forked = await ask('Three', fork);
    expect(forked.result.session_id).not.toBe(result.session_id);
    expect(forked.result.result).toBe('Read 2 answers.');
    expect(sessionStore.size).toBe(2);
    // In a store without conversations there is none to continue, whatever is on the machine.
    const machine = newMachine();
    await ask('Here', machine.options);
    const fresh = await ask('Zero', {
      ...machine.options,
      sessionStore: new InMemorySessionStore(),
      continue: true,
    });
    expect(fresh.result.result).toBe('Read 0 answers.');
  });

  it('keeps what only this machine has when the store knows more', async () => {
    const sessionStore = new InMemorySessionStore();
    const here = newMachine();
    const { result } = await ask('One', { ...here.options, sessionStore });
    const resume = result.session_id;
    await ask('Two, elsewhere', { ...newMachine().options, sessionStore, resume });
    const back = await ask('Three, here', { ...here.options, sessionStore, resume });
    expect(back.result.result).toBe('Read 2 answers.');
    const words = JSON.stringify(await getSessionMessages(resume, { dir: box.cwd, sessionStore }));
    expect(words).toMatch(/One.*Two, elsewhere.*Three, here/);
    const path = join(here.config, 'projects', projectKey(), `${resume}.jsonl`);
    const ids = (await readFile(path, 'utf8')).match(/"uuid":"[^"]+"/g) ?? [];
    expect(ids.length).toBe(new Set(ids).size);
  });

  it('tells the store at once with `eager`, and has all in it when the result is read', async () => {
    const sessionStore = new WatchedStore();
    const options = { ...newMachine().options, sessionStore, sessionStoreFlush: 'eager' } as const;
    const session = createSession(options);
    const { session_id: sessionId } = await session.ask('One');
    const stored = JSON.stringify(sessionStore.getEntries({ projectKey: projectKey(), sessionId }));
    expect(stored).toContain('Read 0 answers.');
    const batched = new WatchedStore();
    const other = createSession({ ...newMachine().options, sessionStore: batched });
    const result = await other.ask('One');
    const key = { projectKey: projectKey(), sessionId: result.session_id };
    expect(JSON.stringify(batched.getEntries(key))).toContain('Read 0 answers.');
    expect(batched.calls.length).toBeLessThan(sessionStore.calls.length);
    await Promise.all([session.close(), other.close()]);
  });

  it('works on when the store fails, after three attempts and a word of it', async () => {
    let calls = 0;
    const sessionStore: SessionStore = {
      append: async () => {
        calls += 1;
        if (calls !== 2) throw new Error('The disk is full.');
      },
      load: async () => null,
    };
    // The second attempt of the first batch gets through; the batch after it never does.
    const { messages, result, error } = await ask('One', { ...newMachine().options, sessionStore });
    expect(error).toBeUndefined();
    expect(result.result).toBe('Read 0 answers.');
    expect(calls).toBe(5);
    expect(
      messages.filter((message) => 'subtype' in message && message.subtype === 'mirror_error'),
    ).toMatchObject([
      { error: 'The disk is full.', key: { projectKey: projectKey(), sessionId: result.session_id } },
    ]);
    expect(messages.some(({ type }) => String(type) === 'transcript_mirror')).toBe(false);
  });

  it.each([
    ['never answers', () => new Promise<never>(() => {}), /load\(\) timed out after 50 ms/],
    ['throws', () => Promise.reject(new Error('No connection.')), /load\(\) failed: No connection\./],
  ])('is not started when the store %s', async (_, load, message) => {
    const sessionStore: SessionStore = { append: async () => {}, load };
    const machine = newMachine();
    const resume = '00000000-0000-4000-8000-000000000000';
    const { error } = await ask('One', { ...machine.options, sessionStore, resume, loadTimeoutMs: 50 });
    expect(error).toMatchObject({ code: 'SESSION_STORE_FAILED' });
    expect(String(error)).toMatch(message);
    await expect(readdir(machine.config)).rejects.toThrow('ENOENT');
  });

  it('is not started when the query is closed while the store is asked', async () => {
    const sessionStore: SessionStore = { append: async () => {}, load: () => new Promise(() => {}) };
    const machine = newMachine();
    const options = { ...machine.options, sessionStore, resume: '00000000-0000-4000-8000-000000000000' };
    const running = query({ prompt: 'One', options });
    await running.close();
    expect((await collect(running)).messages).toEqual([]);
    expect(running.pid).toBeUndefined();
    await expect(readdir(machine.config)).rejects.toThrow('ENOENT');
  });

  it('is not led out of its folder by what a store says', async () => {
    const sessionStore = new InMemorySessionStore();
    const { result } = await ask('One', { ...newMachine().options, sessionStore });
    const sessionId = result.session_id;
    const entry = { type: 'user', uuid: 'x' };
    await sessionStore.append({ projectKey: projectKey(), sessionId, subpath: '../../../../outside' }, [
      entry,
    ]);
    const machine = newMachine();
    await mkdir(machine.config, { recursive: true });
    await ask('Two', { ...machine.options, sessionStore, resume: sessionId });
    const names = await readdir(box.home, { recursive: true });
    expect(names.filter((name) => name.includes('outside'))).toEqual([]);
  });
});

describe('options that cannot be', () => {
  const sessionStore = new InMemorySessionStore();
  it.each([
    [{ sessionStore, persistSession: false }, /`persistSession: false`/],
    [{ sessionStore, enableFileCheckpointing: true }, /enableFileCheckpointing/],
    [{ sessionStore: { load: async () => null } as never }, /append\(\) and load\(\)/],
    [{ sessionStore: 'redis' as never }, /must be an object/],
  ])('%o', (options: Options, message) => {
    expect(() => query({ prompt: 'x', options })).toThrow(message);
  });
});

describe('the runtime', () => {
  const runtimeOf = (answers: string[]) => {
    const model = scriptedModel(answers);
    return { model, runtime: embedded({ model }) };
  };

  it('keeps its conversations in the same store, and goes on with them', async () => {
    const sessionStore = new WatchedStore();
    const options: Options = { cwd: box.cwd, sessionStore };
    const first = runtimeOf(['An answer.']);
    const { result } = await ask('One', { ...options, runtime: first.runtime });
    expect(sessionStore.calls).toHaveLength(1);
    const place = { dir: box.cwd, sessionStore };
    expect(await listSessions(place)).toMatchObject([
      { sessionId: result.session_id, summary: 'One', cwd: box.cwd },
    ]);
    expect(await getSessionMessages(result.session_id, place)).toMatchObject([
      { type: 'user', message: { content: [{ type: 'text', text: 'One' }] } },
      { type: 'assistant', message: { content: [{ type: 'text', text: 'An answer.' }] } },
    ]);
    const second = runtimeOf(['Another.']);
    await ask('Two', { ...options, runtime: second.runtime, continue: true, sessionStoreFlush: 'eager' });
    expect(JSON.stringify(second.model.requests[0]?.messages)).toMatch(/One.*An answer\..*Two/);
    expect(sessionStore.calls.length).toBeGreaterThan(2);
  });

  it('goes on with a conversation of the CLI, and the CLI with one of the runtime', async () => {
    const sessionStore = new InMemorySessionStore();
    const begun = await ask('One, to the CLI', { ...newMachine().options, sessionStore });
    const { model, runtime } = runtimeOf(['Two, of the runtime.']);
    const resume = begun.result.session_id;
    const middle = await ask('Go on', { runtime, cwd: box.cwd, sessionStore, resume });
    expect(middle.result).toMatchObject({ session_id: resume, result: 'Two, of the runtime.' });
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/One, to the CLI.*Read 0 answers\..*Go on/);
    const last = await ask('And on', { ...newMachine().options, sessionStore, resume });
    expect(last.result).toMatchObject({ session_id: resume, result: 'Read 2 answers.' });
    expect(await getSessionMessages(resume, { dir: box.cwd, sessionStore })).toHaveLength(6);
  });
});

it('files in the folder of the CLI are its own conversations', async () => {
  const machine = newMachine();
  const { result } = await ask('In files', machine.options);
  const sessionStore = fileSessionStore(join(machine.config, 'projects'));
  expect(await listSessions({ dir: box.cwd, sessionStore })).toMatchObject([{ summary: 'In files' }]);
  const model = scriptedModel(['Yes.']);
  await ask('Still there?', {
    runtime: embedded({ model, sessionStore }),
    cwd: box.cwd,
    resume: result.session_id,
  });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('In files');
  await rm(machine.config, { recursive: true, force: true });
});

it('a hermetic query goes on with a conversation of a store, and leaves nothing on the machine', async () => {
  const sessionStore = new InMemorySessionStore();
  const options = { ...newMachine().options, sessionStore, hermetic: true };
  const { result } = await ask('One', options);
  const again = await ask('Two', { ...options, resume: result.session_id });
  expect(again.result).toMatchObject({ session_id: result.session_id, result: 'Read 1 answers.' });
});
