/** Three prompts at once on one stored session: one turn is kept, and the two others are told so (R64, pain 29). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fileSessionStore,
  getSessionMessages,
  InMemorySessionStore,
  isSuccess,
  type Options,
  query,
  type SDKResultMessage,
  type SessionStore,
} from '../../src/index.js';
import { embedded, memoryJournal } from '../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../src/testing/index.js';
import { shop, world } from '../runtime/durable/support.js';
import { collect } from '../support/real-cli.js';
import { scriptedCli } from '../support/scripted-cli.js';

const cwd = '/work';
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-three-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** A store as users write them for the official SDK: it does not know what `after` is. */
function plainStore(): SessionStore {
  const all = new InMemorySessionStore();
  return { append: (key, entries) => all.append(key, entries), load: (key) => all.load(key) };
}

/** Passes when all three have come to it. */
function meeting(): () => Promise<void> {
  const arrived: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      arrived.push(resolve);
      if (arrived.length === 3) for (const go of arrived) go();
    });
}

async function resultOf(prompt: string, options: Options): Promise<SDKResultMessage> {
  const { messages } = await collect(query({ prompt, options }));
  return messages.findLast(({ type }) => type === 'result') as SDKResultMessage;
}

const SIDES = ['zebra', 'giraffe', 'ocelot'];

/** One success; the others name the session, say what happened, and what to do. Returns whose it is. */
function oneIsKept(results: SDKResultMessage[], sessionId: string): string {
  const kept = SIDES.filter((_, index) => isSuccess(results[index] as SDKResultMessage));
  expect(kept).toHaveLength(1);
  for (const result of results.filter((each) => !isSuccess(each))) {
    expect(result).toMatchObject({
      is_error: true,
      failure: { kind: 'session_conflict', retryable: false },
    });
    const { message } = (result as { failure: { message: string } }).failure;
    expect(message).toContain(sessionId);
    expect(message).toMatch(/has another writer, who was faster: this turn is not stored/);
    expect(message).toMatch(/Resume it to go on from what is stored, or resume it with `forkSession`/);
  }
  return kept[0] ?? '';
}

describe.each([
  ['in files', async () => fileSessionStore(await mkdtemp(join(root, 'store-')))],
  ['in memory', async () => new InMemorySessionStore()],
  ['of a user, which ignores `after`', async () => plainStore()],
] as [string, () => Promise<SessionStore>][])('with a store %s', (_, makeStore) => {
  it('one of three turns on the embedded runtime is kept, and the others are told', async () => {
    const sessionStore = await makeStore();
    const runtime = (answer: () => Promise<string>) => embedded({ model: scriptedModel(answer) });
    const first = await resultOf('One', { runtime: runtime(async () => 'Yes.'), cwd, sessionStore });
    const resume = first.session_id;
    for (const round of [1, 2]) {
      const meet = meeting();
      const results = await Promise.all(
        SIDES.map((side) => {
          const answer = () => meet().then(() => `Answer ${round} to ${side}.`);
          return resultOf(`${side} ${round}`, { runtime: runtime(answer), cwd, sessionStore, resume });
        }),
      );
      const kept = oneIsKept(results, resume);
      const messages = JSON.stringify(await getSessionMessages(resume, { dir: cwd, sessionStore }));
      expect(messages).toContain('One');
      for (const side of SIDES) {
        expect(messages.includes(`Answer ${round} to ${side}.`)).toBe(side === kept);
      }
    }
  });

  it('with a journal, the tools of those who lose have not run', async () => {
    const sessionStore = await makeStore();
    const at = world();
    const meet = meeting();
    const runtime = embedded({
      model: scriptedModel(({ messages }) => {
        const said = JSON.stringify(messages.at(-1));
        if (said.includes('tool_result')) return text('Done.');
        return said.includes('One') ? text('Yes.') : meet().then(() => toolUse('mcp__s__pay', {}));
      }),
      journal: memoryJournal(),
    });
    const options: Options = {
      runtime,
      cwd,
      sessionStore,
      allowedTools: ['mcp__s__*'],
      mcpServers: { s: shop(at) },
    };
    const { session_id: resume } = await resultOf('One', options);
    const results = await Promise.all(SIDES.map((side) => resultOf(side, { ...options, resume })));
    oneIsKept(results, resume);
    expect(at.effects).toEqual(['paid']);
  });
});

it('with a store of a user that ignores `after`, the CLI is told, too', async () => {
  let meet = async (): Promise<void> => {};
  await using cli = await scriptedCli(async ({ body }) => {
    const [side] = /zebra|giraffe|ocelot/.exec(JSON.stringify(body.messages.at(-1))) ?? [];
    if (side !== undefined) await meet();
    return text(`Answer to ${side}.`);
  });
  const sessionStore = plainStore();
  const ask = (prompt: string, more: Options = {}) =>
    resultOf(prompt, {
      ...cli.options({ env: { CLAUDE_CONFIG_DIR: join(cli.box.home, prompt) } }),
      sessionStore,
      ...more,
    });
  const { session_id: resume } = await ask('One');
  meet = meeting();
  const results = await Promise.all(SIDES.map((side) => ask(side, { resume })));
  const kept = oneIsKept(results, resume);
  const messages = JSON.stringify(await getSessionMessages(resume, { dir: cli.box.cwd, sessionStore }));
  for (const side of SIDES) expect(messages.includes(`Answer to ${side}.`)).toBe(side === kept);
});

it('a conversation that another process has continued meanwhile is resumed without a complaint', async () => {
  const sessionStore = plainStore();
  const options = { runtime: embedded({ model: scriptedModel(() => 'Yes.') }), cwd, sessionStore };
  const first = await resultOf('One', options);
  const projectKey = '-work';
  const key = { projectKey, sessionId: first.session_id };
  // As another process appends: this one does not hear of it.
  const entries = (await sessionStore.load(key)) ?? [];
  const last = entries.findLast(({ parentUuid }) => parentUuid !== undefined);
  const message = { role: 'assistant', content: [{ type: 'text', text: 'From elsewhere.' }] };
  await sessionStore.append(key, [
    { ...last, type: 'assistant', uuid: crypto.randomUUID(), parentUuid: last?.uuid, message },
  ]);
  expect(isSuccess(await resultOf('Two', { ...options, resume: first.session_id }))).toBe(true);
  expect(isSuccess(await resultOf('Three', { ...options, resume: first.session_id }))).toBe(true);
});
