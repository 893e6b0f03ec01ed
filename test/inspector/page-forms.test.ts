/** Forms that are made from the schemas of tools (R58; inspector check 7). */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CallBody } from '../../src/inspector/feed-lines.js';
import { type Inspector, startInspector } from '../../src/inspector/inspector.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { openPage, violationsOn } from './support/inspected-page.js';

const inputSchema = {
  type: 'object',
  required: ['product', 'pieces', 'gift', 'address'],
  properties: {
    product: { type: 'string', description: 'The name on the shelf' },
    pieces: { type: 'integer', minimum: 1 },
    gift: { type: 'boolean' },
    express: { type: 'boolean' },
    currency: { enum: ['EUR', 'USD', 7] },
    tags: { type: 'array', items: { type: 'string' } },
    address: {
      type: 'object',
      properties: { street: { type: 'string' }, lift: { type: ['boolean', 'null'] } },
    },
    extra: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  },
};

describeInChromium('the form of a tool', () => {
  const calls: CallBody[] = [];
  let browser: Browser;
  let inspector: Inspector;
  beforeAll(async () => {
    browser = await launchChromium();
    const call = async (body: CallBody) => {
      calls.push(body);
      if (typeof body.arguments.pieces === 'string')
        throw new Error('pieces: expected number, received string');
      return { content: [] };
    };
    inspector = await startInspector({
      title: 'tools.ts',
      source: 'playground',
      control: { answer: () => true, call },
    });
    const tools = [{ server: 'shop', name: 'order', description: 'Orders it.', inputSchema }];
    inspector.playground({
      file: 'tools.ts',
      model: 'a rehearsal',
      isReal: false,
      isBusy: false,
      tools,
      problem: undefined,
      loads: 1,
    });
  });
  afterAll(async () => {
    await browser?.close();
    await inspector?.close();
  });

  it('sends what was filled in, nested and in lists, and leaves out what was not', async () => {
    await using opened = await openPage(browser, inspector.url);
    const { page, problems } = opened;
    await page.getByRole('button', { name: '1 tool' }).click();
    await page.getByRole('button', { name: 'shop.order' }).click();
    await page.getByLabel('product').fill('hammer');
    await page.getByLabel('pieces').fill('2');
    await page.getByLabel('gift').check();
    await page.getByLabel('currency').selectOption('7');
    await page.getByRole('button', { name: 'add tags' }).click();
    await page.getByLabel('tags 1', { exact: true }).fill('steel');
    await page.getByRole('button', { name: 'add tags' }).click();
    await page.getByLabel('tags 2', { exact: true }).fill('heavy');
    await page.getByRole('button', { name: 'Remove tags 1' }).click();
    await page.getByLabel('street').fill('Shelf Street');
    await page.getByLabel('extra').fill('{"deep":[1]}');
    await page.getByRole('button', { name: 'Call order' }).click();
    await page.getByText('An empty result').waitFor();
    expect(calls.at(-1)).toEqual({
      server: 'shop',
      tool: 'order',
      arguments: {
        product: 'hammer',
        pieces: 2,
        gift: true,
        currency: 7,
        tags: ['heavy'],
        address: { street: 'Shelf Street' },
        extra: { deep: [1] },
      },
    });
    expect(problems).toEqual([]);
  });

  it('shows the error of wrong arguments; a narrow window has it in a tab of its own, and axe finds nothing', async () => {
    await using opened = await openPage(browser, inspector.url, { viewport: { width: 400, height: 800 } });
    const { page } = opened;
    await page.getByRole('tab', { name: 'Play' }).click();
    await page.getByRole('button', { name: '1 tool' }).click();
    await page.getByRole('button', { name: 'shop.order' }).click();
    await page.getByLabel('pieces').fill('many');
    await page.getByRole('button', { name: 'Call order' }).click();
    await page.getByText('pieces: expected number, received string').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });
});
