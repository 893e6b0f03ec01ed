/** `tenon inspect -- …`: a program that is not changed for it is watched while it runs (R57). */
import { readFileSync } from 'node:fs';
import { readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readTape, scriptedMessagesApi, toolUse } from '../../src/testing/index.js';
import { RUNTIMES } from '../commands/support/agent.js';
import { type Finished, start } from '../commands/support/tenon.js';
import { alive, cliPath, descendants, sandbox, waitUntil } from '../support/real-cli.js';
import { FeedReader } from './support/feed-reader.js';

const dist = new URL('../../dist/', import.meta.url).href;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Asks once; its tool waits until somebody creates the file `go`. */
const PROGRAM = (runtime: string, more = '') => `
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createSdkMcpServer, query, tool } from '${dist}index.js';
import { embedded } from '${dist}runtime/index.js';
import { anthropic } from '${dist}models/anthropic/anthropic.js';
const stock = tool('stock', 'How many.', {}, async () => {
  // Not for ever, if the test gives up.
  while (!existsSync('go') && existsSync(process.argv[1])) await wait(20);
  return 'eight';
});
const shop = createSdkMcpServer({ name: 'shop', tools: [stock] });
const options = { ...${runtime}, mcpServers: { shop }, allowedTools: ['mcp__shop__stock'] };
const prompt = 'How many? The key is ' + process.env.SHOP_API_KEY;
for await (const message of query({ prompt, options })) if (message.type === 'result') console.log(message.result);
${more}
`;

const SECRET = 'planted-4b7e11d2';
const CLI = `{ pathToClaudeCodeExecutable: ${JSON.stringify(cliPath)} }`;
const EMBEDDED = '{ runtime: embedded({ model: anthropic() }) }';

interface Watched extends AsyncDisposable {
  readonly cwd: string;
  readonly pid: number;
  readonly page: FeedReader;
  readonly url: string;
  /** The folder of the recordings, as long as there is one. */
  folder(): Promise<string | undefined>;
  go(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly finished: Promise<Finished>;
}

interface Setup {
  readonly files: Record<string, string>;
  readonly command: readonly string[];
  readonly env?: Record<string, string>;
  readonly flags?: readonly string[];
}

/** The program itself, among all that the command has started. */
function programOf({ pid }: Watched): number {
  const found = descendants(pid).find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.mjs'),
  );
  if (found === undefined) throw new Error('The program does not run.');
  return found;
}

/** Starts the command, and a page as soon as there is an address. */
async function watch({ files, command, env = {}, flags = [] }: Setup): Promise<Watched> {
  const box = sandbox();
  const script = () => [toolUse('mcp__shop__stock'), 'Eight.'];
  const api = await scriptedMessagesApi([...script(), ...script()]);
  for (const [name, text] of Object.entries(files)) await writeFile(join(box.cwd, name), text);
  await symlink(modules, join(box.cwd, 'node_modules'));
  const { child, output, finished } = start(['inspect', ...flags, '--', ...command], {
    env: box.env(api, { ENABLE_TOOL_SEARCH: '0', npm_config_update_notifier: 'false', ...env }),
    cwd: box.cwd,
    input: '',
  });
  const address = () => /http:\/\/\S+/.exec(output())?.[0];
  await waitUntil(() => address() !== undefined, { what: `an address in: ${output()}` });
  const page = await FeedReader.open(address() ?? '');
  const temporary = box.env().TMPDIR ?? '';
  return {
    cwd: box.cwd,
    pid: child.pid ?? 0,
    page,
    url: address() ?? '',
    finished,
    folder: async () => {
      for (const name of await readdir(temporary)) {
        const inside = await readdir(join(temporary, name)).catch(() => []);
        if (inside.some((each) => each.endsWith('.tape'))) return name;
      }
      return undefined;
    },
    go: () => writeFile(join(box.cwd, 'go'), ''),
    kill: (signal) => child.kill(signal),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await page[Symbol.asyncDispose]();
      await api.close();
      await box[Symbol.asyncDispose]();
    },
  };
}

/** The call of the tool has reached the page, and is not answered. */
function callIsOpen({ page }: Watched): Promise<void> {
  return page.until('the call', () => page.text.includes('tools/call'));
}

async function portIsFree(url: string): Promise<boolean> {
  return fetch(new URL(url).origin).then(
    () => false,
    () => true,
  );
}

describe.each(RUNTIMES)('a program on the runtime "%s"', (runtime) => {
  it('is watched live, unchanged; its output, its exit code and its terminal are its own (inspector check 1)', async () => {
    await using its = await watch({
      files: { 'main.mjs': PROGRAM(runtime === 'cli' ? CLI : EMBEDDED, 'process.exitCode = 5;') },
      command: [process.execPath, 'main.mjs'],
      env: { SHOP_API_KEY: SECRET },
    });
    await callIsOpen(its);
    expect(its.page.feeds('hello')[0]).toMatchObject({
      title: 'main.mjs',
      source: 'program',
      control: false,
    });
    expect(its.page.feeds('program')).toEqual([{ feed: 'program', state: 'running' }]);
    expect(its.page.tape()[0]).toMatchObject({ tape: 1, backEnd: runtime });
    const folder = join(its.cwd, '..', 'tmp', (await its.folder()) ?? '');
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const children = descendants(its.pid);
    await its.go();
    const { code, stdout, stderr } = await its.finished;
    expect([code, stdout]).toEqual([5, 'Eight.\n']);
    expect(stderr).toBe(`● inspecting at ${its.url}\n`);
    await its.page.until('its end', ({ isOver }) => isOver);
    expect(its.page.feeds('program')[1]).toEqual({ feed: 'program', state: 'ended', code: 5, signal: null });
    const { tape } = its.page;
    expect(tape.call(its.page).at(-1)).toMatchObject({ kind: 'end', agent: { code: 0 } });
    const frames = its.page.frames();
    expect(frames.map(({ n }) => n)).toEqual(frames.map((_, index) => index + 1));
    // Planted in the prompt, which the model sees (inspector check 11).
    expect(its.page.text).toContain('The key is <redacted>');
    expect(its.page.text).not.toContain(SECRET);
    // Nothing is left.
    expect(await its.folder()).toBeUndefined();
    expect(await portIsFree(its.url)).toBe(true);
    await waitUntil(() => !children.some(alive), { what: 'the end of every process' });
  });

  it('that is killed is shown with the signal, and with all that it had done (inspector check 14)', async () => {
    await using its = await watch({
      files: { 'main.mjs': PROGRAM(runtime === 'cli' ? CLI : EMBEDDED) },
      command: [process.execPath, 'main.mjs'],
    });
    await callIsOpen(its);
    process.kill(programOf(its), 'SIGKILL');
    expect((await its.finished).code).toBe(137);
    await its.page.until('its end', ({ isOver }) => isOver);
    expect(its.page.feeds('program').at(-1)).toMatchObject({ state: 'ended', code: null, signal: 'SIGKILL' });
    expect(its.page.tape().some((line) => 'kind' in line && line.kind === 'end')).toBe(false);
    expect(await its.folder()).toBeUndefined();
  });
});

it('an inspector that is killed leaves no recording behind (R69)', async () => {
  await using its = await watch({
    files: { 'main.mjs': PROGRAM(EMBEDDED) },
    command: [process.execPath, 'main.mjs'],
  });
  await callIsOpen(its);
  expect(await its.folder()).toBeDefined();
  const program = programOf(its);
  its.kill('SIGKILL');
  await waitUntil(async () => (await its.folder()) === undefined, { what: 'the end of the folder' });
  process.kill(program, 'SIGKILL');
});

it('a program in TypeScript, started by npm and tsx, is watched; NODE_OPTIONS of before still hold (inspector check 1)', async () => {
  await using its = await watch({
    files: {
      'package.json': JSON.stringify({ type: 'module', scripts: { start: 'tsx main.ts' } }),
      'main.ts': `const typed: string = 'typed';\n${PROGRAM(EMBEDDED, 'console.log(typed, process.title);')}`,
    },
    command: ['npm', '--silent', 'start'],
    env: { NODE_OPTIONS: '--title=mine' },
  });
  await callIsOpen(its);
  await its.go();
  const { code, stdout } = await its.finished;
  expect([code, stdout]).toEqual([0, 'Eight.\ntyped mine\n']);
  expect(its.page.feeds('run')).toHaveLength(1);
});

it('several conversations and processes are several runs (R57)', async () => {
  await using its = await watch({
    files: {
      'main.mjs': PROGRAM(
        EMBEDDED,
        "const { spawnSync } = await import('node:child_process');\n" +
          "if (process.argv[2] !== 'again') spawnSync(process.execPath, ['main.mjs', 'again'], { stdio: 'inherit' });",
      ),
    },
    command: [process.execPath, 'main.mjs'],
  });
  await its.go();
  expect((await its.finished).stdout).toBe('Eight.\nEight.\n');
  await its.page.until('its end', ({ isOver }) => isOver);
  expect(its.page.feeds('run').map(({ run }) => run)).toEqual([1, 2]);
  for (const run of [1, 2])
    expect(its.page.tape(run).at(-1)).toMatchObject({ kind: 'end', totals: { results: 1 } });
});

it('a signal to the command is one to the program, which decides (R57)', async () => {
  await using its = await watch({
    files: { 'main.mjs': `process.on('SIGTERM', () => process.exit(7));\n${PROGRAM(EMBEDDED)}` },
    command: [process.execPath, 'main.mjs'],
  });
  await callIsOpen(its);
  its.kill('SIGTERM');
  expect((await its.finished).code).toBe(7);
  await its.page.until('its end', ({ isOver }) => isOver);
  expect(its.page.tape().at(-1)).toMatchObject({ kind: 'end', program: 7 });
});

it('spans that the CLI reports are joined to its run, and kept with --record (R57)', async () => {
  await using its = await watch({
    files: { 'main.mjs': PROGRAM(CLI) },
    command: [process.execPath, 'main.mjs'],
    flags: ['--record', 'tapes'],
  });
  await callIsOpen(its);
  await its.go();
  expect((await its.finished).stdout).toBe('Eight.\n');
  await its.page.until('its end', ({ isOver }) => isOver);
  const spans = its.page
    .tape(1)
    .flatMap((line) => ('kind' in line && line.kind === 'span' ? [line.span] : []));
  const tool = spans.find(({ name }) => name === 'claude_code.tool');
  expect(spans.map(({ name }) => name)).toContain('claude_code.llm_request');
  expect(tool).toMatchObject({ attributes: { tool_name: 'mcp__shop__stock' } });
  // Its times are those of the tape: the frame with the call lies between its ends.
  const call = its.page.frames(1).find(({ frame }) => JSON.stringify(frame).includes('tools/call'));
  expect(tool?.start).toBeLessThan(call?.t ?? 0);
  expect(tool?.end).toBeGreaterThan(call?.t ?? Number.POSITIVE_INFINITY);
  const [name = ''] = await readdir(join(its.cwd, 'tapes'));
  const file = join(its.cwd, 'tapes', name);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const kept = readTape(file);
  expect(kept.lines.filter(({ kind }) => kind === 'span')).toHaveLength(spans.length);
  expect(kept.end).toBeDefined();
});
