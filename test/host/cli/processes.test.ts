/** The processes of the CLI that a host has: never more than may run, and none when it is closed (R60, R67, scale 15). */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createHost, type Host, type HostOptions } from '../../../src/host/index.js';
import { embedded } from '../../../src/runtime/index.js';
import { type ScriptedRequest, scriptedModel, text, toolUse } from '../../../src/testing/index.js';
import { isDone, shared, shop, until } from '../support/host.js';
import { CLI, processes, scene } from './support.js';

const ref = (session: string) => ({ tenant: 'acme', session });
const echo = ({ messages }: ScriptedRequest) => text(`You have said ${prompts(messages)}.`);

/** The words that were sent, in order. */
function prompts(messages: ScriptedRequest['messages']): string {
  return [...JSON.stringify(messages).matchAll(/word-\w+/g)].map(([word]) => word).join(', ');
}

async function ask(host: Host, session: string, prompt: string): Promise<void> {
  const { event } = await host.send(ref(session), prompt);
  const last = (await until(host, ref(session), isDone, event)).at(-1);
  expect(last?.message).toMatchObject({ outcome: 'answered' });
}

/** The most processes that there were at once, as the host and the machine count them. */
function watched(host: Host): { most: { host: number; machine: number }; stop(): void } {
  const most = { host: 0, machine: 0 };
  const timer = setInterval(() => {
    most.machine = Math.max(most.machine, processes().length);
    void host.stats().then((stats) => {
      most.host = Math.max(most.host, stats.processes);
    });
  }, 5);
  return { most, stop: () => clearInterval(timer) };
}

describe('the processes of a host on the CLI', () => {
  it('are never more than may run, whether they are at work, idle, or about to end', async () => {
    await using stage = await scene(CLI, echo);
    const host = stage.host({ limits: { running: 2 }, idle: { warm: 1 } });
    await using _host = host;
    const { most, stop } = watched(host);
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map(async (session) => {
        await ask(host, session, `word-${session}1`);
        await ask(host, session, `word-${session}2`);
      }),
    );
    stop();
    expect(most.machine).toBeLessThanOrEqual(2);
    expect(most.host).toBe(2);
    // Each goes on where it was, whichever process it has got.
    const said = stage.running.player.requests.map(({ messages }) => prompts(messages));
    for (const each of 'abcde') {
      expect(said).toContainEqual(expect.stringMatching(`word-${each}1.*word-${each}2$`));
    }
    expect(stage.problems).toEqual([]);
  });

  it('end when their conversation has been idle for a while, which goes on from what is stored', async () => {
    await using stage = await scene(CLI, echo);
    const host = stage.host({ idle: { evictAfterMs: 300 } });
    await using _host = host;
    await ask(host, 'a', 'word-1');
    expect(processes()).toHaveLength(1);
    const [pid] = processes();
    await ask(host, 'a', 'word-2');
    expect(processes()).toEqual([pid]);
    await vi.waitFor(() => expect(processes()).toEqual([]));
    await expect.poll(() => host.stats()).toMatchObject({ open: 0, processes: 0, evicted: 1 });
    await ask(host, 'a', 'word-3');
    expect(prompts(stage.running.player.requests.at(-1)?.messages ?? [])).toMatch(/word-1.*word-2.*word-3$/);
    expect(stage.problems).toEqual([]);
  });

  it('begin before they are needed, one for a conversation that is new, and none that goes on gets one', async () => {
    await using stage = await scene(CLI, echo);
    const storage = shared();
    const host = stage.host({ storage, limits: { running: 3 }, idle: { warm: 1, evictAfterMs: 0 } });
    await using _host = host;
    await vi.waitFor(() => expect(processes()).toHaveLength(1));
    expect(await host.stats()).toMatchObject({ open: 0, processes: 1 });
    const [waiting] = processes();
    await ask(host, 'a', 'word-a1');
    // It was that one: evicted at once, it is gone, and another one waits in its place.
    await vi.waitFor(() => expect(processes()).not.toContain(waiting));
    await vi.waitFor(() => expect(processes()).toHaveLength(1));
    const [next] = processes();
    await ask(host, 'a', 'word-a2');
    await vi.waitFor(() => expect(processes()).toEqual([next]));
    expect(prompts(stage.running.player.requests.at(-1)?.messages ?? [])).toMatch(/word-a1.*word-a2$/);
    await ask(host, 'b', 'word-b1');
    expect(prompts(stage.running.player.requests.at(-1)?.messages ?? [])).toBe('word-b1');
    await vi.waitFor(() => expect(processes()).not.toContain(next));
    await host.close();
    expect(processes()).toEqual([]);
    expect(stage.problems).toEqual([]);
  });

  it('that wait are asked about calls as others are, and store what is said', async () => {
    const own = shop();
    await using stage = await scene(
      CLI,
      [toolUse('mcp__shop__pay', { amount: 5 }), text('It is paid.')],
      own,
    );
    const host = stage.host({ idle: { warm: 1 }, limits: { running: 1 } });
    await using _host = host;
    await vi.waitFor(() => expect(processes()).toHaveLength(1));
    await host.send(ref('a'), 'Pay 5.');
    await vi.waitFor(async () => expect((await host.session(ref('a')))?.state).toBe('waiting'));
    const [approval] = await host.pendingApprovals();
    await host.answer(approval?.id ?? '', { behavior: 'allow' });
    await until(host, ref('a'), isDone);
    expect(own.effects).toEqual(['paid 5']);
    expect((await host.messages(ref('a'))).map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  it('are gone after drain(), and after close() in the middle of turns; the next program goes on', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using stage = await scene(CLI, async (request) => {
      if (prompts(request.messages).endsWith('word-slow')) await held;
      return echo(request);
    });
    const storage = shared();
    const first = stage.host({ storage, idle: { warm: 1 } });
    await ask(first, 'a', 'word-a1');
    await first.drain();
    expect(processes()).toEqual([]);

    const second = stage.host({ storage });
    const { event } = await second.send(ref('a'), 'word-slow');
    await vi.waitFor(() => expect(stage.running.player.requests.at(-1)).toSatisfy(isSlow));
    await second.close();
    expect(processes()).toEqual([]);
    release();

    const third = stage.host({ storage });
    await using _third = third;
    await until(third, ref('a'), isDone, event);
    expect((await third.messages(ref('a'))).map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(stage.problems).toEqual([]);
  });

  it('that were cut off leave files on this machine which say more than what is stored: that counts', async () => {
    await using stage = await scene(CLI, echo);
    const host = stage.host({ idle: { evictAfterMs: 0 } });
    await using _host = host;
    await ask(host, 'a', 'word-1');
    await vi.waitFor(() => expect(processes()).toEqual([]));
    const [said] = await host.messages(ref('a'));
    const file = join(projectsOf(stage.running.box), `${said?.session_id}.jsonl`);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const last = lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === 'assistant');
    const more = { ...last, uuid: '00000000-0000-4000-8000-000000000000', parentUuid: last.uuid };
    more.message = { ...more.message, content: [{ type: 'text', text: 'word-unstored' }] };
    writeFileSync(file, `${[...lines, JSON.stringify(more)].join('\n')}\n`);
    await ask(host, 'a', 'word-2');
    const read = prompts(stage.running.player.requests.at(-1)?.messages ?? []);
    expect(read).toMatch(/word-2$/);
    expect(read).not.toContain('unstored');
  });

  it.each<[string, Partial<HostOptions>, string]>([
    ['if options are a function', { options: () => ({}) }, 'is a function'],
    [
      'of the embedded runtime',
      { options: { runtime: embedded({ model: scriptedModel([]) }) } },
      'only the CLI has processes',
    ],
    ['beyond the limit', { limits: { running: 1 } }, '`limits.running` is 1'],
  ])('cannot begin before they are needed %s', (_, options, message) => {
    expect(() => createHost({ options: {}, idle: { warm: 2 }, ...options })).toThrow(message);
  });
});

const isSlow = (request: ScriptedRequest | undefined): boolean =>
  prompts(request?.messages ?? []).endsWith('word-slow');

function projectsOf({ configDir, cwd }: { configDir: string; cwd: string }): string {
  return join(configDir, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'));
}
