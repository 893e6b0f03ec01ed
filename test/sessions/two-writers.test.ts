/** Two turns at once on one stored conversation: one is stored, the other is told that it is not (pain 29). */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSession,
  fileSessionStore,
  getSessionMessages,
  InMemorySessionStore,
  isSuccess,
  type Options,
  query,
  ResultError,
  renameSession,
  type SDKResultMessage,
  type SessionStore,
} from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { appendTo } from '../../src/sessions/store-calls.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import { scriptedCli } from '../support/scripted-cli.js';

const tenonRuntime = fileURLToPath(new URL('../../dist/runtime/bin.js', import.meta.url));
const cwd = '/work';
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-writers-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const folder = (): Promise<string> => mkdtemp(join(root, 'store-'));

/** Passes when both have come to it. */
function meeting(): () => Promise<void> {
  let here = 0;
  let open = (): void => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    here += 1;
    if (here === 2) open();
    return both;
  };
}

async function resultOf(prompt: string, options: Options) {
  const { messages, error } = await collect(query({ prompt, options }));
  return { result: messages.findLast(({ type }) => type === 'result') as SDKResultMessage, error };
}

/** One of the two is a success and the other the typed failure; returns the words of the two. */
function oneIsTold(said: { words: string; result: SDKResultMessage; error?: unknown }[]): [string, string] {
  const [stored, ...more] = said.filter(({ result }) => isSuccess(result));
  const [told, ...others] = said.filter(({ result }) => !isSuccess(result));
  expect([more, others]).toEqual([[], []]);
  expect(told?.result).toMatchObject({
    subtype: 'error_during_execution',
    is_error: true,
    failure: {
      kind: 'session_conflict',
      retryable: false,
      message: expect.stringContaining('`forkSession`'),
    },
  });
  expect(told?.result).not.toHaveProperty('result');
  expect(told?.error).toBeInstanceOf(ResultError);
  return [stored?.words ?? '', told?.words ?? ''];
}

const ROUNDS = Array.from({ length: 10 }, (_, index) => index + 1);

describe.each([
  ['memory', async () => new InMemorySessionStore()],
  ['files', async () => fileSessionStore(await folder())],
] as [string, () => Promise<SessionStore>][])('with a store in %s', (_, makeStore) => {
  const ask = (
    prompt: string,
    sessionStore: SessionStore,
    answer: () => Promise<string>,
    more: Options = {},
  ) => resultOf(prompt, { runtime: embedded({ model: scriptedModel(answer) }), cwd, sessionStore, ...more });

  it.each(['batched', 'eager'] as const)(
    'one turn is kept and the other told, ten times of ten (%s)',
    async (sessionStoreFlush) => {
      const store = await makeStore();
      const { result } = await ask('One', store, async () => 'Yes.');
      const resume = result.session_id;
      let kept = ['One'];
      for (const round of ROUNDS) {
        const meet = meeting();
        const said = await Promise.all(
          ['left', 'right'].map(async (side) => {
            const words = `${side} ${round}`;
            const answer = () => meet().then(() => `Answer to ${words}.`);
            return { words, ...(await ask(words, store, answer, { resume, sessionStoreFlush })) };
          }),
        );
        const [stored, told] = oneIsTold(said);
        kept = [...kept, stored];
        const messages = JSON.stringify(await getSessionMessages(resume, { dir: cwd, sessionStore: store }));
        for (const words of kept) expect(messages).toContain(`"${words}"`);
        expect(messages).toContain(`Answer to ${stored}.`);
        // With `eager` its prompt may be in the store before the other one begins; its answer never is.
        expect(messages).not.toContain(`Answer to ${told}.`);
      }
    },
  );

  it('the conversation that fell behind asks the model no more, and a new one goes on', async () => {
    const store = await makeStore();
    const model = scriptedModel(() => 'Yes.');
    const session = createSession({ runtime: embedded({ model }), cwd, sessionStore: store });
    const { session_id: resume } = await session.ask('One');
    await ask('Two, elsewhere', store, async () => 'Yes.', { resume });
    for (const prompt of ['Three', 'Four']) {
      expect(await session.ask(prompt)).toMatchObject({
        is_error: true,
        failure: { kind: 'session_conflict' },
      });
    }
    expect(model.requests).toHaveLength(2);
    await session.close();
    const again = await ask('Five', store, async () => 'Yes.', { resume });
    expect(isSuccess(again.result)).toBe(true);
    const messages = JSON.stringify(await getSessionMessages(resume, { dir: cwd, sessionStore: store }));
    expect(messages).toMatch(/One.*Two, elsewhere.*Five/);
    expect(messages).not.toMatch(/Three|Four/);
  });

  it('a title that is given meanwhile is no other writer', async () => {
    const store = await makeStore();
    const session = createSession({
      runtime: embedded({ model: scriptedModel(() => 'Yes.') }),
      cwd,
      sessionStore: store,
    });
    const { session_id: id } = await session.ask('One');
    await renameSession(id, 'A title', { dir: cwd, sessionStore: store });
    expect(isSuccess(await session.ask('Two'))).toBe(true);
    await session.close();
  });
});

describe('two processes with one store in files', () => {
  const program = fileURLToPath(new URL('../fixtures/hosts/writer.mjs', import.meta.url));
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  interface Said {
    event: string;
    id: string;
    success: boolean;
    failure?: { kind: string; message: string };
  }

  function writer(directory: string) {
    const child = spawn(process.execPath, [program, directory, cwd], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      write: (line: string) => child.stdin.write(`${line}\n`),
      next: async () => JSON.parse((await lines.next()).value ?? 'null') as Said,
      end: () => child.stdin.end(),
    };
  }

  it('one turn is kept and the other told, ten times of ten', async () => {
    const directory = await folder();
    const [left, right] = [writer(directory), writer(directory)];
    left.write(JSON.stringify({ say: 'One' }));
    await left.next();
    left.write('Yes.');
    const { id: resume } = await left.next();
    const kept: string[] = ['One'];
    for (const round of ROUNDS) {
      const sides = [
        { writer: left, words: `left ${round}` },
        { writer: right, words: `right ${round}` },
      ];
      for (const side of sides) side.writer.write(JSON.stringify({ say: side.words, resume }));
      for (const side of sides) expect(await side.writer.next()).toEqual({ event: 'asked' });
      for (const side of sides) side.writer.write(`Answer to ${side.words}.`);
      const said = await Promise.all(
        sides.map(async (side) => ({ words: side.words, ...(await side.writer.next()) })),
      );
      const [stored, ...more] = said.filter(({ success }) => success);
      expect(more).toEqual([]);
      const told = said.find(({ success }) => !success);
      expect(told?.failure).toMatchObject({ kind: 'session_conflict' });
      kept.push(stored?.words ?? '');
      const sessionStore = fileSessionStore(directory);
      const messages = JSON.stringify(await getSessionMessages(resume, { dir: cwd, sessionStore }));
      for (const words of kept) expect(messages).toContain(`"${words}"`);
      expect(messages).not.toContain(`"${told?.words}"`);
    }
    left.end();
    right.end();
  });
});

describe.each([
  ['Claude Code', (machine: string) => ({ env: { CLAUDE_CONFIG_DIR: machine } }), true],
  [
    'tenon-runtime, with a store of the host',
    (machine: string) => ({
      pathToClaudeCodeExecutable: tenonRuntime,
      executable: 'node' as const,
      env: { CLAUDE_CONFIG_DIR: machine },
    }),
    true,
  ],
  [
    'tenon-runtime, with its own files',
    () => ({ pathToClaudeCodeExecutable: tenonRuntime, executable: 'node' as const }),
    false,
  ],
])('two agents: %s', (_, optionsOf: (machine: string) => Options, hasStore) => {
  it('one turn is kept and the other told', async () => {
    let meet = async (): Promise<void> => {};
    await using cli = await scriptedCli(async ({ body }) => {
      const words = JSON.stringify(body.messages);
      const [animal] = /zebra|giraffe/.exec(words.slice(words.lastIndexOf('Say'))) ?? [];
      if (animal !== undefined) await meet();
      return text(`The answer is ${animal}.`);
    });
    const store = hasStore ? { sessionStore: new InMemorySessionStore() } : {};
    const ask = (prompt: string, machine: string, more: Options = {}) =>
      resultOf(prompt, { ...cli.options(optionsOf(join(cli.box.home, machine))), ...store, ...more });
    const { result } = await ask('One', 'first');
    const resume = result.session_id;
    meet = meeting();
    const said = await Promise.all(
      ['zebra', 'giraffe'].map(async (words) => ({
        words,
        ...(await ask(`Say ${words}`, words, { resume })),
      })),
    );
    const [stored, told] = oneIsTold(said);
    meet = async () => {};
    const last = await ask('Last', 'third', { resume });
    expect(isSuccess(last.result)).toBe(true);
    const read = JSON.stringify(cli.api.requests.at(-1)?.body.messages);
    expect(read).toContain(`The answer is ${stored}.`);
    expect(read).not.toContain(`The answer is ${told}.`);
  });
});

it('a writer whose first words are no part of the conversation, such as what it has cost, is not taken for another one', async () => {
  const store = new InMemorySessionStore();
  const key = { projectKey: '-work', sessionId: '00000000-0000-4000-8000-000000000001' };
  await store.append(key, [{ type: 'user', uuid: 'first', parentUuid: null }]);
  await appendTo(store, key, [{ type: 'cost-state' }]);
  await appendTo(store, key, [{ type: 'assistant', uuid: 'second', parentUuid: 'first' }], 'first');
  expect((await store.load(key))?.map(({ type }) => type)).toEqual(['user', 'cost-state', 'assistant']);
});
