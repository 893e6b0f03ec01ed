/**
 * The functions on conversations (issue 6), on transcripts that the real CLI has written here, beside the official
 * functions on the same directory.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionStoreEntry } from '../../src/index.js';
import * as ours from '../../src/index.js';
import { type Conversations, copyOf, holdConversations, officialFunctions, within } from './support.js';

let held: Conversations;
let official: Awaited<ReturnType<typeof officialFunctions>>;
const before = process.env.CLAUDE_CONFIG_DIR;

beforeAll(async () => {
  [held, official] = await Promise.all([holdConversations(), officialFunctions()]);
  process.env.CLAUDE_CONFIG_DIR = held.box.configDir;
});

afterAll(async () => {
  if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
  else process.env.CLAUDE_CONFIG_DIR = before;
  await held.box[Symbol.asyncDispose]();
});

const NOBODY = '00000000-0000-4000-8000-000000000000';
type Kind = keyof Conversations['ids'];
const KINDS: Kind[] = [
  'plain',
  'titled',
  'parallel',
  'branch',
  'subagents',
  'compacted',
  'command',
  'elsewhere',
];

describe('reading', () => {
  it('listSessions gives what the official one gives', async () => {
    const list = await ours.listSessions();
    expect(list).toHaveLength(KINDS.length);
    expect(list).toEqual(await official.listSessions());
  });

  it.each([
    ['a directory', () => ({ dir: held.elsewhere })],
    ['a directory with a slash at its end', () => ({ dir: `${held.box.cwd}/` })],
    ['a directory without any', () => ({ dir: held.box.home })],
    ['a page', () => ({ limit: 2, offset: 1 })],
    ['a limit of 0, which is none', () => ({ limit: 0 })],
    ['an offset alone', () => ({ offset: 3 })],
    ['those that a person has started', () => ({ includeProgrammatic: false })],
  ])('listSessions of %s gives what the official one gives', async (_, options) => {
    expect(await ours.listSessions(options())).toEqual(await official.listSessions(options()));
  });

  it.each(KINDS)('getSessionInfo and getSessionMessages of the conversation "%s" agree', async (kind) => {
    const id = held.ids[kind];
    const info = await ours.getSessionInfo(id);
    expect(info?.sessionId).toBe(id);
    expect(info).toEqual(await official.getSessionInfo(id));
    const messages = await ours.getSessionMessages(id);
    expect(messages.length).toBeGreaterThanOrEqual(2);
    expect(messages).toEqual(await official.getSessionMessages(id));
    const all = { includeSystemMessages: true };
    expect(await ours.getSessionMessages(id, all)).toEqual(await official.getSessionMessages(id, all));
    const page = { limit: 2, offset: 1 };
    expect(await ours.getSessionMessages(id, page)).toEqual(await official.getSessionMessages(id, page));
  });

  it('every result of parallel calls is there, and the branch that was left is not', async () => {
    const parallel = JSON.stringify(await ours.getSessionMessages(held.ids.parallel));
    for (const words of ['Hm.', 'Let me see.', 'after 60', 'after 20', 'after 1"', 'All came back.']) {
      expect(parallel).toContain(words);
    }
    const branch = JSON.stringify(await ours.getSessionMessages(held.ids.branch));
    expect(branch).toContain('Third');
    expect(branch).not.toContain('"Second"');
  });

  it('subagents and what they said agree, also of a subagent of a subagent', async () => {
    const id = held.ids.subagents;
    const agents = await ours.listSubagents(id);
    expect(agents).toHaveLength(2);
    expect([...agents].sort()).toEqual([...(await official.listSubagents(id))].sort());
    const parents: (string | null)[] = [];
    for (const agent of agents) {
      const messages = await ours.getSubagentMessages(id, agent);
      expect(messages.length).toBeGreaterThanOrEqual(2);
      expect(messages).toEqual(await official.getSubagentMessages(id, agent));
      parents.push(messages[0]?.parent_agent_id ?? null);
    }
    expect(parents.filter((parent) => parent !== null)).toHaveLength(1);
    expect(await ours.listSubagents(held.ids.plain)).toEqual([]);
    expect(await ours.getSubagentMessages(id, '../../x')).toEqual([]);
  });

  it('what is not there is nothing, and an id that is a path is not followed', async () => {
    for (const id of [NOBODY, '../../../etc/passwd', '']) {
      expect(await ours.getSessionInfo(id)).toBeUndefined();
      expect(await ours.getSessionMessages(id)).toEqual([]);
      expect(await ours.listSubagents(id)).toEqual([]);
    }
  });
});

/** Does the same with both, each in a copy of its own, and gives what a reader then sees. */
async function withBoth<Result>(
  change: (functions: typeof official, id: string) => Promise<Result>,
  kind: Kind = 'plain',
): Promise<{ ours: [Result, string]; official: [Result, string] }> {
  const id = held.ids[kind];
  const run = async (functions: typeof official, name: string): Promise<[Result, string]> => {
    const directory = await copyOf(held, name);
    try {
      return await within(directory, async () => {
        const result = await change(functions, id);
        const folder = join(directory, 'projects', await projectOf(id));
        return [result, await readFile(join(folder, `${id}.jsonl`), 'utf8').catch(() => 'gone')];
      });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  };
  return {
    ours: await run(ours, `ours-${Math.random()}`),
    official: await run(official, `official-${Math.random()}`),
  };
}

async function projectOf(id: string): Promise<string> {
  const projects = join(held.box.configDir, 'projects');
  for (const name of await readdir(projects)) {
    if ((await readdir(join(projects, name))).includes(`${id}.jsonl`)) return name;
  }
  throw new Error(`No conversation ${id}`);
}

describe('changing', () => {
  it('renameSession writes what the official one writes', async () => {
    const both = await withBoth(async (functions, id) => {
      await functions.renameSession(id, '  Another name ');
      return (await functions.getSessionInfo(id))?.customTitle;
    });
    expect(both.ours).toEqual(both.official);
    expect(both.ours[0]).toBe('Another name');
  });

  it('tagSession writes what the official one writes, and null clears it', async () => {
    const both = await withBoth(async (functions, id) => {
      await functions.tagSession(id, ' im\u200bportant ');
      const tag = (await functions.getSessionInfo(id))?.tag;
      await functions.tagSession(id, null);
      return [tag, (await functions.getSessionInfo(id))?.tag];
    });
    expect(both.ours).toEqual(both.official);
    expect(both.ours[0]).toEqual(['important', undefined]);
  });

  it('archiveSession and unarchiveSession are seen by both, and a later prompt ends the archive', async () => {
    const both = await withBoth(async (functions, id) => {
      const seen: unknown[] = [];
      const look = async () => {
        for (const each of [ours, official]) seen.push((await each.getSessionInfo(id))?.archived);
      };
      await functions.archiveSession(id);
      await look();
      await functions.unarchiveSession(id);
      await look();
      const file = join(
        process.env.CLAUDE_CONFIG_DIR ?? '',
        'projects',
        await projectOf(id),
        id,
        'archived.json',
      );
      await writeFile(file, JSON.stringify({ archived: true, at: '2020-01-01T00:00:00.000Z', by: 'sdk' }));
      await look();
      return seen;
    });
    expect(both.ours).toEqual(both.official);
    expect(both.ours[0]).toEqual([true, true, false, false, false, false]);
  });

  it('deleteSession leaves nothing of a conversation and its subagents', async () => {
    const both = await withBoth(async (functions, id) => {
      await functions.deleteSession(id);
      const folder = join(process.env.CLAUDE_CONFIG_DIR ?? '', 'projects', await projectOf(id));
      return [
        (await readdir(folder)).filter((name) => name.startsWith(id)),
        await functions.getSessionInfo(id),
      ];
    }, 'subagents');
    expect(both.ours).toEqual(both.official);
    expect(both.ours[0]).toEqual([[], undefined]);
  });

  it.each(KINDS)(
    'forkSession of the conversation "%s" gives the fork that the official one gives',
    async (kind) => {
      const both = await withBoth(async (functions, id) => {
        const { sessionId } = await functions.forkSession(id);
        const folder = join(process.env.CLAUDE_CONFIG_DIR ?? '', 'projects', await projectOf(id));
        const lines = (await readFile(join(folder, `${sessionId}.jsonl`), 'utf8')).trimEnd().split('\n');
        const entries = lines.map((line) => JSON.parse(line) as SessionStoreEntry);
        const messages = await official.getSessionMessages(sessionId);
        expect(messages.length).toBe((await official.getSessionMessages(id)).length);
        return withoutIds(entries, sessionId);
      }, kind);
      expect(both.ours).toEqual(both.official);
    },
  );

  it('forkSession up to a message ends with it, and takes a title', async () => {
    const both = await withBoth(async (functions, id) => {
      const [, second] = await functions.getSessionMessages(id);
      const { sessionId } = await functions.forkSession(id, {
        upToMessageId: second?.uuid,
        title: 'Half of it',
      });
      const messages = await functions.getSessionMessages(sessionId);
      return [messages.map(({ message }) => message), (await functions.getSessionInfo(sessionId))?.summary];
    });
    expect(both.ours).toEqual(both.official);
    expect(both.ours[0][0]).toHaveLength(2);
    expect(both.ours[0][1]).toBe('Half of it');
  });

  it('forkSession up to a compaction or its summary ends as the official one does', async () => {
    const both = await withBoth(async (functions, id) => {
      const messages = await functions.getSessionMessages(id, { includeSystemMessages: true });
      const ends = messages.slice(0, 2).map(({ uuid }) => uuid);
      const forks: unknown[] = [];
      for (const upToMessageId of ends) {
        const { sessionId } = await functions.forkSession(id, { upToMessageId });
        forks.push((await functions.getSessionMessages(sessionId)).map(({ message }) => message));
      }
      return forks;
    }, 'compacted');
    expect(both.ours).toEqual(both.official);
  });

  it('the CLI goes on with a fork of ours', async () => {
    const directory = await copyOf(held, 'resumed');
    await within(directory, async () => {
      const { sessionId } = await ours.forkSession(held.ids.parallel);
      const { scriptedMessagesApi, text } = await import('../../src/testing/index.js');
      const { cliPath } = await import('../support/real-cli.js');
      await using api = await scriptedMessagesApi([text('Gone on.')]);
      const env = { ...held.box.env(api), CLAUDE_CONFIG_DIR: directory };
      const options = { pathToClaudeCodeExecutable: cliPath, cwd: held.box.cwd, env, resume: sessionId };
      const result = await ours.query({ prompt: 'Go on', options }).done;
      expect(result).toMatchObject({ session_id: sessionId, result: 'Gone on.' });
      expect(JSON.stringify(api.requests[0]?.body.messages)).toContain('after 60');
    });
  });
});

describe('a mistake', () => {
  it.each([
    ['renameSession', () => ours.renameSession('no id', 'x'), /renameSession.*Invalid sessionId: no id/],
    ['tagSession', () => ours.tagSession('no id', 'x'), /Invalid sessionId: no id/],
    ['deleteSession', () => ours.deleteSession('no id'), /Invalid sessionId: no id/],
    ['forkSession', () => ours.forkSession('no id'), /Invalid sessionId: no id/],
    ['archiveSession', () => ours.archiveSession('no id'), /Invalid sessionId: no id/],
  ])('%s of what is no id is refused by name', async (_, call, message) => {
    await expect(call()).rejects.toThrow(message);
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'sessionId' });
  });

  it('a conversation that is not there is told apart', async () => {
    for (const call of [
      () => ours.renameSession(NOBODY, 'x'),
      () => ours.tagSession(NOBODY, 'x'),
      () => ours.deleteSession(NOBODY),
      () => ours.forkSession(NOBODY),
      () => ours.archiveSession(NOBODY),
      () => ours.importSessionToStore(NOBODY, new ours.InMemorySessionStore()),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      await expect(call()).rejects.toThrow(`Session ${NOBODY} not found`);
    }
  });

  it('an empty title, an empty tag, an unknown message and a store for the archive are refused', async () => {
    const { plain } = held.ids;
    const store = new ours.InMemorySessionStore();
    await expect(ours.renameSession(plain, ' ')).rejects.toThrow(/title must be non-empty/);
    await expect(ours.tagSession(plain, '\u200b')).rejects.toThrow(/tag must be non-empty/);
    await expect(ours.forkSession(plain, { upToMessageId: NOBODY })).rejects.toThrow(
      `Message ${NOBODY} not found`,
    );
    await expect(ours.archiveSession(plain, { sessionStore: store })).rejects.toThrow(
      /not supported with sessionStore/,
    );
    const bare = { append: async () => {}, load: async () => null };
    await expect(ours.listSessions({ sessionStore: bare })).rejects.toThrow(/no listSessions\(\)/);
    await expect(ours.listSubagents(plain, { sessionStore: bare })).rejects.toThrow(/no listSubkeys\(\)/);
  });
});

describe('a conversation in a store', () => {
  it('reads the same through both, whoever has put it there', async () => {
    const dir = held.box.cwd;
    for (const writer of [ours, official]) {
      const sessionStore = new ours.InMemorySessionStore();
      const id = held.ids.subagents;
      await writer.importSessionToStore(id, sessionStore, { dir, batchSize: 7 });
      for (const reader of [ours, official]) {
        const place = { dir, sessionStore };
        expect(await reader.getSessionMessages(id, place)).toEqual(await ours.getSessionMessages(id));
        const [agent = ''] = await ours.listSubagents(id);
        expect(await reader.listSubagents(id, place)).toContain(agent);
        expect(await reader.getSubagentMessages(id, agent, place)).toEqual(
          await ours.getSubagentMessages(id, agent),
        );
        expect(await reader.listSessions(place)).toMatchObject([{ sessionId: id, summary: 'MAIN PROMPT' }]);
        expect(await reader.getSessionInfo(id, place)).toMatchObject({ firstPrompt: 'MAIN PROMPT' });
      }
    }
  });

  it('is renamed, tagged, forked and deleted there, and nowhere else', async () => {
    const dir = held.box.cwd;
    const sessionStore = new ours.InMemorySessionStore();
    const place = { dir, sessionStore };
    const id = held.ids.subagents;
    await ours.importSessionToStore(id, sessionStore, { dir });
    await ours.renameSession(id, 'In the store', place);
    await ours.tagSession(id, 'kept', place);
    expect(await official.getSessionInfo(id, place)).toMatchObject({
      customTitle: 'In the store',
      tag: 'kept',
    });
    const { sessionId } = await ours.forkSession(id, place);
    expect(await official.listSessions(place)).toMatchObject([
      { summary: 'In the store (fork)' },
      { tag: 'kept' },
    ]);
    expect(await official.getSessionMessages(sessionId, place)).toHaveLength(4);
    await ours.deleteSession(id, place);
    expect(await ours.listSessions(place)).toMatchObject([{ sessionId }]);
    expect(await ours.listSubagents(id, place)).toEqual([]);
    expect(await ours.getSessionInfo(id)).toMatchObject({ summary: 'MAIN PROMPT' });
  });

  it('folds to the summary that the official function makes of it', async () => {
    for (const kind of KINDS) {
      const sessionStore = new ours.InMemorySessionStore();
      const dir = kind === 'elsewhere' ? held.elsewhere : held.box.cwd;
      await ours.importSessionToStore(held.ids[kind], sessionStore, { dir });
      const [{ sessionId = '', mtime = 0 } = {}] = await sessionStore.listSessions(projectKey(dir));
      const key = { projectKey: projectKey(dir), sessionId };
      const entries = sessionStore.getEntries(key);
      const fold = (functions: typeof official) =>
        entries.reduce(
          (summary, entry) => functions.foldSessionSummary(summary, key, [entry], { mtime }),
          undefined as ReturnType<typeof ours.foldSessionSummary> | undefined,
        );
      expect(fold(ours)).toEqual(fold(official));
      expect(await sessionStore.listSessionSummaries(projectKey(dir))).toEqual([fold(ours)]);
    }
  });
});

const projectKey = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, '-');

/** Ids by the order of their first appearance, times left out: what two forks of one conversation have in common. */
function withoutIds(entries: readonly SessionStoreEntry[], sessionId: string): unknown {
  const names = new Map<string, string>([[sessionId, 'fork']]);
  for (const { uuid } of entries) if (uuid !== undefined) names.set(uuid, `entry ${names.size}`);
  return entries.map((entry, index) =>
    JSON.parse(JSON.stringify(entry), (key, value) => {
      if (key === 'timestamp' && index >= entries.length - 5) return 'now';
      return typeof value === 'string' ? (names.get(value) ?? value) : value;
    }),
  );
}
