/** `useChat` of the real `@ai-sdk/react` in a real browser, on a host (R62, R67). */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Host } from '../../../src/host/index.js';
import { embedded } from '../../../src/runtime/index.js';
import {
  blocks,
  type Script,
  scriptedModel,
  text,
  thinking,
  toolUse,
  toolUses,
} from '../../../src/testing/index.js';
import { describeInChromium, launchChromium } from '../../inspector/support/chromium.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { hosted, REF, shop } from '../support/host.js';
import { bundledPage, chatSite, PAGE_LINES } from './support/chat-site.js';
import { gate, held } from './support/served.js';

const PAY = 'mcp__shop__pay';
const pay = (amount: number) => toolUse(PAY, { amount }, { chunks: 3 });

/** A host whose model stops before the word "then" until it is let go. */
function holding(script: Script, { server } = shop(), allowedTools: string[] = []) {
  const { opened, open } = gate();
  const model = held(scriptedModel(script), 'then', opened);
  const { host } = hosted(
    [],
    { server },
    { events: { batchMs: 1 } },
    { runtime: embedded({ model }), allowedTools },
  );
  return { host, open };
}

describeInChromium('a page with useChat', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  describe.each(PAGE_LINES)('of $name', (line) => {
    let script: string;
    beforeAll(async () => {
      script = await bundledPage(line);
    });

    async function opened(host: Host) {
      const site = await chatSite(host, script);
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      await page.goto(`${site.origin}/?chat=user-7`);
      await isStatus(page, 'ready');
      return {
        page,
        problems,
        site,
        async [Symbol.asyncDispose]() {
          await context.close();
          await site[Symbol.asyncDispose]();
        },
      };
    }

    it('streams text and thoughts, and shows calls with what goes in and comes out', async () => {
      const answer = blocks([thinking('Let me see.'), text('I will pay.'), pay(5)]);
      const { host, open } = holding([answer, text(['First ', 'this, ', 'then ', 'that.'])], shop(), [PAY]);
      await using _ = host;
      await using site = await opened(host);
      const { page, problems } = site;
      await say(page, 'Pay 5.');
      // In the middle of the answer.
      await texts(page, ['I will pay.', 'First this, ']);
      expect(await page.locator('main').getAttribute('data-status')).toBe('streaming');
      expect(await page.locator('em').allTextContents()).toEqual(['Let me see.']);
      const call = page.locator(`[data-tool="${PAY}"]`);
      expect(await call.getAttribute('data-state')).toBe('output-available');
      expect(await call.locator('[data-part="input"]').textContent()).toBe('{"amount":5}');
      expect(await call.locator('output').textContent()).toBe('Paid 5.');
      open();
      await isStatus(page, 'ready');
      await texts(page, ['I will pay.', 'First this, then that.']);
      expect(problems).toEqual([]);
    });

    it('asks in the page, and goes on with what was answered there', async () => {
      const { server, effects } = shop({ concurrency: 'serial' });
      const calls = toolUses([1, 2].map((amount) => ({ name: PAY, input: { amount } })));
      const { host } = hosted([calls, text('Only one.')], { server });
      await using _ = host;
      await using site = await opened(host);
      const { page, problems } = site;
      await say(page, 'Pay both.');
      const states = () =>
        page.locator('[data-tool]').evaluateAll((all) => all.map((each) => each.getAttribute('data-state')));
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await button('Approve').waitFor();
      await isStatus(page, 'ready');
      expect(effects).toEqual([]);
      await button('Approve').click();
      // The second asks when the first is through.
      await vi.waitFor(async () =>
        expect(await states()).toEqual(['output-available', 'approval-requested']),
      );
      expect(effects).toEqual(['paid 1']);
      await button('Deny').click();
      await texts(page, ['Only one.']);
      expect(await states()).toEqual(['output-available', 'output-denied']);
      expect(effects).toEqual(['paid 1']);
      await page.reload();
      await texts(page, ['Only one.']);
      expect(await states()).toEqual(['output-available', 'output-denied']);
      expect(problems).toEqual([]);
    });

    it('is loaded again in the middle of an answer, and misses nothing of it (R62)', async () => {
      const { host, open } = holding([text('Hello.'), text(['First ', 'this, ', 'then ', 'that.'])]);
      await using _ = host;
      await using site = await opened(host);
      const { page, problems } = site;
      await say(page, 'Hi.');
      await texts(page, ['Hello.']);
      await say(page, 'What?');
      await texts(page, ['Hello.', 'First this, ']);
      await page.reload();
      await texts(page, ['Hello.', 'First this, ']);
      await isStatus(page, 'streaming');
      open();
      await isStatus(page, 'ready');
      await texts(page, ['Hello.', 'First this, then that.']);
      expect(await page.locator('[data-role="user"]').allTextContents()).toEqual(['Hi.', 'What?']);
      await vi.waitFor(async () => expect((await host.stats()).turns.answered).toBe(2));
      expect(problems).toEqual([]);
    });

    it('goes on after its connection was cut (scale 14)', async () => {
      const { host, open } = holding([text(['First ', 'this, ', 'then ', 'that.'])]);
      await using _ = host;
      await using site = await opened(host);
      const { page } = site;
      await say(page, 'What?');
      await texts(page, ['First this, ']);
      site.site.reset();
      await page.getByRole('alert').waitFor();
      await isStatus(page, 'error');
      if (line.resumes) await page.getByRole('button', { name: 'Resume' }).click();
      else await page.reload();
      await isStatus(page, 'streaming');
      open();
      await isStatus(page, 'ready');
      await texts(page, ['First this, then that.']);
    });

    it('stops', async () => {
      const { host } = holding([text(['First ', 'this, ', 'then ', 'that.'])]);
      await using _ = host;
      await using site = await opened(host);
      const { page, problems } = site;
      await say(page, 'What?');
      await texts(page, ['First this, ']);
      await page.getByRole('button', { name: 'Stop' }).click();
      await isStatus(page, 'ready');
      await vi.waitFor(async () => expect((await host.stats()).turns.interrupted).toBe(1));
      await vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('idle'));
      await texts(page, ['First this, ']);
      expect(problems).toEqual([]);
    });
  });
});

async function say(page: Page, words: string): Promise<void> {
  await page.getByLabel('Message').fill(words);
  await page.getByRole('button', { name: 'Send' }).click();
}

const isStatus = (page: Page, status: string) => page.locator(`main[data-status="${status}"]`).waitFor();

/** What the agent has said. */
const texts = (page: Page, expected: string[]) =>
  vi.waitFor(async () =>
    expect(await page.locator('[data-role="assistant"] [data-part="text"]').allTextContents()).toEqual(
      expected,
    ),
  );
