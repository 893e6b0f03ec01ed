import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Options } from 'tenon';
import { createHost } from 'tenon/host';
import { postgresStorage } from 'tenon/host/postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { alive, cliPath, descendants, waitUntil } from '../../test/support/real-cli.js';
import { runExample } from '../shared/agent.mjs';
import { prepareDirectory } from '../shared/host-directory.js';
import { backends, callTools, play } from '../shared/testing.js';
import { askInTerminal } from './ask-person.mjs';
import type { Waiting } from './desk.mjs';
import { example } from './example.mjs';
import { TicketStore } from './store.mjs';
import { draft, hostedBoard, sharedStorage } from './testing.js';

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

const call = (name: string, input: Record<string, unknown>) => ({ name: `mcp__board__${name}`, input });

/** A board that the program can start with at once. */
async function preparedBoard() {
  const board = newBoard();
  await prepareDirectory(`${board}.host`);
  return board;
}

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

async function boardAt(url: string): Promise<{ waiting: Waiting[]; tickets: { number: number }[] }> {
  return (await fetch(`${url}/board.json`)).json();
}

async function untilWaiting(url: string): Promise<Waiting> {
  await waitUntil(async () => (await boardAt(url)).waiting.length > 0, {
    what: 'a ticket that waits',
  });
  const [first] = (await boardAt(url)).waiting;
  if (first === undefined) throw new Error('No ticket waits.');
  return first;
}

/** Runs the example in this process, with a person who decides on the page. */
async function playWith(backend: 'embedded' | 'cli', person: (url: string) => Promise<void>) {
  let decided: Promise<void> | undefined;
  const print = (label: string, words: string) => {
    if (label === 'page') decided = person(/http:\S+/.exec(words)?.[0] ?? '');
  };
  const open: typeof example.open = () => example.open({ flags: { file: ':memory:' }, print });
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
) => fetch(`${url}/waiting/${id}/${decision}`, { method: 'POST', body: reason, headers });

describe.each(backends)('the ticket board on %s (R36)', (backend) => {
  it('creates a ticket when a person has approved it, and not before', async () => {
    let before: unknown[] = ['not asked'];
    const { calls, answer } = await playWith(backend, async (url) => {
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
    const { calls, answer } = await playWith(backend, async (url) => {
      await decide(url, (await untilWaiting(url)).id, 'reject', 'known since May');
    });
    expect(calls.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('The ticket was not approved. Reason: known since May'),
    });
    expect(answer).toContain('known since May');
  });

  it('answers bad input of each tool with an error that says what is wrong, and asks nobody', async () => {
    // Nobody is there: a question would never be answered.
    const open: typeof example.open = ({ print }) => example.open({ flags: { file: ':memory:' }, print });
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
  });

  it('goes on where it was when it is killed while a ticket waits; approved, it is on the board once (R63)', async () => {
    const board = await preparedBoard();
    const flags = backend === 'cli' ? ['--cli'] : [];
    const first = start(board, flags);
    const before = await untilWaiting(await first.page());
    const children = descendants(first.child.pid ?? 0);
    first.child.kill('SIGKILL');
    await first.ended;
    await waitUntil(() => !children.some(alive), { what: 'the end of the agent' });

    const second = start(board, flags);
    const url = await second.page();
    expect(second.output()).toContain('resumed  the conversation that was not finished');
    expect((await boardAt(url)).waiting).toEqual([before]);
    expect((await decide(url, before.id, 'approve')).status).toBe(200);
    expect(await second.ended).toEqual({ code: 0, signal: null });
    expect(second.output()).toContain('Ticket #1 "The export forgets umlauts" is on the board.');
    // The agent has not begun anew: it has tried once with a kind that is none.
    const story = second.output().split(' again ').at(-1) ?? '';
    expect(story.match(/call .*"kind":"defect"/g)).toHaveLength(1);
    expect(story.match(/call .*"kind":"bug"/g)).toHaveLength(1);
    expect(ticketsIn(board)).toMatchObject([{ number: 1, title: draft.title, kind: 'bug' }]);
  });

  it('has one ticket also if it is killed right after the approval', async () => {
    const board = await preparedBoard();
    const flags = backend === 'cli' ? ['--cli'] : [];
    const first = start(board, flags);
    const url = await first.page();
    const { id } = await untilWaiting(url);
    await decide(url, id, 'approve');
    first.child.kill('SIGKILL');
    await first.ended;
    const second = start(board, flags);
    // It goes on by itself, unless the CLI cannot tell whether the call was made, and there is no ticket: then it asks again.
    const again = second.page().then(async (page) => {
      const another = async () => (await boardAt(page)).waiting.find((each) => each.id !== id);
      await waitUntil(async () => (await another()) !== undefined, { what: 'another question' });
      const isThere = ticketsIn(board).length > 0;
      // All was done before the signal arrived, and this is a new conversation.
      if (isThere) second.child.kill('SIGKILL');
      else await decide(page, (await another())?.id ?? '', 'approve');
    });
    again.catch(() => {});
    await second.ended;
    expect(ticketsIn(board)).toHaveLength(1);
  });
});

function ticketsIn(board: string) {
  const store = new TicketStore(board);
  const tickets = store.tickets();
  store.close();
  return tickets;
}

describe('a ticket that waits (R63)', () => {
  it('is approved in another program than the one that has asked; the first decision counts', async () => {
    const storage = sharedStorage();
    const file = newBoard();
    {
      await using board = hostedBoard(storage, { file });
      await board.ask('one');
      // Put away: nothing is held open for it.
      const state = async () => (await board.host.session({ tenant: 'board', session: 'one' }))?.state;
      await waitUntil(async () => (await state()) === 'waiting', { what: 'the end of the turn' });
      expect((await board.host.stats()).open).toBe(0);
      expect(board.store.tickets()).toEqual([]);
    }
    await using board = hostedBoard(storage, { file });
    await board.desk.refresh();
    const [waiting] = board.desk.waiting();
    expect(waiting).toMatchObject({ ...draft, title: 'one' });
    const id = waiting?.id ?? '';
    const outcomes = await Promise.all([
      board.desk.approve(id),
      board.desk.reject(id, 'no'),
      board.desk.approve(id),
    ]);
    expect(outcomes.toSorted()).toEqual(['already', 'already', 'taken']);
    expect(outcomes[0]).toBe('taken');
    expect(await board.outcome('one')).toBe('Ticket #1 "one" is on the board.');
    expect(board.store.tickets()).toHaveLength(1);
    expect(board.desk.waiting()).toEqual([]);
    expect(await board.desk.approve('nobody')).toBe('gone');
  });

  it('is one ticket however often its call is made, also by two programs', () => {
    const file = newBoard();
    const [one, other] = [new TicketStore(file), new TicketStore(file)];
    const numbers = [one, other, one].map((store) => store.create('session:call', draft).number);
    expect(numbers).toEqual([1, 1, 1]);
    expect(other.create('session:another', draft).number).toBe(2);
    expect(one.tickets()).toEqual(other.tickets());
    expect(one.tickets()).toHaveLength(2);
    one.close();
    other.close();
  });
});

describe('the page', () => {
  it('accepts requests only from itself: another site and another host name decide nothing', async () => {
    await playWith('embedded', async (url) => {
      const { id } = await untilWaiting(url);
      expect((await decide(url, id, 'approve', '', { origin: 'https://example.com' })).status).toBe(403);
      expect((await fetch(url.replace('127.0.0.1', 'localhost')).catch(() => ({ status: 403 }))).status).toBe(
        403,
      );
      expect((await decide(url, 'nobody', 'approve')).status).toBe(404);
      expect((await fetch(`${url}/waiting/${id}/approve`)).status).toBe(404);
      expect((await fetch(`${url}/nowhere`)).status).toBe(404);
      expect((await boardAt(url)).tickets).toEqual([]);
      expect((await decide(url, id, 'approve', '', { origin: url })).status).toBe(200);
    });
  });
});

describe('in the terminal', () => {
  it('a person says yes, or no with a reason; a decision on the page withdraws the question', async () => {
    await using board = hostedBoard();
    const [input, output] = [new PassThrough(), new PassThrough().setEncoding('utf8')];
    let shown = '';
    output.on('data', (text: string) => {
      shown += text;
    });
    const stop = askInTerminal(board.desk, { input, output });
    for (const title of ['one', 'two', 'three']) await board.ask(title);
    input.write('perhaps\nyes\n');
    expect(await board.outcome('one')).toBe('Ticket #1 "one" is on the board.');
    await waitUntil(() => shown.includes('"two"?'), { what: 'the next question' });
    await board.desk.approve(board.desk.waiting().find(({ title }) => title === 'two')?.id ?? '');
    await waitUntil(() => shown.includes('"three"?'), { what: 'the last question' });
    input.write('n known since May\n');
    expect(await board.outcome('three')).toBe('The ticket was not approved. Reason: known since May');
    expect(await board.outcome('two')).toContain('"two" is on the board.');
    stop();
    expect(shown.match(/Approve the bug "one"\?/g)).toHaveLength(2);
    expect(shown).toContain('Approve the bug "two"? [y, or n and a reason]   (decided on the page)');
    expect(board.store.tickets().map(({ title }) => title)).toEqual(['one', 'two']);
  });

  it.skipIf(!existsSync('/usr/bin/script'))('a real one, the question appears and "y" ends it', async () => {
    const program = fileURLToPath(new URL('main.mjs', import.meta.url));
    const words = `'${process.execPath}' '${program}' --file '${await preparedBoard()}'`;
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

it('stops when it is told to, and the ticket still waits at the next start', async () => {
  const file = await preparedBoard();
  const stop = new AbortController();
  const options: Options = { signal: stop.signal };
  let asked: Promise<string> | undefined;
  const print = (label: string, words: string) => {
    if (label === 'page') asked = untilWaiting(/http:\S+/.exec(words)?.[0] ?? '').then(({ id }) => id);
  };
  const run = runExample(example, { flags: { file }, options, print });
  // It fails as soon as it is stopped, and that is looked at below.
  run.catch(() => {});
  await waitUntil(() => asked !== undefined, { what: 'the page' });
  const id = await asked;
  stop.abort();
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  await using host = createHost({ options: {}, storage: postgresStorage({ directory: `${file}.host` }) });
  expect((await host.pendingApprovals({ tenant: 'board' })).map((each) => each.id)).toEqual([id]);
});
