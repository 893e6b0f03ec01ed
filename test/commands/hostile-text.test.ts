/** What `tenon` prints of others, on a terminal and in a pipe: their words, never their control sequences (R70). */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Sandbox, sandbox } from '../support/real-cli.js';
import { type Finished, tenon } from './support/tenon.js';
import { describeInTerminal, Terminal } from './support/terminal.js';

const ESC = '\u001b';
/** Clears the screen, names the window, paints, uses the eight-bit introducer, overwrites, forges a line, turns text round. */
const evil = (text: string) => `${ESC}[2J${ESC}]0;owned\u0007${ESC}[31m${text}\u009b2J\r\n✓ forged\u202e`;

/** What is left of an output when what `tenon` itself may send is taken away: colours, and erasing a line. */
function foreignControls(raw: string): string[] {
  const own = new RegExp(`${ESC}\\[(?:1|2|22|31|32|33|36|39)m|\\r${ESC}\\[K|\\r?\\n`, 'g');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  return raw.replaceAll(own, ' ').match(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g) ?? [];
}

function expectHarmless(raw: string, ...words: string[]): void {
  for (const word of words) {
    expect(raw).toContain(word);
    expect(raw).not.toContain(`${ESC}[31m${word}`);
  }
  expect(foreignControls(raw)).toEqual([]);
  expect(raw).not.toMatch(/^✓ forged/m);
}

/** A checkout whose files were written by somebody else. */
async function checkout({ cwd }: Sandbox): Promise<void> {
  await mkdir(join(cwd, '.git'));
  const servers = {
    [evil('name')]: {
      command: evil('command'),
      args: [evil('argument')],
      env: { [evil('VARIABLE')]: 'x' },
    },
    [evil('remote')]: { type: 'http', url: `https://example.invalid/${evil('path')}` },
    [evil('broken')]: { type: evil('type') },
    [evil('unset')]: { command: `\${${evil('UNSET')}}` },
    good: { command: evil('other'), headers: 5, [evil('field')]: 1 },
  };
  await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
}

type Show = (args: readonly string[], box: Sandbox) => Promise<string>;

const inTerminal: Show = async (args, box) => {
  using terminal = new Terminal(args, { env: box.env(), cwd: box.cwd, columns: 300 });
  await terminal.exited;
  await terminal.text();
  return terminal.raw;
};

const inPipe: Show = async (args, box) => {
  const { stdout, stderr }: Finished = await tenon(args, { env: box.env(), cwd: box.cwd });
  return stdout + stderr;
};

function aboutCheckouts(show: Show): void {
  it.each([
    [
      ['mcp', 'list'],
      ['name', 'command', 'argument', 'remote', 'path', 'broken'],
    ],
    [
      ['mcp', 'get', evil('name')],
      ['name', 'command', 'VARIABLE'],
    ],
    [
      ['mcp', 'get', 'nothing'],
      ['nothing', 'remote'],
    ],
    [['mcp', evil('what')], ['what']],
    [
      ['doctor', '--runtime', 'embedded', '--timeout', '20'],
      ['name', 'command', 'remote'],
    ],
    [['doctor', '--timeout', evil('seconds')], ['seconds']],
    [[evil('nonsense')], ['nonsense']],
  ])('tenon %j', async (args, words) => {
    await using box = sandbox();
    await checkout(box);
    expectHarmless(await show(args, box), ...words);
  });

  it('tenon run: names, calls, results, the answer and the failure', async () => {
    await using box = sandbox();
    const agent = fileURLToPath(new URL('../fixtures/cli/hostile-words.mjs', import.meta.url));
    const place = { ...box, env: () => box.env(undefined, { CLAUDE_CODE_EXECUTABLE: agent }) };
    const raw = await show(['run', 'Go.'], place);
    expectHarmless(raw, 'server', 'retry', 'tool', 'key', 'value', 'result', 'answer', 'error');
    // The call without a name is one like any other.
    expect(raw).toMatch(/✓.*\(a call without a name\)/);
  });
}

describeInTerminal('on a terminal', () => aboutCheckouts(inTerminal));
describe('in a pipe', () => aboutCheckouts(inPipe));

describe('as JSON', () => {
  it.each([['mcp', 'list'], ['mcp', 'get', evil('name')], ['mcp', 'get', evil('nothing')], ['nonsense']])(
    'tenon %s %s is exact, and without a control character',
    async (...args) => {
      await using box = sandbox();
      await checkout(box);
      const { stdout } = await tenon([...args, '--json'], { env: box.env(), cwd: box.cwd });
      expect(foreignControls(stdout)).toEqual([]);
      expect(() => JSON.parse(stdout)).not.toThrow();
      if (args[1] === 'list')
        expect(JSON.parse(stdout).servers.map(({ name }: { name: string }) => name)).toContain(evil('name'));
    },
  );
});

it('no command writes past the one place that makes text harmless', async () => {
  const root = fileURLToPath(new URL('../../src/commands', import.meta.url));
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const writers: string[] = [];
  for (const name of files) {
    const source = await readFile(join(root, name), 'utf8');
    if (/process\.std(out|err)\.write|console\.(log|error|warn|info)\(/.test(source)) writers.push(name);
  }
  // The program itself only waits for what was written.
  expect(writers).toEqual(['bin.ts']);
});
