/** The inspector's page in a real browser: its seven views, keys, links and exports (R57). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Inspector } from '../../src/inspector/inspector.js';
import { temporaryDirectory } from '../support/temporary.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { inspectorOf, openPage, VIEWS, violationsOn } from './support/inspected-page.js';
import { shopTape } from './support/shop.js';

const folder = temporaryDirectory();

const totalsOn = (page: Page) => page.getByLabel('Totals of the run').textContent();
const detailOf = (page: Page) => page.getByRole('complementary', { name: 'Detail' });
const isWide = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');

describeInChromium('the page, of two tapes', () => {
  let browser: Browser;
  let inspector: Inspector;
  beforeAll(async () => {
    const description = 'How many pieces of a product are in stock, and on which shelf.';
    const [before, after] = [await shopTape(), await shopTape({ description })];
    inspector = await inspectorOf({ 'before.tape': before, 'after.tape': after });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await inspector?.close();
  });

  it('shows every view, and axe finds nothing in any, light and dark, wide and narrow (inspector check 12)', async () => {
    const looks = [
      { colorScheme: 'light', width: 1280 },
      { colorScheme: 'dark', width: 1280 },
      { colorScheme: 'dark', width: 400 },
    ] as const;
    for (const { colorScheme, width } of looks) {
      await using opened = await openPage(browser, inspector.url, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      const { page, problems } = opened;
      await page.getByRole('tab', { name: 'Timeline' }).waitFor();
      for (const [index, view] of VIEWS.entries()) {
        await page.keyboard.press(String(index + 1));
        await page.locator(`.${view}-view`).waitFor();
        expect(await isWide(page), `${view} at ${width}`).toBe(false);
        expect(await violationsOn(page), `${view} ${colorScheme}`).toEqual([]);
      }
      await page.keyboard.press('4');
      await page.getByRole('listbox', { name: 'Tools' }).getByRole('option').first().click();
      await detailOf(page).waitFor();
      expect(await isWide(page)).toBe(false);
      expect(await violationsOn(page), `detail ${colorScheme}`).toEqual([]);
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      expect(await violationsOn(page), `help ${colorScheme}`).toEqual([]);
      expect(problems).toEqual([]);
    }
  });

  it('says what the run was, and asks nobody but its own server (inspector check 13)', async () => {
    await using opened = await openPage(browser, inspector.url);
    const { page, foreign, problems } = opened;
    await page.getByText('Finished').waitFor();
    expect(await totalsOn(page)).toMatch(/\d+ m?s\s*·?\s*3 req\s*·?\s*3 calls/);
    for (const key of '1234567') await page.keyboard.press(key);
    await page.locator('.diff-view').waitFor();
    expect(page.url()).not.toContain('token');
    expect({ foreign, problems }).toEqual({ foreign: [], problems: [] });
  });

  it('marks what was waited for in the timeline, zooms it, and opens a span by keys', async () => {
    await using opened = await openPage(browser, inspector.url);
    const { page } = opened;
    await expect.poll(() => page.locator('.critical-mark').count()).toBeGreaterThan(0);
    await expect.poll(() => page.getByText(/\d+ %/).count()).toBeGreaterThan(1);
    const window = page.locator('.overview .window');
    const all = Number(await window.getAttribute('width'));
    await page.keyboard.press('+');
    await expect.poll(async () => Number(await window.getAttribute('width'))).toBeLessThan(all * 0.6);
    await page.keyboard.press('0');
    await expect.poll(async () => Number(await window.getAttribute('width'))).toBe(all);
    await page.keyboard.press('/');
    await page.keyboard.type('stock');
    await page.keyboard.press('Enter');
    await page.locator('.row.is-selected').getByText('stock').waitFor();
    await page.keyboard.press('Enter');
    await detailOf(page).getByText('pieces').first().waitFor();
    await expect.poll(() => page.url()).toContain('span=tool');
    await page.keyboard.press('Escape');
    await detailOf(page).waitFor({ state: 'detached' });
  });

  it('shows calls with what they gave, and what the model saw', async () => {
    await using opened = await openPage(browser, inspector.url, { fragment: '&view=messages' });
    const { page } = opened;
    const call = page.getByRole('group', { name: 'Call of mcp__shop__price' });
    await call.getByText('No price list.').waitFor();
    await page.keyboard.press('3');
    await page.keyboard.press('k');
    await page
      .getByText('2 new')
      .or(page.getByText('new', { exact: true }))
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Tools/ }).click();
    await page.getByText('What a product costs.').first().waitFor();
  });

  it('goes to where a link points, and to the pair of a frame by keys', async () => {
    await using opened = await openPage(browser, inspector.url, {
      fragment: '&run=1&view=tools&tool=refund',
    });
    const { page } = opened;
    await detailOf(page).getByText('not permitted:').waitFor();
    await detailOf(page)
      .getByText(/Refunds need a manager/)
      .first()
      .waitFor();
    await page.goto(`${inspector.url}&run=1&view=wire&frame=1`);
    await detailOf(page).getByText('initialize').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await detailOf(page).getByText('control_response').first().waitFor();
    expect(page.url()).not.toMatch(/frame=1$/);
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await expect.poll(() => page.url()).toMatch(/frame=1$/);
  });

  it('names the changed description first in Diff (inspector check 15)', async () => {
    await using opened = await openPage(browser, inspector.url, { fragment: '&view=diff' });
    const first = opened.page.locator('.differences li').first();
    await first.getByText(/on which shelf/).waitFor();
    expect(await first.getByRole('heading').textContent()).toMatch(
      /mcp__shop__stock.*description|description.*mcp__shop__stock/i,
    );
  });

  it('exports OTLP with the spans of the page, as the same tree (inspector check 15)', async () => {
    await using opened = await openPage(browser, inspector.url);
    const { page } = opened;
    const rows = page.getByRole('listbox', { name: 'Spans' }).getByRole('option');
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
    const exported = JSON.parse(await savedAs(page, 'OTLP/JSON')) as ExportedTraces;
    const spans = exported.resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    );
    expect(spans.length).toBe(Number(await rows.first().getAttribute('aria-setsize')));
    const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
    const parentOf = (part: string) =>
      names.get(spans.find(({ name }) => name.includes(part))?.parentSpanId ?? '');
    expect(parentOf(`execute_tool ${'mcp__shop__stock'}`)).toMatch(/^invoke_agent/);
    expect(spans.filter(({ name }) => name.startsWith('chat '))).toHaveLength(3);
  });

  it('exports one HTML file that shows the same from a disk, and can be exported again', async () => {
    await using opened = await openPage(browser, inspector.url);
    await opened.page.getByText('Finished').waitFor();
    const totals = await totalsOn(opened.page);
    const file = join(folder, 'saved.html');
    await writeFile(file, await savedAs(opened.page, 'Page'));
    await using saved = await openPage(browser, pathToFileURL(file).href, { fragment: '#view=tools' });
    const { page, problems, foreign } = saved;
    await page.getByText('saved', { exact: true }).waitFor();
    await expect.poll(() => totalsOn(page)).toBe(totals);
    await page.getByRole('option', { name: /refund/ }).waitFor();
    const again = await savedAs(page, 'Page');
    expect(again.length).toBeGreaterThan((await readFile(file, 'utf8')).length * 0.9);
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
  });

  it('exports the tape as it was recorded', async () => {
    await using opened = await openPage(browser, inspector.url, { fragment: '&run=2' });
    await opened.page.getByText('Finished').waitFor();
    expect(await savedAs(opened.page, 'Tape')).toMatch(/^\{"tape":1,[\s\S]*on which shelf/);
  });

  it('keeps the theme that was chosen', async () => {
    await using opened = await openPage(browser, inspector.url, { colorScheme: 'light' });
    const { page } = opened;
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    await page.getByRole('button', { name: 'Light or dark' }).waitFor();
    const light = await background();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByText('Finished').waitFor();
    expect(await background()).toBe(dark);
  });
});

interface ExportedTraces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { spanId: string; parentSpanId?: string; name: string }[];
    }[];
  }[];
}

/** What an item of the export menu saves. */
async function savedAs(page: Page, item: string): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('dialog', { name: 'Export' }).getByRole('button', { name: item }).click();
  return readFile((await (await download).path()) ?? '', 'utf8');
}
