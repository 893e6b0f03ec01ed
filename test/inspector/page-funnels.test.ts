/** A newcomer sees in the page why a tool was not called, from real recordings (inspector check 4). */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Options } from '../../src/index.js';
import { toolUse } from '../../src/testing/index.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { inspectorOf, openPage } from './support/inspected-page.js';
import { type Shop, STOCK, shopTape } from './support/shop.js';

interface Case extends Shop {
  readonly name?: string;
  readonly step: string;
  readonly reason: RegExp;
}

const CALL = [toolUse(STOCK, { product: 'hammer' }), 'No.'];
const blocked: Options['hooks'] = {
  PreToolUse: [
    {
      hooks: [
        async () => ({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: 'Not on Mondays.',
          },
        }),
      ],
    },
  ],
};

const CASES: Readonly<Record<string, Case>> = {
  'deferred by the CLI': {
    onCli: true,
    script: ['No.'],
    options: { env: { ENABLE_TOOL_SEARCH: 'true' } },
    step: 'not in the prompt',
    reason: /deferred behind ToolSearch/,
  },
  denied: {
    script: CALL,
    options: { allowedTools: [] },
    step: 'not permitted',
    reason: /Refunds need a manager/,
  },
  disconnected: {
    script: ['No.'],
    options: { mcpServers: { shop: { type: 'stdio', command: 'no-such-program-at-all' } } },
    step: 'not connected',
    reason: /The server "shop" has failed/,
  },
  misspelt: {
    script: [toolUse('mcp__shop__stok'), 'No.'],
    name: 'mcp__shop__stok',
    step: 'not listed',
    reason: /lists "stock".*but no "stok"/,
  },
  'blocked by a hook': {
    script: CALL,
    options: { hooks: blocked },
    step: 'not permitted',
    reason: /Not on Mondays/,
  },
};

describeInChromium('the funnel of a tool in the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it.each(Object.entries(CASES))('that was %s names its step, reason and remedy', async (_, each) => {
    const { name = STOCK, step, reason, ...shop } = each;
    await using inspector = await inspectorOf({ 'run.tape': await shopTape(shop) });
    await using opened = await openPage(browser, inspector.url, { fragment: `&view=tools&tool=${name}` });
    const why = opened.page.getByRole('region', { name: 'Why' });
    await why.getByText(`${step}:`).waitFor();
    expect(await why.textContent()).toMatch(reason);
    expect(((await why.locator('.why-remedy').textContent()) ?? '').length).toBeGreaterThan(20);
    const steps = opened.page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    expect(await steps.count()).toBe(9);
    const broken = steps.filter({ has: opened.page.getByText('broken', { exact: true }) });
    expect(await broken.count()).toBe(1);
    expect(await broken.textContent()).toContain(step.replace('not ', ''));
  });

  it('is one click from the banner, which a newcomer sees first', async () => {
    const script = ['I cannot look that up.'];
    const tape = await shopTape({ script, options: { disallowedTools: [STOCK] } });
    await using inspector = await inspectorOf({ 'run.tape': tape });
    await using opened = await openPage(browser, inspector.url);
    const { page } = opened;
    await page
      .getByRole('region', { name: 'State of the run' })
      .getByText(/shop\.stock/)
      .waitFor();
    await page.getByRole('button', { name: 'why?' }).click();
    await page.getByRole('region', { name: 'Why' }).getByText('not visible:').waitFor();
  });

  it('is found among a hundred tools with long names, and the page stays small', async () => {
    const { inspectorWithTools } = await import('./support/many-tools.js');
    await using inspector = await inspectorWithTools(100);
    await using opened = await openPage(browser, inspector.url, { fragment: '&view=tools' });
    const { page } = opened;
    const rows = page.getByRole('listbox', { name: 'Tools' }).getByRole('option');
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
    expect(await rows.first().getAttribute('aria-setsize')).toBe('100');
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(500);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await page.keyboard.press('/');
    await page.keyboard.type('_077_');
    await expect.poll(() => rows.count()).toBe(1);
  });
});
