/** The page while things happen, and with very much of it (R57). */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Inspector, startInspector } from '../../src/inspector/inspector.js';
import type { RunFeed } from '../../src/inspector/inspector-types.js';
import { HandTape } from '../observe/run/hand-tape.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { inspectorOf, openPage, violationsOn } from './support/inspected-page.js';
import { tapeText } from './support/many-tools.js';
import { STOCK } from './support/shop.js';

const FRAMES = 100_000;
const nodesOn = (page: Page) => page.evaluate<number>('document.querySelectorAll("*").length');
const foot = (page: Page) => page.locator('.list-foot');

/** Turns with calls, in as many frames. */
function longTape(frames: number): string {
  const tape = new HandTape().init(0, { tools: [STOCK] });
  for (let id = 1; tape.lines.length < frames - 4; id += 1) {
    const t = id * 20;
    tape.prompt(t, `Question ${id}`).calls(t + 5, `msg_${id}`, { [`toolu_${id}`]: STOCK });
    tape.result(t + 9, `toolu_${id}`, `eight of ${id}`).end(t + 12);
  }
  while (tape.lines.length < frames) tape.got(frames * 20, { type: 'system', subtype: 'status' });
  return tapeText(tape);
}

describeInChromium('the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it('holds 100,000 frames in fewer than 500 elements in any view; End reaches the last (inspector check 2)', async () => {
    await using inspector = await inspectorOf({ 'long.tape': longTape(FRAMES) });
    await using opened = await openPage(browser, inspector.url, { fragment: '&view=wire' });
    const { page, problems } = opened;
    await foot(page).getByText('100,000 lines').waitFor();
    expect(await nodesOn(page)).toBeLessThan(500);
    await page.keyboard.press('End');
    await page.locator('.row.is-selected[aria-posinset="100000"]').waitFor();
    expect(await page.locator('.row.is-selected').isVisible()).toBe(true);
    await page.keyboard.press('Home');
    await page.locator('.row.is-selected[aria-posinset="1"]').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('eight of 19999');
    await foot(page).getByText('1 of 100,000 lines', { exact: true }).waitFor();
    for (const [key, view] of [...'123467'].map((each) => [each, `#view > .view`] as const)) {
      await page.keyboard.press('Escape');
      await page.keyboard.press(key);
      await page.locator(view).or(page.locator('.empty')).first().waitFor();
      expect(await nodesOn(page), `view ${key}`).toBeLessThan(500);
    }
    expect(problems).toEqual([]);
  });

  it('filters while 5,000 frames a second come in, and follows their end (inspector check 3)', async () => {
    await using inspector = await startInspector({ title: 'shop.mjs', source: 'program' });
    const run = inspector.addRun('live');
    run.push(tapeText(new HandTape().prompt(0)));
    inspector.program({ state: 'running' });
    using pouring = new Pouring(run);
    await using opened = await openPage(browser, inspector.url, { fragment: '&view=wire' });
    const { page, problems } = opened;
    await page.getByText('live', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('needle');
    const rows = page.getByRole('listbox', { name: 'Frames' }).getByRole('option');
    // One in a thousand has it.
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
    expect(await rows.filter({ hasNotText: 'needle' }).count()).toBe(0);
    const numbers = async () =>
      (await foot(page).textContent())?.match(/[\d,]+/g)?.map((text) => Number(text.replaceAll(',', '')));
    const found = async () => (await numbers())?.[0] ?? 0;
    const seen = async () => (await numbers())?.[1] ?? 0;
    const before = await seen();
    expect((await found()) * 500).toBeLessThan(before);
    await expect.poll(seen).toBeGreaterThan(before + 5_000);
    await page.keyboard.press('Escape');
    await foot(page)
      .getByText(/^\s*[\d,]+ lines\s*$/)
      .waitFor();
    pouring.stop();
    await foot(page)
      .getByText(`${(pouring.sent + 1).toLocaleString('en-US')} lines`)
      .waitFor();
    await page.locator(`.row[aria-posinset="${pouring.sent + 1}"]`).waitFor();
    expect(problems).toEqual([]);
  });

  it('grows what is open without moving what is there; the end of the program is said', async () => {
    await using inspector = await startInspector({ title: 'shop.mjs', source: 'program' });
    const run = inspector.addRun('live');
    run.push(tapeText(new HandTape().prompt(0).init(10).calls(4_000, 'msg_1', { toolu_1: STOCK })));
    inspector.program({ state: 'running' });
    await using opened = await openPage(browser, inspector.url);
    const { page } = opened;
    await page.getByRole('option', { name: /stock/ }).getByText('still open').waitFor();
    const ticks = page.locator('.tick-label');
    const places = () => ticks.evaluateAll((all) => all.map((each) => each.getAttribute('x')).join());
    const [width, before] = [page.locator('.bar.is-open.kind-tool'), await places()];
    const first = await width.getAttribute('d');
    await expect.poll(() => width.getAttribute('d')).not.toBe(first);
    expect(await places()).toBe(before);
    inspector.program({ state: 'ended', code: null, signal: 'SIGKILL' });
    await page.getByText(/killed \(SIGKILL\)/).waitFor();
    await page.getByText('ended', { exact: true }).waitFor();
    await page.getByRole('option', { name: /stock/ }).getByText('cut off').waitFor();
    await page.keyboard.press('5');
    await foot(page).getByText('3 lines').waitFor();
  });

  it('says that the connection is lost, keeps what it has, and comes back without doubles', async () => {
    const text = tapeText(new HandTape().prompt(0).text(5, 'msg_1', 'Eight.').end(9));
    const first = await startInspector({ title: 'shop.mjs', source: 'program' });
    first.addRun('live').push(text);
    const port = Number(new URL(first.url).port);
    await using opened = await openPage(browser, first.url, { fragment: '&view=wire' });
    const { page } = opened;
    await foot(page).getByText('3 lines').waitFor();
    // The same server again, as far as the page can tell: whatever token it has is taken.
    const token = new URLSearchParams(new URL(first.url).hash.slice(1)).get('token') ?? '';
    await first.close();
    await page.getByText('connection lost').waitFor();
    await foot(page).getByText('3 lines').waitFor();
    const second: Inspector = await startInspector({ title: 'shop.mjs', source: 'program', port });
    await page.route('**/api/feed', (route) => {
      const known = new URLSearchParams(new URL(second.url).hash.slice(1)).get('token');
      expect(route.request().headers().authorization).toBe(`Bearer ${token}`);
      return route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${known}` } });
    });
    second.addRun('live').push(text);
    await page.getByText('live', { exact: true }).waitFor();
    await foot(page).getByText('3 lines').waitFor();
    expect(await page.getByRole('option').count()).toBe(3);
    await second.close();
  });

  it('answers a permission by the keyboard; the answer of somebody else takes the question away (inspector check 5)', async () => {
    const given: string[] = [];
    const answer = (id: string, value: string) => given.push(`${id} ${value}`) > 0;
    await using inspector = await startInspector({
      title: 'shop.mjs',
      source: 'program',
      control: { answer },
    });
    inspector.question({ id: 'q1', tool: STOCK, input: { product: 'hammer' } });
    inspector.question({ id: 'q2', tool: STOCK, input: { product: 'anvil' } });
    await using opened = await openPage(browser, inspector.url);
    const question = opened.page.getByRole('alertdialog');
    await question.getByText('hammer').waitFor();
    expect(await violationsOn(opened.page)).toEqual([]);
    await opened.page.keyboard.press('a');
    await expect.poll(() => given).toEqual(['q1 always']);
    inspector.answered('q1', 'page', 'allowed');
    await question.getByText('anvil').waitFor();
    inspector.answered('q2', 'terminal', 'denied');
    await question.waitFor({ state: 'detached' });
    await opened.page.keyboard.press('y');
    expect(given).toHaveLength(1);
  });

  it('says what would fill it, with the command, when there is nothing', async () => {
    await using inspector = await inspectorOf({});
    await using opened = await openPage(browser, inspector.url);
    for (const key of '1234567') {
      await opened.page.keyboard.press(key);
      await opened.page.locator('.empty h2').waitFor();
      expect(await opened.page.locator('.empty code').textContent()).toMatch(/^tenon (inspect|run) /);
    }
    expect(await violationsOn(opened.page)).toEqual([]);
  });
});

/** Sends 5,000 frames a second, until it is stopped. */
class Pouring implements Disposable {
  sent = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(run: RunFeed) {
    this.#timer = setInterval(() => {
      const lines = Array.from({ length: 100 }, () => this.#line());
      run.push(lines.join(''));
    }, 20);
  }

  #line(): string {
    this.sent += 1;
    const n = this.sent + 1;
    const text = n % 1_000 === 0 ? 'needle' : 'hay';
    const frame = { type: 'system', subtype: 'informational', message: `${text} ${n}` };
    return `${JSON.stringify({ kind: 'frame', n, t: n / 5, direction: '<', frame })}\n`;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.stop();
  }
}
