/** The page in a real browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../shared/free-port.js';
import { prepareDirectory } from '../shared/host-directory.js';
import { findChromium } from '../shared/programs.mjs';
import { servePage } from './page.mjs';
import { TicketStore } from './store.mjs';
import { hostedBoard } from './testing.js';

const executablePath = findChromium();
const missing = executablePath === undefined ? ' (not installed here: Debian package chromium)' : '';

describe.skipIf(executablePath === undefined)(`the page in Chromium${missing} (R36)`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-page-'));
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-sync',
      ],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows a ticket when it waits, and a click approves it', async () => {
    await using board = hostedBoard();
    const served = await servePage(board.desk, board.store);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(served.url);
    await page.getByText('Nothing is waiting for you.').waitFor();

    const title = '<img src=x onerror="document.title=1"> & more';
    await board.ask(title, 'a');
    const waiting = page.getByRole('list', { name: 'Waiting for you' });
    await waiting.getByText(title).waitFor();
    expect(await page.title()).toBe('Ticket board');
    expect(await page.getByRole('status').textContent()).toBe('Waiting for you: 1');
    expect(board.store.tickets()).toEqual([]);

    await waiting.getByRole('button', { name: 'Approve' }).click();
    expect(await board.outcome('a')).toBe(`Ticket #1 "${title}" is on the board.`);
    await page.getByRole('list', { name: 'On the board' }).getByText(`#1 ${title}`).waitFor();
    await page.getByText('Nothing is waiting for you.').waitFor();
    expect(problems).toEqual([]);
    await page.close();
    await served.close();
  });

  it('takes a reason, keeps it while other tickets arrive, and says when the program is not running', async () => {
    await using board = hostedBoard();
    const served = await servePage(board.desk, board.store);
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
    await page.goto(served.url);
    await board.ask('First');
    await page.getByLabel('Reason for First').fill('not now');
    await board.ask('Second');
    await page.getByText('Waiting for you: 2').waitFor();
    expect(await page.getByLabel('Reason for First').inputValue()).toBe('not now');
    const isWider = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
    expect(await page.evaluate(isWider)).toBe(false);
    await page.getByLabel('Reason for First').press('Enter');
    expect(await board.outcome('First')).toBe('The ticket was not approved. Reason: not now');
    await page.getByText('Waiting for you: 1').waitFor();
    await served.close();
    await page.getByText('The program is not running.').waitFor();
    await page.close();
    expect(board.store.tickets()).toEqual([]);
  });

  it('survives the program: killed while a ticket waits and started again, a click on the open page approves it', async () => {
    await prepareDirectory(join(folder, 'killed.db.host'));
    const flags = ['--file', join(folder, 'killed.db'), '--port', String(await freePort())];
    const first = startProgram(flags);
    const url = await first.address;
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText('Waiting for you: 1').waitFor();
    first.child.kill('SIGKILL');
    await first.ended;
    await page.getByText('The program is not running.').waitFor();

    const second = startProgram(flags);
    expect(await second.address).toBe(url);
    // The page finds it again by itself.
    await page.getByText('Waiting for you: 1').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await second.ended).toEqual([0, null]);
    expect(second.output()).toContain('Ticket #1 "The export forgets umlauts" is on the board.');
    await page.close();

    const store = new TicketStore(join(folder, 'killed.db'));
    expect(store.tickets()).toHaveLength(1);
    store.close();
  });
});

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function startProgram(flags: readonly string[]) {
  const program = fileURLToPath(new URL('main.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  const ended = once(child, 'close');
  let output = '';
  const address = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /page +(http:\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    ended.then((how) => reject(new Error(`The program ended too soon (${how}): ${output}`)));
  });
  return { child, address, ended, output: () => output };
}
