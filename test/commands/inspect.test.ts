/** `tenon inspect` on recordings, and what it refuses; programs are in test/inspector/live.test.ts (R56, R57). */
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { describeInChromium, launchChromium } from '../inspector/support/chromium.js';
import { FeedReader } from '../inspector/support/feed-reader.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { waitUntil } from '../support/real-cli.js';
import { temporaryDirectory } from '../support/temporary.js';
import { start, tenon } from './support/tenon.js';
import { CTRL_C, describeInTerminal, Terminal } from './support/terminal.js';

temporaryDirectory();

let folder: string;
/** Two recordings that differ in the description of a tool; its results look like the end of a script. */
let tapes: [string, string];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspect-'));
  const [, embedded] = BACK_ENDS;
  const record = async (file: string, description: string): Promise<string> => {
    await using agent = await (embedded as (typeof BACK_ENDS)[number]).start([
      { tool: 'mcp__shop__stock' },
      'Eight.',
    ]);
    const nails = tool('nails', 'Never asked for.', {}, async () => 'none');
    const stock = tool(
      'stock',
      description,
      {},
      async () => '</script><script>document.title = "owned"</script><!--',
    );
    const shop = createSdkMcpServer({ name: 'shop', tools: [stock, nails] });
    const path = join(folder, file);
    await ask(agent.options({ mcpServers: { shop }, allowedTools: ['mcp__shop__stock'], record: path }));
    return path;
  };
  tapes = [await record('before.tape', 'How many.'), await record('after.tape', 'How many of them.')];
});

describe('refuses, with the remedy', () => {
  it.each([
    [['inspect'], /tenon inspect -- node app\.mjs, or a recording/],
    [['inspect', '--'], /After -- comes a program/],
    [['inspect', 'no.tape'], /there is no file "no\.tape"/],
    [['inspect', 'package.json'], /is not a tape/],
    [['inspect', 'a', 'b', 'c'], /one argument too many/],
    [['inspect', '--wy', 'stock', 'a.tape'], /Did you mean --why\?/],
    [['inspect', 'a.tape', '--', 'node', 'x.mjs'], /either a recording or a program/],
    [['inspect', '--text', '--', 'node', 'x.mjs'], /--text can be used only with a recording/],
    [['inspect', '--exit', 'a.tape'], /--exit can be used only with a program/],
    [['inspect', '--port', '70000', 'package.json'], /--port must be/],
    [['inspect', '--', 'no-such-program-7'], /there is no program "no-such-program-7"/],
    [['inspect', '--host', '0.0.0.0', '--', 'node', '-v'], /--allow-remote/],
    [['inspect', '--record', 'package.json', '--', 'node', '-v'], /cannot be used as a folder/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await tenon(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
  });

  it('production, unless forced (rule 9)', async () => {
    const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production' };
    const refused = await tenon(['inspect', '--', process.execPath, '-v'], { env });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('--force');
    const forced = await tenon(['inspect', '--force', '--', process.execPath, '-v'], { env });
    expect([forced.code, forced.stdout]).toEqual([0, `${process.version}\n`]);
  });
});

it('everything after -- belongs to the program, as it stands there', async () => {
  const show = 'console.log(JSON.stringify(process.argv.slice(1)))';
  const given = ['--json', '--help', '--text', '--', '--why=x', ' two  words ', ''];
  const { code, stdout } = await tenon([
    'inspect',
    '--exit',
    '--',
    process.execPath,
    '-e',
    show,
    '--',
    ...given,
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual(given);
});

describe('a recording', () => {
  it('is told in words and as JSON (R56)', async () => {
    const text = await tenon(['inspect', tapes[0], '--text']);
    expect([text.code, text.stderr]).toEqual([0, '']);
    expect(text.stdout).toContain('Finished: end_turn');
    expect(text.stdout).toContain('mcp__shop__stock');
    const json = await tenon(['inspect', tapes[0], '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      totals: { requests: 2, calls: 1 },
      stop: { state: 'finished' },
    });
  });

  it('says why a tool was not called: exit code 1 if a step is broken, 0 if none is (R57)', async () => {
    const broken = await tenon(['inspect', tapes[0], '--why', 'nails']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^mcp__shop__nails: .*→ .*✗ requested/s);
    const json = await tenon(['inspect', tapes[0], '--why', 'nails', '--json']);
    expect([json.code, JSON.parse(json.stdout).broken.step]).toEqual([1, 'requested']);
    const fine = await tenon(['inspect', tapes[0], '--why', 'stock']);
    expect([fine.code, fine.stderr]).toEqual([0, '']);
    const two = await tenon(['inspect', ...tapes, '--why', 'stock']);
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining('one recording')]);
  });

  it('is compared with another: the description that differs comes first (inspector check 15)', async () => {
    const { code, stdout } = await tenon(['inspect', ...tapes, '--text']);
    expect(code).toBe(0);
    const [where, left, right] = stdout.split('\n');
    expect(where).toContain('stock');
    expect([left, right]).toEqual([
      expect.stringContaining('How many.'),
      expect.stringContaining('How many of them.'),
    ]);
  });

  it('is written as OTLP/JSON, for its user only; a place that cannot be written is refused', async () => {
    const file = join(folder, 'run.json');
    const { code, stdout } = await tenon(['inspect', tapes[0], '--otlp', file]);
    expect([code, stdout]).toEqual([0, '']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { resourceSpans } = JSON.parse(await readFile(file, 'utf8'));
    const names = resourceSpans[0].scopeSpans[0].spans.map(({ name }: { name: string }) => name);
    expect(names).toContain('execute_tool mcp__shop__stock');
    const refused = await tenon(['inspect', tapes[0], '--otlp', join(folder, 'no', 'run.json')]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('cannot be written')]);
  });

  it('is served until somebody stops it; two begin with what differs (R57)', async () => {
    const { child, output, finished } = start(['inspect', ...tapes]);
    await waitUntil(() => output().includes('Ctrl-C'), { what: 'an address' });
    const url = /http:\/\/\S+/.exec(output())?.[0] ?? '';
    expect(url).toMatch(/#token=[\w-]{43}&view=diff&run=1&other=2$/);
    await using page = await FeedReader.open(url);
    await page.caughtUp();
    expect(page.feeds('hello')[0]).toMatchObject({ source: 'tape', title: 'before.tape · after.tape' });
    for (const run of [1, 2]) expect(page.tape(run).at(-1)).toMatchObject({ kind: 'end' });
    child.kill('SIGINT');
    expect((await finished).code).toBe(0);
    await page.until('its end', ({ isOver }) => isOver);
  });

  it('a torn recording is shown as far as it goes', async () => {
    const torn = join(folder, 'torn.tape');
    await writeFile(torn, (await readFile(tapes[0], 'utf8')).slice(0, -40));
    const { code, stdout } = await tenon(['inspect', torn, '--text']);
    expect(code).toBe(0);
    expect(stdout).toContain('mcp__shop__stock');
  });
});

describeInChromium('a recording as one HTML file', () => {
  it('opens from a disk, runs nothing that is in it, and asks nobody for anything (inspector checks 10, 13)', async () => {
    const file = join(folder, 'run.html');
    expect((await tenon(['inspect', tapes[0], '--html', file])).code).toBe(0);
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const [asked, problems]: [string[], string[]] = [[], []];
      page.on('request', (request) => asked.push(request.url()));
      page.on('pageerror', (error) => problems.push(String(error)));
      page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
      await page.goto(pathToFileURL(file).href);
      await expect.poll(() => page.locator('#page').textContent()).toContain('stock');
      expect(await page.title()).not.toBe('owned');
      expect(problems).toEqual([]);
      expect(asked).toEqual([pathToFileURL(file).href]);
    } finally {
      await browser.close();
    }
  });
});

describeInTerminal('tenon inspect -- …, in a terminal', () => {
  it('stays after the program has ended, says so, and leaves at Ctrl-C with its exit code (R57)', async () => {
    const env = { PATH: process.env.PATH ?? '', TMPDIR: folder };
    using terminal = new Terminal(['inspect', '--', process.execPath, '-e', 'process.exit(3)'], {
      env,
      columns: 200,
    });
    await terminal.sees('The page stays until Ctrl-C');
    expect(terminal.raw).toContain('has ended with exit code 3');
    const url = /http:\/\/[\w.:/#=-]+/.exec(terminal.raw)?.[0] ?? '';
    await using page = await FeedReader.open(url);
    await page.caughtUp();
    expect(page.feeds('program')).toEqual([{ feed: 'program', state: 'ended', code: 3, signal: null }]);
    terminal.press(CTRL_C);
    expect(await terminal.exited).toBe(3);
  });

  it('Ctrl-C reaches the program once, and the command waits for it', async () => {
    const program =
      'let n = 0; process.on("SIGINT", () => { n += 1; setTimeout(() => process.exit(40 + n), 300); }); ' +
      'setInterval(() => {}, 1000); console.log("ready")';
    const env = { PATH: process.env.PATH ?? '', TMPDIR: folder };
    const args = ['inspect', '--exit', '--', process.execPath, '-e', program];
    using terminal = new Terminal(args, { env, columns: 200 });
    await terminal.sees('ready');
    terminal.press(CTRL_C);
    expect(await terminal.exited).toBe(41);
  });
});
