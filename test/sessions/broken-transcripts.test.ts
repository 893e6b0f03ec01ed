/** Many transcripts, broken ones and huge ones (pain 9): nothing crashes, nothing whole is lost, memory is bounded. */
import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readFile, realpath, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  fileSessionStore,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSessions,
  renameSession,
} from '../../src/index.js';
import { officialFunctions } from './support.js';

let root: string;
let config: string;
let project: string;
const before = process.env.CLAUDE_CONFIG_DIR;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'tenon-broken-')));
});
beforeEach(async () => {
  config = join(root, randomUUID());
  project = join(config, 'projects', '-work');
  await mkdir(project, { recursive: true });
  process.env.CLAUDE_CONFIG_DIR = config;
});
afterAll(async () => {
  if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
  else process.env.CLAUDE_CONFIG_DIR = before;
  await rm(root, { recursive: true, force: true });
});

interface Said {
  sessionId: string;
  parent?: string;
  words: string;
  type?: 'user' | 'assistant';
}

function entry({
  sessionId,
  parent,
  words,
  type = 'user',
}: Said): Record<string, unknown> & { uuid: string } {
  const uuid = randomUUID();
  return {
    parentUuid: parent ?? null,
    isSidechain: false,
    type,
    message: { role: type, content: words, ...(type === 'assistant' ? { id: `msg_${uuid}` } : {}) },
    uuid,
    timestamp: '2026-01-02T03:04:05.000Z',
    cwd: '/work',
    entrypoint: 'cli',
    gitBranch: 'main',
    sessionId,
  };
}

/** A conversation of one exchange, in lines. */
function exchange(sessionId: string, question: string): string[] {
  const asked = entry({ sessionId, words: question });
  const answered = entry({ sessionId, words: 'An answer', type: 'assistant', parent: asked.uuid });
  return [JSON.stringify(asked), JSON.stringify(answered)];
}

async function put(content: string | Buffer, sessionId: string = randomUUID()): Promise<string> {
  await writeFile(join(project, `${sessionId}.jsonl`), content);
  return sessionId;
}

describe('a transcript', () => {
  it('that was cut in the middle of a line keeps every line before', async () => {
    const id = randomUUID();
    const lines = exchange(id, 'Whole');
    await put(
      `${lines.join('\n')}\n${JSON.stringify(entry({ sessionId: id, words: 'cut' })).slice(0, 70)}`,
      id,
    );
    expect(await getSessionInfo(id)).toMatchObject({ summary: 'Whole' });
    expect(await getSessionMessages(id)).toHaveLength(2);
    // What is written after the cut is a line of its own.
    await renameSession(id, 'Named');
    expect(await getSessionInfo(id)).toMatchObject({ summary: 'Named', firstPrompt: 'Whole' });
    const { sessionId } = await forkSession(id);
    expect(await getSessionMessages(sessionId)).toHaveLength(2);
    expect((await readFile(join(project, `${id}.jsonl`), 'utf8')).split('\n')).toContain(lines[0]);
  });

  it('that is empty, or no transcript at all, is passed over', async () => {
    await put('');
    await put('\n\n\n');
    await put('This is no JSON.\n{"half":');
    await put(Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x0a, 0x80, 0x0a]));
    await put('[]\n42\nnull\n"text"\n{}\n');
    const whole = randomUUID();
    await put(`${exchange(whole, 'The only one').join('\n')}\n`, whole);
    await writeFile(join(project, 'notes.jsonl'), 'not of a conversation');
    await mkdir(join(project, `${randomUUID()}.jsonl`));
    expect(await listSessions()).toMatchObject([{ sessionId: whole }]);
  });

  it('in the wrong encoding loses the letters and not the conversation', async () => {
    const id = randomUUID();
    const latin = await put(Buffer.from(`${exchange(id, 'Un caf\u00e9').join('\n')}\n`, 'latin1'), id);
    expect(await getSessionInfo(latin)).toMatchObject({ summary: 'Un caf\ufffd' });
    expect(await getSessionMessages(latin)).toHaveLength(2);
    const marked = await put(`\ufeff${exchange(id, 'With a mark').join('\r\n')}\r\n`);
    expect(await getSessionInfo(marked)).toMatchObject({ summary: 'With a mark' });
    const wide = await put(Buffer.from(`\ufeff${exchange(id, 'wide').join('\n')}\n`, 'utf16le'));
    expect(await getSessionInfo(wide)).toBeUndefined();
    expect(await getSessionMessages(wide)).toEqual([]);
  });

  it('with a long line before the first prompt is in the list', async () => {
    const id = randomUUID();
    const note = JSON.stringify({ type: 'mode', mode: 'x'.repeat(300_000), sessionId: id });
    await put(`${note}\n${exchange(id, 'Behind it').join('\n')}\n${note}\n${note}\n`, id);
    expect(await listSessions()).toMatchObject([{ sessionId: id, summary: 'Behind it' }]);
    // The official function loses it.
    expect(await (await officialFunctions()).listSessions()).toEqual([]);
  });

  it('that goes in a circle is read once around', async () => {
    const id = randomUUID();
    const first = entry({ sessionId: id, words: 'Round' });
    const second = entry({ sessionId: id, words: 'and round', parent: first.uuid });
    await put(`${JSON.stringify({ ...first, parentUuid: second.uuid })}\n${JSON.stringify(second)}\n`, id);
    expect(await getSessionMessages(id)).toHaveLength(2);
  });

  it('whose beginning is lost keeps its end', async () => {
    const id = randomUUID();
    await put(`${JSON.stringify(entry({ sessionId: id, words: 'Later', parent: randomUUID() }))}\n`, id);
    expect(await getSessionMessages(id)).toHaveLength(1);
  });
});

it('1,000 transcripts are listed, in order, and in pages', async () => {
  const ids = Array.from({ length: 1_000 }, () => randomUUID());
  await Promise.all(ids.map((id, index) => put(`${exchange(id, `Question ${index}`).join('\n')}\n`, id)));
  const all = await listSessions();
  expect(new Set(all.map(({ sessionId }) => sessionId))).toEqual(new Set(ids));
  const times = all.map(({ lastModified }) => lastModified);
  expect(times).toEqual([...times].sort((left, right) => right - left));
  const newest = all.slice(10, 15);
  expect(await listSessions({ limit: 5, offset: 10 })).toEqual(newest);
});

describe('200 MB', () => {
  const MEGABYTE = 1024 * 1024;

  /** What a program of its own, with this configuration, gives and needs at most. */
  async function measured(program: string): Promise<{ result: unknown; megabytes: number }> {
    const dist = new URL('../../dist/index.js', import.meta.url).href;
    const main = join(root, `${randomUUID()}.mjs`);
    await writeFile(
      main,
      `import * as tenon from '${dist}';
       const result = await (async () => { ${program} })();
       console.log(JSON.stringify({ result, megabytes: process.resourceUsage().maxRSS / 1024 }));`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, [main], {
      env: { ...process.env, CLAUDE_CONFIG_DIR: config },
    });
    return JSON.parse(stdout);
  }

  it('of conversation are listed by their ends, and read in pages, with bounded memory', async () => {
    const id = randomUUID();
    const file = await open(join(project, `${id}.jsonl`), 'w');
    let parent: string | undefined;
    const padding = 'x'.repeat(MEGABYTE);
    for (let index = 0; index < 200; index += 1) {
      const said = entry({ sessionId: id, words: `${index} ${padding}`, ...(parent ? { parent } : {}) });
      parent = said.uuid;
      await file.write(`${JSON.stringify(said)}\n`);
    }
    await file.write(
      `${JSON.stringify({ type: 'custom-title', customTitle: 'A long one', sessionId: id })}\n`,
    );
    await file.close();
    const empty = await measured('return 0');
    const listed = await measured('return (await tenon.listSessions())[0]');
    expect(listed.result).toMatchObject({ sessionId: id, customTitle: 'A long one' });
    expect(listed.megabytes - empty.megabytes).toBeLessThan(40);
    const paged = await measured(`
      const messages = await tenon.getSessionMessages('${id}', { limit: 2, offset: 150 });
      return messages.map(({ message }) => message.content.slice(0, 4));`);
    expect(paged.result).toEqual(['150 ', '151 ']);
    expect(paged.megabytes - empty.megabytes).toBeLessThan(150);
  });

  it('of nothing, a hole in a file, cost neither memory nor the rest of the file', async () => {
    const id = randomUUID();
    await put(`${exchange(id, 'Before the hole').join('\n')}\n`, id);
    const path = join(project, `${id}.jsonl`);
    await truncate(path, 200 * MEGABYTE);
    await writeFile(path, `\n${exchange(id, 'After the hole').join('\n')}\n`, { flag: 'a' });
    const empty = await measured('return 0');
    const read = await measured(`
      const [{ summary }] = await tenon.listSessions();
      const messages = await tenon.getSessionMessages('${id}');
      const { sessionId } = await tenon.forkSession('${id}');
      return { summary, count: messages.length, forked: (await tenon.getSessionMessages(sessionId)).length };`);
    expect(read.result).toEqual({ summary: 'Before the hole', count: 2, forked: 2 });
    expect(read.megabytes - empty.megabytes).toBeLessThan(200);
    const store = new InMemorySessionStore();
    await importSessionToStore(id, store, { dir: '/work' });
    expect(store.getEntries({ projectKey: '-work', sessionId: id })).toHaveLength(4);
  });
});

describe('a repository with worktrees', () => {
  it('lists the conversations of all of them, as the official function does', async () => {
    const repository = join(config, 'repository');
    await mkdir(join(repository, 'inside'), { recursive: true });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: repository,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', '../tree', '-b', 'tree');
    for (const path of ['repository', 'repository/inside', 'tree', 'other']) {
      const folder = join(config, 'projects', join(config, path).replaceAll(/[^a-zA-Z0-9]/g, '-'));
      await mkdir(folder, { recursive: true });
      const id = randomUUID();
      await writeFile(join(folder, `${id}.jsonl`), `${exchange(id, path).join('\n')}\n`);
    }
    const official = await officialFunctions();
    const inside = async (functions: typeof official, path: string, includeWorktrees?: boolean) =>
      (
        await functions.listSessions({
          dir: join(config, path),
          ...(includeWorktrees === undefined ? {} : { includeWorktrees }),
        })
      )
        .map(({ summary }) => summary)
        .sort();
    expect(await inside({ ...official, listSessions }, 'repository')).toEqual(['repository', 'tree']);
    for (const path of ['repository', 'repository/inside', 'tree', 'other']) {
      const ours = { ...official, listSessions };
      expect(await inside(ours, path)).toEqual(await inside(official, path));
      expect(await inside(ours, path, false)).toEqual(await inside(official, path, false));
    }
  });
});

it('a directory with a long path has the folder that the official SDK looks into', async () => {
  const official = await officialFunctions();
  const asked: string[] = [];
  const sessionStore = Object.assign(new InMemorySessionStore(), {
    listSessionSummaries: async (projectKey: string) => {
      asked.push(projectKey);
      return [];
    },
  });
  for (const dir of [`/${'long'.repeat(70)}/path`, '/a b/\u00fc_c.d']) {
    await listSessions({ dir, sessionStore });
    await official.listSessions({ dir, sessionStore });
    expect(asked.at(-2)).toBe(asked.at(-1));
  }
});

describe('what else may lie in the folders', () => {
  it('a folder, or a file whose name is no key, does not take a store with it', async () => {
    const sessionId = randomUUID();
    await writeFile(
      join(project, `${sessionId}.jsonl`),
      `${JSON.stringify(entry({ sessionId, words: 'Hi' }))}\n`,
    );
    await mkdir(join(project, sessionId, 'subagents'), { recursive: true });
    for (const name of ['50% done.jsonl', `${sessionId}/subagents/100%.jsonl`])
      await writeFile(join(project, name), '{}\n');
    await mkdir(join(project, 'folder.jsonl'));
    const store = fileSessionStore(join(config, 'projects'));
    expect((await store.listSessions('-work')).map((each) => each.sessionId)).toEqual([sessionId]);
    expect(await store.listSessionSummaries('-work')).toMatchObject([{ sessionId }]);
    expect(await store.listSubkeys({ projectKey: '-work', sessionId })).toEqual([]);
  });

  it('what the CLI knows of a subagent may be anything', async () => {
    const sessionId = randomUUID();
    await writeFile(
      join(project, `${sessionId}.jsonl`),
      `${JSON.stringify(entry({ sessionId, words: 'Hi' }))}\n`,
    );
    const folder = join(project, sessionId, 'subagents');
    await mkdir(folder, { recursive: true });
    const words = { ...entry({ sessionId, words: 'Help' }), isSidechain: true };
    await writeFile(join(folder, 'agent-a.jsonl'), `${JSON.stringify(words)}\n`);
    await writeFile(join(folder, 'agent-a.meta.json'), 'null');
    expect(await getSubagentMessages(sessionId, 'a')).toMatchObject([
      { message: { content: 'Help' }, parent_tool_use_id: null },
    ]);
  });

  it('a folder that cannot be read is an error, not an empty one', async () => {
    const loop = join(config, 'loop');
    await symlink(loop, loop);
    const store = fileSessionStore(loop);
    await expect(store.listSessions('-work')).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(store.listSubkeys({ projectKey: '-work', sessionId: 'x' })).rejects.toMatchObject({
      code: 'ELOOP',
    });
    process.env.CLAUDE_CONFIG_DIR = loop;
    const id = randomUUID();
    await expect(forkSession(id)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(importSessionToStore(id, new InMemorySessionStore())).rejects.toMatchObject({
      code: 'ELOOP',
    });
  });
});
