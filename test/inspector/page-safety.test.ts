/** What strangers write into a run stays text in the page, and secrets never come to it (R57). */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toolUse } from '../../src/testing/index.js';
import { HandTape } from '../observe/run/hand-tape.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { inspectorOf, openPage, VIEWS } from './support/inspected-page.js';
import { tapeText } from './support/many-tools.js';
import { STOCK, shopTape } from './support/shop.js';

const ATTACK = `<img src=x onerror="alert(1)"><script>alert(2)</script></script><svg onload=alert(3)>{{x}}\u2028`;
const SECRET = 'sk-ant-api03-planted-secret-0123456789abcdefghij';

/** A run in which everything that can be named is an attack. */
function hostileTape(): string {
  const tool = `mcp__shop__${ATTACK}`;
  const definition = {
    name: tool,
    description: ATTACK,
    input_schema: { type: 'object', description: ATTACK },
  };
  return tapeText(
    new HandTape({ agent: ATTACK, options: { mcpServers: ['shop', ATTACK] } })
      .prompt(0, ATTACK)
      .init(1, { tools: [tool], model: ATTACK, mcp_servers: [{ name: 'shop', status: 'connected' }] })
      .line({
        kind: 'request',
        t: 2,
        id: 1,
        request: {
          model: ATTACK,
          system: ATTACK,
          tools: [definition],
          messages: [{ role: ATTACK, content: ATTACK }],
        },
      })
      .calls(5, 'msg_1', { toolu_1: tool })
      .line({ kind: 'answer', t: 6, id: 1, events: [] })
      .asks(6, ATTACK, {
        subtype: 'can_use_tool',
        tool_name: tool,
        input: { [ATTACK]: ATTACK },
        tool_use_id: 'toolu_1',
      })
      .result(9, 'toolu_1', [{ type: 'text', text: ATTACK }], { is_error: true })
      .end(12, { result: ATTACK, is_error: true, subtype: ATTACK, errors: [ATTACK] })
      .line({ kind: 'stderr', t: 13, text: ATTACK }),
  );
}

describeInChromium('the page of a hostile run', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it('runs nothing of it, asks nobody, and its policy has nothing to refuse (inspector checks 10, 13)', async () => {
    const inputSchema = { type: 'object', properties: { [ATTACK]: { type: 'string', description: ATTACK } } };
    const control = { answer: () => true };
    await using inspector = await inspectorOf(
      { [ATTACK]: hostileTape(), two: hostileTape() },
      { title: ATTACK, source: 'playground', control },
    );
    const tools = [{ server: ATTACK, name: ATTACK, description: ATTACK, inputSchema }];
    inspector.playground({
      file: ATTACK,
      model: ATTACK,
      isReal: false,
      isBusy: true,
      tools,
      problem: ATTACK,
      loads: 1,
    });
    inspector.question({ id: 'q', tool: ATTACK, input: { a: ATTACK } });
    await using opened = await openPage(browser, inspector.url);
    const { page, problems, foreign } = opened;
    await page.getByRole('heading', { name: ATTACK.trim() }).waitFor();
    for (const [index, view] of VIEWS.entries()) {
      await page.keyboard.press(String(index + 1));
      await page.locator(`.${view}-view`).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
    }
    await page.getByRole('button', { name: '1 tool' }).click();
    await page.locator('.tool-form-head').click();
    await page.locator('.field label').first().waitFor();
    expect(await page.locator('img, #page script, svg[onload]').count()).toBe(0);
    expect((await page.locator('#page').textContent())?.includes(ATTACK.trim())).toBe(true);
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
  });

  it('has no secret in it that the run knew (inspector check 11)', async () => {
    const script = [toolUse(STOCK, { product: `hammer for ${SECRET}` }), `It is ${SECRET}.`];
    const tape = await shopTape({
      script,
      answer: `the key is ${SECRET}`,
      options: { env: { SHOP_API_KEY: SECRET } },
    });
    await using inspector = await inspectorOf({ 'run.tape': tape, 'again.tape': tape });
    await using opened = await openPage(browser, inspector.url);
    const { page } = opened;
    for (const [index, view] of VIEWS.entries()) {
      await page.keyboard.press(String(index + 1));
      await page.locator(`.${view}-view`).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      expect(await page.content()).not.toContain(SECRET.slice(8));
    }
    await page.keyboard.press('2');
    await page
      .getByText(/hammer for/)
      .first()
      .waitFor();
  });
});
