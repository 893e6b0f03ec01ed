/** The page in a browser, and everything that went wrong in it. */
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type Inspector, type InspectorOptions, startInspector } from '../../../src/inspector/inspector.js';
import { PATIENCE_MS } from '../../support/patience.js';

export interface InspectedPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors of scripts, and what the policy has refused. */
  readonly problems: string[];
  /** Where it asked for something, apart from its own server. */
  readonly foreign: string[];
}

/** Opens an address; `fragment` goes behind the token. */
export async function openPage(
  browser: Browser,
  url: string,
  { fragment = '', ...options }: BrowserContextOptions & { fragment?: string } = {},
): Promise<InspectedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/content security policy|trusted/i.test(message.text())) problems.push(message.text());
  });
  const origin = new URL(url).origin;
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${origin}/`) && !/^(blob|file):/.test(address)) foreign.push(address);
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.error('Content Security Policy: ' + event.violatedDirective));",
  );
  await page.goto(`${url}${fragment}`);
  return { page, problems, foreign, [Symbol.asyncDispose]: () => context.close() };
}

/** A server that shows these tapes. */
export async function inspectorOf(
  tapes: Readonly<Record<string, string>>,
  options: Partial<InspectorOptions> = {},
): Promise<Inspector> {
  const inspector = await startInspector({ title: 'shop.mjs', source: 'tape', ...options });
  for (const [name, text] of Object.entries(tapes)) {
    const run = inspector.addRun(name);
    run.push(text);
    run.end();
  }
  return inspector;
}

export const VIEWS = ['timeline', 'messages', 'context', 'tools', 'wire', 'cost', 'diff'] as const;

/** What axe finds. It comes in through the debugger: the page's policy lets no other script in. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { run } = (globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe;
    const { violations } = await run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  });
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
