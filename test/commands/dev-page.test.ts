/** The playground in a real Chromium, with its terminal beside it (R57, R58). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium, launchChromium } from '../inspector/support/chromium.js';
import { type Sandbox, sandbox, waitUntil } from '../support/real-cli.js';
import { project } from './support/project.js';
import { describeInTerminal, Terminal } from './support/terminal.js';

const SHOP = `import { tool } from 'tenon';
const product = { type: 'object', properties: { product: { type: 'string' }, count: { type: 'integer', minimum: 1 } }, required: ['product'] };
export const price = tool('price', 'What it costs', product, ({ product }) => (product === 'hammer' ? '12 euros' : ''));
`;

describeInTerminal('tenon dev', () => describeInChromium('in a browser, beside its terminal', inBrowser));

function inBrowser(): void {
  let browser: Browser;
  let box: Sandbox;
  let terminal: Terminal;
  let page: Page;

  beforeAll(async () => {
    [browser, box] = [await launchChromium(), sandbox()];
    await project(box.cwd, { 'package.json': '{"type":"module"}', 'shop.js': SHOP });
    terminal = new Terminal(['dev', './shop.js'], { env: { PATH: '', HOME: box.home }, cwd: box.cwd });
    const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;
    await waitUntil(() => address.test(terminal.raw), { what: 'the address of the page' });
    page = await browser.newPage();
    await page.goto(address.exec(terminal.raw)?.[0] ?? '');
  });

  afterAll(async () => {
    terminal[Symbol.dispose]();
    await browser.close();
    await box[Symbol.asyncDispose]();
  });

  const send = async (text: string) => {
    await page.getByRole('button', { name: 'Chat', exact: true }).click();
    await page.getByLabel('Message to the agent').fill(text);
    await page.getByLabel('Message to the agent').press('Enter');
  };

  it('says that no real model answers, and what does', async () => {
    const notice = page.locator('.model-notice');
    await notice.getByText('No real model answers.').waitFor();
    expect(await notice.textContent()).toContain('a rehearsal model answers');
    await terminal.sees('a rehearsal model answers');
  });

  it('shows the error of the schema in a form, and calls an empty result so (inspector check 7)', async () => {
    await page.getByRole('button', { name: '1 tool' }).click();
    await page.getByRole('button', { name: 'shop.price' }).click();
    const call = page.getByRole('button', { name: 'Call price' });
    const outcome = page.locator('.outcome-of-call');
    await call.click();
    await outcome
      .getByText(/Invalid arguments for tool "price".*product/)
      .first()
      .waitFor();
    await page.getByLabel('product').fill('hammer');
    await call.click();
    await outcome.getByText('12 euros').first().waitFor();
    await page.getByLabel('product').fill('nail');
    await call.click();
    await outcome.getByText('An empty result').waitFor();
    await terminal.sees(/✓ shop\.price \{"product":"nail"\} → .*from the page/);
  });

  it('answers a question by the keyboard; the question of the terminal disappears (inspector check 5)', async () => {
    await send('price product=hammer');
    await terminal.sees('? Run shop.price {"product":"hammer"}\n  [y]es');
    await page.getByRole('alertdialog', { name: 'Permission' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('body').press('y');
    await terminal.sees('? Run shop.price {"product":"hammer"}\n  yes, from the page');
    expect(await terminal.text()).not.toContain('[y]es');
    await page.getByRole('log').getByText('shop.price answered: 12 euros').waitFor();
    await page.getByRole('alertdialog', { name: 'Permission' }).waitFor({ state: 'detached' });
  });

  it('loses its question when the terminal is first', async () => {
    await terminal.sees(/\n>$/);
    await send('price product=hammer');
    await page.getByRole('alertdialog', { name: 'Permission' }).waitFor();
    terminal.press('a');
    await page.getByRole('alertdialog', { name: 'Permission' }).waitFor({ state: 'detached' });
    await terminal.sees(/always in this run[\s\S]*\n>$/);
  });

  it('shows what is wrong with the file, and calls a new tool in the same conversation once it is mended', async () => {
    await writeFile(join(box.cwd, 'shop.js'), `${SHOP}export const = 1;\n`);
    await page
      .getByRole('alert')
      .getByText(/shop\.js:4/)
      .waitFor();
    await writeFile(
      join(box.cwd, 'shop.js'),
      `${SHOP}export const stock = tool('stock', 'How many', {}, () => 'seven');\n`,
    );
    await page.getByRole('button', { name: '2 tools' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await send('stock');
    await page.getByRole('alertdialog', { name: 'Permission' }).waitFor();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /yes|allow/i })
      .first()
      .click();
    await page.getByRole('log').getByText('shop.stock answered: seven').waitFor();
    // Still the same conversation.
    expect(await page.getByRole('log').getByText('shop.price answered: 12 euros').count()).toBeGreaterThan(0);
  });
}
