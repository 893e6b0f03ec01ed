import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Options } from 'tenon';
import { afterAll, describe, expect, it } from 'vitest';
import { alive, cliPath, descendants, waitUntil } from '../../test/support/real-cli.js';
import { runExample } from '../shared/agent.mjs';
import { backends, callTools, play } from '../shared/testing.js';
import { askInTerminal } from './ask-person.mjs';
import { example } from './example.mjs';
import { type Staged, TicketStore } from './store.mjs';

const folder = mkdtempSync(join(tmpdir(), 'tenon-board-'));
let boards = 0;
const newBoard = () => {
  boards += 1;
  return join(folder, `board-${boards}.db`);
};
const programs = new Set<ChildProcess>();
afterAll(async () => {
  for (const program of programs) program.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

const draft = {
  title: 'The export forgets umlauts',
  kind: 'bug' as const,
  body: 'Exporting "Grüße" gives "Gr??e".',
};
const call = (name: string, input: Record<string, unknown>) => ({ name: `mcp__board__${name}`, input });

/** The program itself, in its own process. */
function start(board: string, flags: readonly string[] = []) {
  const program = fileURLToPath(new URL('main.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, '--file', board, ...flags], {
    env: { ...process.env, CLAUDE_CODE_EXECUTABLE: cliPath },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.add(child);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const page = async () => {
    await waitUntil(() => /page +http:\S+/.test(output), {
      what: 'the address of the page',
    });
    return /http:\S+/.exec(output)?.[0] ?? '';
  };
  return { child, ended, page, output: () => output };
}

async function boardAt(url: string): Promise<{ waiting: Staged[]; tickets: { number: number }[] }> {
  return (await fetch(`${url}/board.json`)).json();
}

async function untilWaiting(url: string): Promise<Staged> {
  await waitUntil(async () => (await boardAt(url)).waiting.length > 0, {
    what: 'a ticket that waits',
  });
  const [first] = (await boardAt(url)).waiting;
  if (first === undefined) throw new Error('No ticket waits.');
  return first;
}

/** Runs the example in this process, with a person who decides on the page. */
async function playWith(backend: 'embedded' | 'cli', board: string, person: (url: string) => Promise<void>) {
  let decided: Promise<void> | undefined;
  const print = (_label: string, words: string) => {
    decided ??= person(/http:\S+/.exec(words)?.[0] ?? '');
  };
  const open: typeof example.open = () => example.open({ flags: { file: board }, print });
  const played = await play({ ...example, open }, backend);
  await decided;
  return played;
}

const decide = (
  url: string,
  id: string,
  decision: string,
  reason = '',
  headers: Record<string, string> = {},
) => fetch(`${url}/staged/${id}/${decision}`, { method: 'POST', body: reason, headers });

describe.each(backends)('the ticket board on %s (R36)', (backend) => {
  it('creates a ticket when a person has approved it, and not before', async () => {
    const board = newBoard();
    let before: unknown[] = ['not asked'];
    const { calls, answer } = await playWith(backend, board, async (url) => {
      const { id } = await untilWaiting(url);
      before = (await boardAt(url)).tickets;
      expect((await decide(url, id, 'approve')).status).toBe(200);
    });
    expect(before).toEqual([]);
    expect(calls.map(({ tool, isError }) => [tool, isError])).toEqual([
      ['create_ticket', true],
      ['create_ticket', false],
      ['list_tickets', false],
    ]);
    expect(calls[0]?.text).toContain("Invalid ticket kind 'defect'. Must be one of: bug, feature, task");
    expect(calls[1]?.text).toBe('Ticket #1 "The export forgets umlauts" is on the board.');
    expect(answer).toContain('#1 [bug] The export forgets umlauts');
  });

  it('tells the model that it was rejected, and why', async () => {
    const board = newBoard();
    const { calls, answer } = await playWith(backend, board, async (url) => {
      await decide(url, (await untilWaiting(url)).id, 'reject', 'known since May');
    });
    expect(calls.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('The ticket was not approved. Reason: known since May'),
    });
    expect(answer).toContain('known since May');
  });

  it('answers bad input of each tool with an error that says what is wrong, and stages nothing', async () => {
    const board = newBoard();
    const open: typeof example.open = ({ print }) => example.open({ flags: { file: board }, print });
    const outcomes = await callTools({ ...example, open }, backend, [
      call('create_ticket', { title: 'x', kind: 'enhancement' }),
      call('create_ticket', { title: '   ', kind: 'bug' }),
      call('create_ticket', { kind: 'bug' }),
      call('create_ticket', { title: 'x'.repeat(201), kind: 'bug' }),
      call('list_tickets', { kind: 'chore' }),
    ]);
    expect(outcomes.map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
    expect(outcomes.map(({ text }) => text)).toEqual([
      expect.stringContaining("Invalid ticket kind 'enhancement'. Must be one of: bug, feature, task"),
      expect.stringContaining('title'),
      expect.stringContaining('title'),
      expect.stringContaining('title'),
      expect.stringContaining('kind'),
    ]);
    const store = new TicketStore(board);
    expect(store.waiting()).toEqual([]);
    store.close();
  });

  it('finds a ticket again that was waiting when the program was killed; approved, it is on the board once', async () => {
    const board = newBoard();
    const flags = backend === 'cli' ? ['--cli'] : [];
    const first = start(board, flags);
    const before = await untilWaiting(await first.page());
    const children = descendants(first.child.pid ?? 0);
    first.child.kill('SIGKILL');
    await first.ended;
    await waitUntil(() => !children.some(alive), { what: 'the end of the agent' });

    const second = start(board, flags);
    const url = await second.page();
    const [kept] = (await boardAt(url)).waiting;
    expect(kept?.id).toBe(before.id);
    await waitUntil(() => second.output().includes('"kind":"bug"'), {
      what: 'the second call',
    });
    expect((await boardAt(url)).waiting.map(({ id }) => id)).toEqual([before.id]);
    await decide(url, before.id, 'approve');
    expect(await second.ended).toEqual({ code: 0, signal: null });
    // "already", if the decision came before the call that asks for it again.
    expect(second.output()).toMatch(/Ticket #1 "The export forgets umlauts" is (already )?on the board\./);

    const store = new TicketStore(board);
    expect({ waiting: store.waiting(), tickets: store.tickets() }).toMatchObject({
      waiting: [],
      tickets: [{ number: 1, title: draft.title, kind: 'bug' }],
    });
    store.close();
  });
});

describe('the store', () => {
  it('has one ticket however often it is requested and approved, and stops waiting when nobody is interested', async () => {
    const store = new TicketStore(newBoard());
    const { id } = store.stage(draft);
    expect(store.stage(draft).id).toBe(id);
    const gone = new AbortController();
    const waiting = store.decided(id, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toThrow('Nobody is waiting');
    expect(store.waiting()).toHaveLength(1);
    for (let time = 0; time < 3; time += 1)
      expect(store.approve(id)).toMatchObject({ state: 'approved', ticket: 1 });
    expect(store.reject(id, 'too late')).toMatchObject({ state: 'approved', reason: null });
    expect(store.stage(draft)).toMatchObject({ id, ticket: 1 });
    expect(store.approve('nobody')).toBeUndefined();
    expect(store.tickets()).toHaveLength(1);
    store.close();
  });

  it('is the same for two programs at once', () => {
    const board = newBoard();
    const [one, other] = [new TicketStore(board), new TicketStore(board)];
    const { id } = one.stage(draft);
    expect(other.stage(draft).id).toBe(id);
    one.approve(id);
    other.approve(id);
    expect(one.tickets()).toEqual(other.tickets());
    expect(one.tickets()).toHaveLength(1);
    one.close();
    other.close();
  });
});

describe('the page', () => {
  it('accepts requests only from itself: another site and another host name decide nothing', async () => {
    const board = newBoard();
    await playWith('embedded', board, async (url) => {
      const { id } = await untilWaiting(url);
      expect((await decide(url, id, 'approve', '', { origin: 'https://example.com' })).status).toBe(403);
      expect((await fetch(url.replace('127.0.0.1', 'localhost')).catch(() => ({ status: 403 }))).status).toBe(
        403,
      );
      expect((await decide(url, 'nobody', 'approve')).status).toBe(404);
      expect((await fetch(`${url}/staged/${id}/approve`)).status).toBe(404);
      expect((await fetch(`${url}/nowhere`)).status).toBe(404);
      expect((await boardAt(url)).tickets).toEqual([]);
      await decide(url, id, 'approve', '', { origin: url });
    });
  });
});

describe('in the terminal', () => {
  it('a person says yes, or no with a reason; a decision on the page withdraws the question', async () => {
    const store = new TicketStore(newBoard());
    const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
    let shown = '';
    output.on('data', (text: string) => {
      shown += text;
    });
    const signal = new AbortController().signal;
    const stop = askInTerminal(store, { input, output });
    const [first, second, third] = ['one', 'two', 'three'].map((title) => store.stage({ ...draft, title }));
    input.write('perhaps\nyes\n');
    expect(await store.decided(first?.id ?? '', signal)).toMatchObject({ state: 'approved', ticket: 1 });
    store.approve(second?.id ?? '');
    input.write('n known since May\n');
    expect(await store.decided(third?.id ?? '', signal)).toMatchObject({
      state: 'rejected',
      reason: 'known since May',
    });
    stop();
    expect(shown.match(/Approve the bug "one"\?/g)).toHaveLength(2);
    expect(shown).toContain('Approve the bug "two"? [y, or n and a reason]   (decided on the page)');
    store.close();
  });

  it.skipIf(!existsSync('/usr/bin/script'))('a real one, the question appears and "y" ends it', async () => {
    const program = fileURLToPath(new URL('main.mjs', import.meta.url));
    const words = `'${process.execPath}' '${program}' --file '${newBoard()}'`;
    const { NO_COLOR: _, ...env } = process.env;
    const child = spawn('/usr/bin/script', ['-qfec', words, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    programs.add(child);
    let output = '';
    let answered = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (answered || !output.includes('[y, or n and a reason]')) return;
      answered = true;
      child.stdin.write('y\n');
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output).toContain('Approve the bug "The export forgets umlauts"?');
    expect(output).toContain('is on the board.');
    expect(output).toContain('\u001b[');
  });
});

it('stops waiting when the conversation is stopped, and the ticket stays staged', async () => {
  const board = newBoard();
  const stop = new AbortController();
  const options: Options = { signal: stop.signal };
  const store = new TicketStore(board);
  const run = runExample(example, { flags: { file: board }, options });
  await waitUntil(() => store.waiting().length === 1, { what: 'a ticket that waits' });
  stop.abort();
  await expect(run).rejects.toMatchObject({ code: 'ABORTED' });
  expect(store.waiting()).toHaveLength(1);
  store.close();
});
