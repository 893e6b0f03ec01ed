/** The page in a real Chromium. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium, launchChromium } from '../../test/inspector/support/chromium.js';
import { openPage, violationsOn } from '../../test/inspector/support/inspected-page.js';
import { freePort } from '../shared/free-port.js';
import { prepareDirectory } from '../shared/host-directory.js';
import { STORY } from './rehearsal-texts.mjs';
import { controlledProxy, Person, startProgram } from './testing.js';

type Browser = Awaited<ReturnType<typeof launchChromium>>;
type Page = Parameters<typeof violationsOn>[0];
type PageOptions = Parameters<typeof openPage>[2];

const folder = mkdtempSync(join(tmpdir(), 'tenon-chat-page-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A page on which somebody has signed in. */
async function enter(browser: Browser, url: string, name: string, options: PageOptions = {}) {
  const opened = await openPage(browser, url, options);
  const { page } = opened;
  await page.getByLabel('Your name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `What do you need, ${name}?` }).waitFor();
  return opened;
}

async function say(page: Page, prompt: string): Promise<void> {
  await page.getByLabel('Your message').fill(prompt);
  await page.keyboard.press('Enter');
}

const turns = (page: Page) => page.locator('#turns .turn');
const answers = (page: Page) => page.locator('#turns .text');
const tool = (page: Page, name: string) => page.locator('#turns .tool', { hasText: name }).last();
const allow = (page: Page) => page.getByRole('button', { name: 'Allow', exact: true });
const stop = (page: Page) => page.getByRole('button', { name: 'Stop the answer' });
const isOver = (page: Page) => stop(page).waitFor({ state: 'hidden' });
/** The letters of the story without the marks of Markdown, as the page has them. */
const letters = (text: string | null) =>
  (text ?? '').replace(/```|[#*`]|^\d\. |^- /gm, '').replace(/\s+/g, '');
const storyOn = async (page: Page) => letters(await answers(page).last().textContent());

/** What would take a careless reader for ever, or its stack. */
const HOSTILE_MARKDOWN = [
  ...['**a', '*a', '`a', '**a** ', '_a_ ', '> ', '- ', '1. ', '```', '#'].map((mark) => mark.repeat(20_000)),
  Array.from({ length: 3_000 }, (_, level) => `${' '.repeat(level)}- a`).join('\n'),
];

describeInChromium('the page of chat-server (R60)', () => {
  let browser: Browser;
  let url: string;
  const program = startProgram(['--memory', '--pace', '20']);
  beforeAll(async () => {
    [browser, url] = await Promise.all([launchChromium(), program.url]);
  });
  afterAll(() => browser?.close());

  it('streams to two people at once, each their own conversation', async () => {
    await using proxy = await controlledProxy();
    await using ada = await enter(browser, url, 'Ada', { proxy: { server: proxy.url } });
    await using bob = await enter(browser, url, 'Bob');
    proxy.holdAfter('handle ');
    await say(ada.page, 'Tell me the story of the hammer');
    await say(bob.page, 'Do you have a watering can?');
    // Seen before the end.
    await answers(ada.page).getByText('Before there was a handle').waitFor();
    expect(await stop(ada.page).isVisible()).toBe(true);
    expect(await ada.page.getByText('and I will.').count()).toBe(0);
    await answers(bob.page).getByText('Watering can, 21.00 €').waitFor();
    proxy.release();
    await answers(ada.page).getByText('and I will.').waitFor();
    await isOver(ada.page);
    expect(await storyOn(ada.page)).toBe(letters(STORY));
    const list = (page: Page) => page.getByRole('navigation').getByRole('link').allTextContents();
    await expect.poll(() => list(ada.page)).toEqual([expect.stringContaining('Tell me the story')]);
    await expect.poll(() => list(bob.page)).toEqual([expect.stringContaining('Do you have a watering')]);

    // An address is not a key.
    await bob.page.goto(ada.page.url());
    await bob.page.getByRole('heading', { name: 'There is no such conversation' }).waitFor();
    expect(await turns(bob.page).count()).toBe(0);
    for (const { problems, foreign } of [ada, bob])
      expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
  });

  it('is reloaded in the middle of an answer, and cut off in another: nothing is missing, nothing is there twice (R62)', async () => {
    await using proxy = await controlledProxy();
    await using opened = await enter(browser, url, 'Reader', { proxy: { server: proxy.url } });
    const { page, problems } = opened;
    proxy.holdAfter('handle ');
    await say(page, 'Tell me the story of the hammer');
    await answers(page).getByText('Before there was a handle').waitFor();
    proxy.holdAfter('somebody ');
    await page.reload();
    await answers(page).getByText('Then somebody').waitFor();
    expect(await page.getByText('and I will.').count()).toBe(0);

    const positions: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) positions.push(request.headers()['last-event-id'] ?? 'none');
    });
    proxy.cut();
    proxy.release();
    await page.getByText('The connection is lost.').waitFor();
    proxy.mend();
    await answers(page).getByText('and I will.').waitFor();
    await isOver(page);
    expect(await page.getByText('The connection is lost.').count()).toBe(0);
    expect(Number(positions.at(-1))).toBeGreaterThan(5);
    expect(await storyOn(page)).toBe(letters(STORY));
    expect(await turns(page).count()).toBe(1);
    await page.reload();
    await answers(page).getByText('and I will.').waitFor();
    expect(await storyOn(page)).toBe(letters(STORY));
    expect(problems).toEqual([]);
  });

  it('asks before an order: allowed, changed, refused with a reason', async () => {
    await using opened = await enter(browser, url, 'Customer');
    const { page, problems } = opened;
    await say(page, 'Order two rubber mallets');
    await allow(page).waitFor();
    expect(await page.title()).toBe('● Order two rubber mallets · Chat');
    await page.getByRole('link', { name: /Order two rubber mallets waits for you/ }).waitFor();
    await allow(page).click();
    await answers(page)
      .getByText(/Done\. Order \d+: 2 × Rubber mallet/)
      .waitFor();
    await page.getByText('You have allowed it.').waitFor();
    await tool(page, 'order').locator('summary').click();
    await tool(page, 'order')
      .locator('pre')
      .getByText(/^Order \d+: 2 × Rubber mallet, 25\.80 €\./)
      .waitFor();

    await say(page, 'Order one claw hammer');
    await page.getByRole('button', { name: 'Change it first' }).click();
    await page.getByLabel('quantity').fill('');
    await page.getByRole('button', { name: 'Allow as changed' }).click();
    await page.getByText('“quantity” must be a number.').waitFor();
    await page.getByLabel('quantity').fill('5');
    await page.getByRole('button', { name: 'Allow as changed' }).click();
    await answers(page)
      .getByText(/Done\. Order \d+: 5 × Claw hammer/)
      .waitFor();
    await page.getByText('You have changed quantity: 1 → 5').waitFor();

    await say(page, 'Order a sledgehammer');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByLabel('Why not? The agent reads it.').fill('too heavy for me');
    await page.keyboard.press('Enter');
    await answers(page).getByText('not ordered').waitFor();
    await answers(page).locator('blockquote', { hasText: 'too heavy for me' }).waitFor();
    await expect.poll(() => tool(page, 'order').locator('.chip').textContent()).toBe('refused');
    expect(problems).toEqual([]);
  });

  it('lets the agent ask: choices, several of them, words of one’s own, and none', async () => {
    await using opened = await enter(browser, url, 'Giver');
    const { page, problems } = opened;
    await say(page, 'Help me choose a gift');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('Please answer: Where will it be used?').waitFor();
    await page.getByRole('radio', { name: /In the garden/ }).check();
    await page.getByRole('checkbox', { name: /That it lasts/ }).check();
    await page.getByRole('checkbox', { name: /A good price/ }).check();
    await page.getByLabel('Something else: What matters most?').fill('red');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByText('What matters most? A good price, That it lasts, red').waitFor();
    await answers(page).getByText('Pruning shears').waitFor();
    await say(page, 'Help me choose a present');
    await page.getByRole('button', { name: 'I would rather not say' }).click();
    await answers(page).getByText('Never mind.').waitFor();
    expect(problems).toEqual([]);
  });

  it('stops an answer with Escape; what is sent meanwhile waits its turn and is answered in order', async () => {
    // The story takes half a minute.
    const slow = startProgram(['--memory', '--pace', '100']);
    await using opened = await enter(browser, await slow.url, 'Hasty');
    const { page } = opened;
    await say(page, 'Tell me the story of the hammer');
    await answers(page).getByText('Before there was').waitFor();
    await say(page, 'Do you have hammers?');
    await say(page, 'Do you have a doormat?');
    await page.getByText('Waits its turn').first().waitFor();
    await page.keyboard.press('Escape');
    await turns(page).first().getByText('Stopped.').waitFor();
    await answers(page).getByText('Doormat').waitFor();
    await isOver(page);
    expect(await page.locator('#turns .prompt').allTextContents()).toEqual([
      'Tell me the story of the hammer',
      'Do you have hammers?',
      'Do you have a doormat?',
    ]);
    expect(await page.locator('#unsent .turn').count()).toBe(0);
    expect(await turns(page).first().textContent()).not.toContain('and I will');
  });

  it('sends a message once, however often it is tried', async () => {
    await using opened = await enter(browser, url, 'Stubborn');
    const { page } = opened;
    await say(page, 'Hello');
    await isOver(page);
    let tries = 0;
    // The message arrives, its answer does not.
    await page.route('**/messages', async (route) => {
      tries += 1;
      if (tries > 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await say(page, 'Do you have a spirit level?');
    await page.getByText('Not sent. The server cannot be reached.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => tries).toBe(2);
    await page.getByText('Not sent.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('#unsent .turn').waitFor({ state: 'detached' });
    await answers(page).getByText('Spirit level, 24.00 €').waitFor();
    await isOver(page);
    expect(tries).toBe(3);
    expect(await turns(page).count()).toBe(2);
  });

  it('shows what strangers, tools and models say, and nothing of it becomes a part of the page', async () => {
    await using opened = await enter(browser, url, 'Mallory');
    const { page, problems, foreign } = opened;
    const attack =
      '<img src=x onerror="document.title=1"><script>document.title=1</script> **<svg onload=alert(1)>** `<b>` [x](javascript:alert(1)) ![y](https://example.com/z.png)';
    await say(page, attack);
    await answers(page).getByText('You have written').waitFor();
    await isOver(page);
    expect(await page.locator('#turns .prompt').textContent()).toBe(attack);
    expect(await answers(page).textContent()).toContain('<img src=x onerror="document.title=1">');
    await say(page, 'Do you have a doormat?');
    await answers(page).getByText('Doormat "<b>Hello</b>"').waitFor();
    await tool(page, 'find product').locator('summary').click();
    await page.getByText('<img src="x" onerror="document.title = \'broken into\'">').waitFor();
    await say(page, 'Order <b>one</b> doormat');
    await allow(page).waitFor();
    const inside = page.locator('#turns :is(img, script, a, iframe, b, object)');
    expect(await inside.count()).toBe(0);
    await page.reload();
    await allow(page).waitFor();
    expect(
      await page.locator('#turns :is(img, script, a, iframe, b, object), #list :is(img, script, b)').count(),
    ).toBe(0);
    expect(await page.title()).toContain('<img src=x');
    // As text: an import of this file is not one of the page.
    await page.evaluate("import('/page/markdown.mjs').then((module) => Object.assign(globalThis, module))");
    const shown = await page.evaluate((texts) => {
      const { showMarkdown } = globalThis as unknown as typeof import('./page/markdown.mjs');
      return texts.map((text) => {
        const place = document.createElement('div');
        showMarkdown(place, text);
        return place.textContent?.includes('a') ?? false;
      });
    }, HOSTILE_MARKDOWN);
    expect(shown.filter(Boolean).length).toBeGreaterThan(5);
    expect({ problems, foreign }).toEqual({ problems: [], foreign: [] });
  });

  it('is left and entered again; conversations are chosen and deleted', async () => {
    await using opened = await enter(browser, url, 'Grace');
    const { page, problems } = opened;
    await say(page, 'Do you have hammers?');
    await isOver(page);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await page.getByRole('button', { name: /^Do you have hammers\? It looks/ }).waitFor();
    await say(page, 'Do you have a watering can?');
    await answers(page).getByText('Watering can').waitFor();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /hammers/ })
      .click();
    await answers(page).getByText('Claw hammer').waitFor();
    expect(await answers(page).getByText('Watering can').count()).toBe(0);
    await page.goBack();
    await answers(page).getByText('Watering can').waitFor();
    const remove = page.getByRole('button', { name: 'Delete “Do you have a watering can?”' });
    await isOver(page);
    await remove.click();
    await remove.click();
    await page.getByRole('heading', { name: 'What do you need, Grace?' }).waitFor();
    await expect.poll(() => page.getByRole('navigation').getByRole('link').count()).toBe(1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Your name').waitFor();
    await page.getByLabel('Your name').fill('<b>');
    await page.keyboard.press('Enter');
    await page.getByText('A name has 1 to 40 letters').waitFor();
    await page.getByLabel('Your name').fill('grace');
    await page.keyboard.press('Enter');
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /hammers/ })
      .waitFor();
    expect(problems).toEqual([]);
  });

  it('can be used by the keyboard alone', async () => {
    await using opened = await enter(browser, url, 'Keys', { viewport: { width: 400, height: 800 } });
    const { page } = opened;
    const focused = () =>
      page.evaluate(
        () => document.activeElement?.textContent || document.activeElement?.getAttribute('aria-label'),
      );
    await page.keyboard.type('Order two');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('spirit levels');
    await page.keyboard.press('Enter');
    await allow(page).waitFor();
    expect(await page.locator('#turns .prompt').textContent()).toBe('Order two\nspirit levels');
    // Backwards, from where one writes.
    for (const expected of ['Deny', 'Change it first', 'Allow']) {
      await page.keyboard.press('Shift+Tab');
      expect(await focused()).toBe(expected);
    }
    await page.keyboard.press('Enter');
    await answers(page)
      .getByText(/Done\. Order \d+: 2 × Spirit level/)
      .waitFor();
    await isOver(page);
    await page.getByRole('button', { name: 'Show the list of conversations' }).press('Enter');
    expect(await focused()).toBe('Close the list');
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('Show the list of conversations');
  });

  it('remembers the colours that somebody has chosen, and otherwise those of the system', async () => {
    await using opened = await enter(browser, url, 'Night', { colorScheme: 'dark' });
    const { page } = opened;
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await background();
    await page.getByRole('button', { name: 'Light colours' }).click();
    const light = await background();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Dark colours' }).waitFor();
    expect(await background()).toBe(light);
  });

  const looks = ['light', 'dark'].flatMap((colours) => [1280, 400].map((width) => ({ colours, width })));
  it.each(looks)(
    'has nothing that axe finds, and fits: $colours, $width pixels',
    async ({ colours, width }) => {
      const options = { colorScheme: colours as 'light' | 'dark', viewport: { width, height: 800 } };
      const found: string[] = [];
      const check = async (page: Page, what: string) => {
        found.push(...(await violationsOn(page)).map((each) => `${what}: ${each}`));
        const overflow = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
        if (await page.evaluate(overflow)) found.push(`${what}: is too wide`);
      };
      {
        await using opened = await openPage(browser, url, options);
        await opened.page.getByLabel('Your name').waitFor();
        await check(opened.page, 'sign-in');
      }
      await using opened = await enter(browser, url, `Axe ${colours} ${width}`, options);
      const { page } = opened;
      await check(page, 'empty');
      await say(page, 'Order two rubber mallets');
      await allow(page).waitFor();
      await check(page, 'approval');
      await page.getByRole('button', { name: 'Change it first' }).click();
      await page.getByRole('button', { name: 'Deny' }).click();
      await check(page, 'changing');
      await page.getByRole('button', { name: 'Allow as changed' }).click();
      await isOver(page);
      for (const summary of await page.locator('summary').all()) await summary.click();
      await check(page, 'tools');
      await say(page, 'Help me choose a gift');
      await page.getByRole('button', { name: 'Answer', exact: true }).waitFor();
      await check(page, 'question');
      await page.keyboard.press('Escape');
      await isOver(page);
      await say(page, 'Tell me the story of the hammer');
      await answers(page).getByText('E = 1/2').waitFor();
      await check(page, 'story');
      if (width === 400) {
        await page.getByRole('button', { name: 'Show the list of conversations' }).click();
        await check(page, 'list');
      }
      expect(found).toEqual([]);
    },
  );
});

describeInChromium('a server that is killed while an approval waits (R63)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  describe.each([
    ['at once', false],
    ['after the conversation was put away', true],
  ])('%s', (_when, isPutAway) => {
    it('is started again, the open page finds it, and the agent goes on with the answer', async () => {
      const data = mkdtempSync(join(folder, 'killed-'));
      await prepareDirectory(join(data, 'host'));
      const flags = ['--data', data, '--port', String(await freePort())];
      const first = startProgram(flags);
      await using opened = await enter(browser, await first.url, 'Ada');
      const { page, problems } = opened;
      await say(page, 'Order two claw hammers');
      await allow(page).waitFor();
      if (isPutAway) {
        const session = new URL(page.url()).pathname.slice(3);
        const ada = await Person.signedIn(await first.url, 'Ada');
        const state = async () => (await (await ada.ask('GET', `/api/sessions/${session}`)).json()).state;
        await expect.poll(state).toBe('waiting');
      }
      first.child.kill('SIGKILL');
      await first.ended;
      await page.getByText('The connection is lost.').waitFor();
      await allow(page).click();
      await page.getByText('The server cannot be reached.').waitFor();

      const second = startProgram(flags);
      await second.url;
      await page.getByText('The connection is lost.').waitFor({ state: 'hidden' });
      await allow(page).click();
      await answers(page).getByText('Done. Order 1001: 2 × Claw hammer').waitFor();
      await isOver(page);
      const shown = await page.locator('#turns').textContent();
      await page.reload();
      await answers(page).getByText('Done. Order 1001').waitFor();
      expect(await page.locator('#turns').textContent()).toBe(shown);
      expect(await turns(page).count()).toBe(1);
      expect(await page.locator('#turns .tool').count()).toBe(2);
      expect(readFileSync(join(data, 'orders.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
      expect(problems).toEqual([]);
      second.child.kill('SIGTERM');
      expect(await second.ended).toEqual({ code: 0, signal: null });
    });
  });
});
