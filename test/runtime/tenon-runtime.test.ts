/** `tenon-runtime`: the runtime as a program, driven by Tenon, by the official SDK, and by hand. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.js';
import { parseFlags } from '../../src/runtime/index.js';
import { hang, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { official, tenon } from '../matrix/support/cells.js';
import { sandbox } from '../support/real-cli.js';
import type { Loose } from './support.js';

const program = fileURLToPath(new URL('../../dist/runtime/bin.js', import.meta.url));
const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

describe.each([tenon, official])('driven by $name', (client) => {
  async function converse(
    script: Parameters<typeof scriptedMessagesApi>[0],
    makeOptions: (sdk: typeof import('../../src/index.js')) => Options,
  ) {
    const sdk = (await client.load()) as typeof import('../../src/index.js');
    await using box = sandbox();
    await using api = await scriptedMessagesApi(script);
    const messages: Loose[] = [];
    const options = {
      pathToClaudeCodeExecutable: program,
      executable: 'node' as const,
      cwd: box.cwd,
      env: box.env(api),
      ...makeOptions(sdk),
    };
    for await (const message of sdk.query({ prompt: 'Go.', options }))
      messages.push(message as unknown as Loose);
    api.assertDone();
    return { messages, result: messages.at(-1) as Loose, api };
  }

  const calc = (
    { tool, createSdkMcpServer }: typeof import('../../src/index.js'),
    handled: unknown[] = [],
  ) => ({
    calc: createSdkMcpServer({
      name: 'calc',
      tools: [
        tool('add', 'Adds', {} as never, async (input: unknown) => {
          handled.push(input);
          return { content: [{ type: 'text' as const, text: '42' }] };
        }),
      ],
    }),
  });

  it('answers', async () => {
    const { messages, result } = await converse([text('Hello.')], () => ({}));
    expect(result).toMatchObject({ type: 'result', subtype: 'success', result: 'Hello.' });
    expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
  });

  it('calls a tool in the process of the host', async () => {
    const { result, api } = await converse([toolUse('mcp__calc__add'), text('It is 42.')], (sdk) => ({
      mcpServers: calc(sdk),
      allowedTools: ['mcp__calc__*'],
    }));
    expect(result).toMatchObject({ result: 'It is 42.', num_turns: 2 });
    expect(api.requests[1]?.toolResults).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
  });

  it('asks for permission', async () => {
    const asked: string[] = [];
    const { result, api } = await converse([toolUse('mcp__calc__add'), text('Sorry.')], (sdk) => ({
      mcpServers: calc(sdk),
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'deny', message: 'Not today.' };
      },
    }));
    expect(asked).toEqual(['mcp__calc__add']);
    expect(JSON.stringify(api.requests[1]?.toolResults)).toContain('Not today.');
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'mcp__calc__add' }] });
  });

  it('calls hooks', async () => {
    const events: string[] = [];
    const hook = async (input: { hook_event_name: string }) => {
      events.push(input.hook_event_name);
      return {};
    };
    await converse([toolUse('mcp__calc__add'), text('It is 42.')], (sdk) => ({
      mcpServers: calc(sdk),
      allowedTools: ['mcp__calc__add'],
      hooks: Object.fromEntries(
        ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'].map((event) => [
          event,
          [{ hooks: [hook as never] }],
        ]),
      ),
    }));
    expect(events).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop']);
  });
});

it('goes on with a conversation of another process', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([text('I see.'), text('Ada.')]);
  const options = { pathToClaudeCodeExecutable: program, cwd: box.cwd, env: box.env(api) };
  const { query } = await import('../../src/index.js');
  const first = await query({ prompt: 'My name is Ada.', options }).done;
  const second = await query({ prompt: 'Who am I?', options: { ...options, resume: first.session_id } }).done;
  expect(second).toMatchObject({ result: 'Ada.', session_id: first.session_id });
  expect(JSON.stringify(api.requests[1]?.body.messages)).toMatch(/My name is Ada.*I see.*Who am I/);
});

const BASE = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

/** Runs it by hand. */
function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: 'pipe',
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
  });
  children.add(child);
  const lines: Loose[] = [];
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    output.stdout += data;
  });
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    output.stderr += data;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line));
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...output, lines }));
  const write = (value: unknown) =>
    child.stdin.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  return { child, write, lines, ended };
}

const prompt = { type: 'user', message: { role: 'user', content: 'Hi.' } };

describe('by hand', () => {
  it.each([
    ['two arguments', ['--model', 'other', '--max-turns', '3', '--allowedTools', 'A,Bash(a, b)']],
    ['one argument', ['--model=other', '--max-turns=3', '--allowedTools=A,Bash(a, b)']],
  ])('takes a flag and its value as %s', (_, args) => {
    expect(parseFlags(args, JSON.parse)).toMatchObject({
      model: 'other',
      maxTurns: 3,
      allowedTools: ['A', 'Bash(a, b)'],
    });
  });

  it('needs no handshake, answers what was said before the end of its input, and leaves', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('Hello.')]);
    const { write, child, ended } = start([...BASE, '--model=other'], box.env(api));
    write('');
    write({ type: 'keep_alive' });
    write(prompt);
    child.stdin.end();
    const { code, lines } = await ended;
    expect(code).toBe(0);
    expect(lines.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    expect(api.requests[0]?.body.model).toBe('other');
  });

  it('says it with exit code 1 when the last result is an error, and when there is nothing to resume', async () => {
    await using box = sandbox();
    const id = '00000000-0000-4000-8000-000000000000';
    const { lines, ended } = start([...BASE, `--resume=${id}`], box.env());
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain(id);
    expect(lines).toMatchObject([{ type: 'result', is_error: true }]);
  });

  it.each([
    ['an unknown flag', ['--no-such-flag'], /unknown option '--no-such-flag'/],
    ['a flag without its value', ['--model'], /argument missing/],
    ['a file of servers that is not there', ['--mcp-config', '/no/such/file'], /no such file/i],
  ])('ends with exit code 1 for %s', async (_, args, reason) => {
    const { code, stderr, stdout } = await start([...BASE, ...args]).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(reason);
    expect(stdout).toBe('');
  });

  it('ends with exit code 1 for a line that is no JSON', async () => {
    const { write, ended } = start(BASE);
    write('this is no JSON');
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain('this is no JSON');
  });

  it('ends with exit code 1 for an error in a strict MCP configuration, and warns of it in a lenient one (R28)', async () => {
    const config = [
      '--mcp-config',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what is tested
      JSON.stringify({ mcpServers: { a: { command: '${NOT_SET_ANYWHERE}' } } }),
    ];
    const strict = await start([...config, '--strict-mcp-config']).ended;
    expect(strict).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs the variable NOT_SET_ANYWHERE'),
    });
    const lenient = start([...config, '--setting-sources=']);
    lenient.child.stdin.end();
    expect(await lenient.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('NOT_SET_ANYWHERE'),
    });
  });

  it('tells its version and its use', async () => {
    expect(await start(['--version']).ended).toMatchObject({ code: 0, stdout: '0.1.0 (Tenon runtime)\n' });
    expect(await start(['--help']).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: '),
    });
  });

  it('leaves with 143 at SIGTERM, in the middle of a turn too', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([hang()]);
    const { child, write, ended } = start(BASE, box.env(api));
    write(prompt);
    await api.waitForRequest(0);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143 });
  });
});
