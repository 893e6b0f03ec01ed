// @ts-check
/**
 * `node scripts/screenshots.mjs [--to folder]`: makes the pictures of README and guide anew, offline: the programs in
 * `scripts/pictured` play a script. Needs a Chromium.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium } from '../examples/shared/programs.mjs';
import { smallPng } from './lib/small-png.mjs';

const root = resolve(join(import.meta.dirname, '..'));
const command = join(root, 'dist', 'commands', 'bin.js');
const SIZE = { width: 1280, height: 800 };
/** Bigger ones make the repository heavy. */
const MOST_BYTES = 150_000;
const PATIENCE_MS = 60_000;

const { values } = parseArgs({ options: { to: { type: 'string', default: join(root, 'docs', 'images') } } });
mkdirSync(values.to, { recursive: true });
const home = mkdtempSync(join(tmpdir(), 'tenon-screenshots-'));
const browser = await chromium.launch({
  executablePath: findChromium() ?? 'chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-sync',
  ],
});
try {
  const [program, tools] = ['shop.mjs', 'tools.mjs'].map((name) => join(root, 'scripts', 'pictured', name));
  await during(['inspect', recorded(String(program))], inspectorPictures);
  await during(['dev', String(tools), '--runtime', 'rehearsal', '--allow', 'stock'], playgroundPicture);
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}

/**
 * Watches a program to its end.
 *
 * @param {string} program
 */
function recorded(program) {
  const args = [command, 'inspect', '--exit', '--record', home, '--', process.execPath, program];
  execFileSync(process.execPath, args, { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  const [tape = ''] = readdirSync(home).filter((name) => name.endsWith('.tape'));
  renameSync(join(home, tape), join(home, 'shop.tape'));
  return join(home, 'shop.tape');
}

/** @param {string} url */
async function inspectorPictures(url) {
  const hasEnded = (/** @type {import('playwright-core').Page} */ page) =>
    page.getByText(/^Finished/).waitFor();
  await picture('inspector-timeline', `${url}&view=timeline`, 'light', hasEnded);
  await picture('inspector-tools', `${url}&view=tools&tool=stock`, 'light', hasEnded);
  await picture('inspector-context', `${url}&view=context&request=1`, 'light', async (page) => {
    await hasEnded(page);
    await page.getByRole('button', { name: /^System prompt/ }).click();
    await page.getByRole('button', { name: /^Tools/ }).click();
  });
  await picture('inspector-dark', `${url}&view=messages`, 'dark', async (page) => {
    await hasEnded(page);
    await page
      .getByRole('group', { name: /reserve/ })
      .getByRole('button')
      .first()
      .click();
  });
}

/** @param {string} url */
async function playgroundPicture(url) {
  await picture('playground', url, 'light', async (page) => {
    await page.getByLabel('Message to the agent').fill('stock product=hammer');
    await page.keyboard.press('Enter');
    await page.getByText('"shelf":"B4"').first().waitFor();
    await page.getByText(/^Finished/).waitFor();
    await page.getByLabel('Message to the agent').fill('refund order=A-17');
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.getByRole('button', { name: '4 tools' }).click();
    await page.getByRole('button', { name: 'tools.reserve' }).click();
    await page.getByLabel('product').fill('hammer');
    await page.getByLabel('pieces').fill('none');
    await page.getByRole('button', { name: 'Call reserve' }).click();
    await page
      .locator('.outcome-of-call')
      .getByText(/Invalid/)
      .waitFor();
    await page.getByRole('heading', { name: 'tools.mjs' }).click();
  });
}

/**
 * @param {string} name
 * @param {string} url
 * @param {'light' | 'dark'} colorScheme
 * @param {(page: import('playwright-core').Page) => Promise<unknown>} prepare
 */
async function picture(name, url, colorScheme, prepare) {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: 2,
    colorScheme,
    reducedMotion: 'reduce',
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    await prepare(page);
    // Two frames: what was asked for last has been drawn.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
    const png = smallPng(await page.screenshot());
    if (png.length > MOST_BYTES)
      throw new Error(`${name}.png has ${png.length} bytes, more than ${MOST_BYTES}.`);
    writeFileSync(join(values.to, `${name}.png`), png);
    console.log(`${name}.png ${Math.round(png.length / 1000)} kB`);
  } finally {
    await context.close();
  }
}

/**
 * Runs the command while `act` looks at the page whose address it prints.
 *
 * @param {readonly string[]} args
 * @param {(url: string) => Promise<void>} act
 */
async function during(args, act) {
  // Without the CLI in the path, the playground has only its rehearsal.
  const env = { PATH: args[0] === 'dev' ? '' : process.env.PATH, HOME: home };
  const child = spawn(process.execPath, [command, ...args], {
    cwd: home,
    env,
  });
  const closed = new Promise((done) => child.once('close', done));
  let output = '';
  /** @type {Promise<string>} */
  const url = new Promise((found, failed) => {
    const take = (/** @type {Buffer} */ part) => {
      output += part.toString();
      const [address] = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/.exec(output) ?? [];
      if (address !== undefined) found(address);
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    closed.then(() => failed(new Error(`tenon ${args.join(' ')} ended without an address:\n${output}`)));
  });
  try {
    await act(await url);
  } finally {
    child.stdin.end();
    child.kill('SIGINT');
    await closed;
  }
}
