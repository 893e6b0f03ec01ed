/** The program of the README under `tenon inspect`, as a newcomer sees it: why the tool was not called (R57). */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scriptedMessagesApi } from '../../src/testing/index.js';
import { start } from '../commands/support/tenon.js';
import { cliPath, sandbox, waitUntil } from '../support/real-cli.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { openPage } from './support/inspected-page.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** As it stands in the README. */
async function shopProgram(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, program = ''] = /Save this as `shop\.mjs`:\n\n```ts\n(.*?)```/s.exec(readme) ?? [];
  return program;
}

describeInChromium('A newcomer who starts `tenon inspect -- node shop.mjs`', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it('sees at the top of the page that the tool is deferred, and reads the remedy one click later', async () => {
    await using box = sandbox();
    let answer = (): void => {};
    const looked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    // The model answers when the page is open: without a terminal the inspector ends with the program.
    await using api = await scriptedMessagesApi(async () => {
      await looked;
      return 'I cannot look that up.';
    });
    await writeFile(join(box.cwd, 'shop.mjs'), await shopProgram());
    await mkdir(join(box.cwd, 'node_modules'));
    await symlink(root, join(box.cwd, 'node_modules', 'tenon'));
    await symlink(join(root, 'node_modules', 'zod'), join(box.cwd, 'node_modules', 'zod'));
    const { child, output, finished } = start(['inspect', '--', process.execPath, 'shop.mjs'], {
      env: box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath, ENABLE_TOOL_SEARCH: 'true' }),
      cwd: box.cwd,
      input: '',
    });
    try {
      const address = (): string | undefined => /http:\/\/\S+/.exec(output())?.[0];
      await waitUntil(() => address() !== undefined, { what: `an address in: ${output()}` });
      await using inspected = await openPage(browser, address() ?? '');
      const { page } = inspected;
      await page.getByText('shop.mjs').first().waitFor();
      answer();
      await page
        .getByText(/stock.*deferred behind ToolSearch/)
        .first()
        .waitFor();
      await page.getByRole('button', { name: /why/ }).first().click();
      await page
        .getByText(/alwaysLoad: true/)
        .first()
        .waitFor();
      expect((await finished).code).toBe(0);
      // The program has ended, and with it the inspector: what was seen is still there.
      await page.keyboard.press('5');
      await page.getByText('can_use_tool').or(page.getByText('initialize')).first().waitFor();
      expect(inspected.problems).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
