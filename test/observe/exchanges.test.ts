/** What the Claude Code CLI asked its model is in the tape, and nothing of it stays on the disk (R56, inspector fact 2). */
import { spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { query, type RunEvent } from '../../src/index.js';
import {
  apiError,
  hang,
  readTape,
  replayTape,
  scriptedMessagesApi,
  toolUse,
} from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { captureLaunch } from '../support/captured-launch.js';
import { cliPath, sandbox, waitUntil } from '../support/real-cli.js';
import { scriptedCli } from '../support/scripted-cli.js';
import { temporaryDirectory } from '../support/temporary.js';

const temporary = temporaryDirectory();
const VARIABLE = 'OTEL_LOG_RAW_API_BODIES';
const own = async (directory = temporary) =>
  (await readdir(directory)).filter((name) => name.startsWith('tenon-') && name.length > 30);

const exchangesOf = (file: string) =>
  readTape(file).lines.flatMap((line) => (line.kind === 'exchange' ? [line] : []));
/** Of a tape that is still being written, and may not even have begun. */
const numberIn = async (file: string) =>
  (await readFile(file, 'utf8').catch(() => '')).split('{"kind":"exchange"').length - 1;

describe('a tape of the CLI', () => {
  it('has every request and answer, whole, as the API got and gave them (R56)', async () => {
    await using cli = await scriptedCli([toolUse('Bash', { command: 'echo hi' }), 'Done.']);
    const file = join(cli.box.cwd, 'run.tape');
    const { error } = await ask(cli.options({ record: file, allowedTools: ['Bash'] }), 'Say hi to Ada.');
    expect(error).toBeUndefined();
    const exchanges = exchangesOf(file);
    expect(exchanges).toHaveLength(2);
    for (const [index, { began, t, id, messageId, request, response }] of exchanges.entries()) {
      const sent = cli.api.requests[index]?.body as Record<string, unknown>;
      expect(id).toBe(index + 1);
      // What is sent as a header stands in the body that the CLI writes.
      const { betas: _betas, ...body } = request;
      expect(body).toEqual(sent);
      expect(JSON.stringify(request.messages)).toContain('Say hi to Ada.');
      expect(request).toMatchObject({ system: expect.anything(), tools: expect.any(Array) });
      expect(response).toMatchObject({ id: messageId, role: 'assistant' });
      expect(began).toBeGreaterThan(0);
      expect(t).toBeGreaterThanOrEqual(began);
    }
    expect(exchanges[1]?.response).toMatchObject({ content: [{ type: 'text', text: 'Done.' }] });
    expect(readTape(file).end?.totals.requests).toBe(2);
    // The second request repeats the first, and adds little to the tape.
    const raw = (await readFile(file, 'utf8')).split('\n');
    const after = raw.slice(raw.findIndex((line) => line.startsWith('{"kind":"exchange"')) + 1);
    const added = after.filter((line) => /^\{"kind":"(?:block|exchange)"/.test(line)).join('');
    expect(added.length).toBeLessThan(JSON.stringify(exchanges[1]?.request).length / 5);
    expect(await own()).toEqual([]);
    const runtime = replayTape(file);
    expect((await ask({ runtime }, 'Say hi to Ada.')).messages.at(-1)).toMatchObject({ result: 'Done.' });
    expect(runtime.differences).toEqual([]);
  });

  it('has a request that failed without an answer, and the one that was tried again with it (R56)', async () => {
    await using cli = await scriptedCli([apiError(529, 'overloaded_error', 'busy'), 'Done.']);
    const file = join(cli.box.cwd, 'run.tape');
    await ask(cli.options({ record: file }));
    const exchanges = exchangesOf(file);
    expect(exchanges.map(({ response }) => response !== undefined).sort()).toEqual([false, true]);
    const [failed, answered] = ['msg', undefined].map((has) =>
      exchanges.find(({ messageId }) => (messageId === undefined) === (has === 'msg')),
    );
    expect(failed?.began).toBeLessThanOrEqual(answered?.began ?? 0);
    expect(failed?.request.messages).toEqual(answered?.request.messages);
    expect(await own()).toEqual([]);
  });

  it('has them while the conversation goes on, and tells of them on tenon:conversation (R55, R56)', async () => {
    await using cli = await scriptedCli(['One.', hang()]);
    const file = join(cli.box.cwd, 'run.tape');
    const told: RunEvent[] = [];
    const listener = (message: unknown): void => void told.push(message as RunEvent);
    subscribe('tenon:conversation', listener);
    const prompts = async function* () {
      yield {
        type: 'user' as const,
        message: { role: 'user' as const, content: 'One?' },
        parent_tool_use_id: null,
      };
      await waitUntil(async () => (await numberIn(file)) === 1, { what: 'the first exchange in the tape' });
      yield {
        type: 'user' as const,
        message: { role: 'user' as const, content: 'Two?' },
        parent_tool_use_id: null,
      };
    };
    const run = query({ prompt: prompts(), options: cli.options({ record: file, stderr: () => {} }) });
    await cli.api.waitForRequest(1);
    run.close();
    for await (const _ of run);
    // Who closes does not wait for the agent.
    await waitUntil(() => readTape(file).end !== undefined, { what: 'the end of the tape' });
    unsubscribe('tenon:conversation', listener);
    const [first, second] = exchangesOf(file);
    expect(first?.response).toMatchObject({ content: [{ text: 'One.' }] });
    expect(JSON.stringify(second?.request.messages)).toContain('Two?');
    expect(second).not.toHaveProperty('response');
    const [event] = told.flatMap((each) => (each.kind === 'exchange' ? [each] : []));
    expect(JSON.parse(event?.request ?? '')).toEqual(first?.request);
    await waitUntil(async () => (await own()).length === 0, { what: 'the directory to be gone' });
  });

  it('has none where the user has the variable set: it does what it did (R56)', async () => {
    await using cli = await scriptedCli(['Done.']);
    const file = join(cli.box.cwd, 'run.tape');
    const bodies = join(cli.box.cwd, 'bodies');
    await mkdir(bodies);
    await ask(cli.options({ record: file, env: { [VARIABLE]: `file:${bodies}` } }));
    expect(exchangesOf(file)).toEqual([]);
    expect(await readdir(bodies)).toHaveLength(3);
  });

  it('does not ask for them from a CLI that somebody else starts, nor of one that nobody records (R56)', async () => {
    await using box = sandbox();
    const recorded = await captureLaunch({ record: join(box.cwd, 'run.tape'), env: box.env() });
    expect(recorded.spawn.env).not.toHaveProperty(VARIABLE);
    const script = join(box.cwd, 'variable.mjs');
    const said = join(box.cwd, 'said');
    await writeFile(
      script,
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(said)}, String(process.env.${VARIABLE}));`,
    );
    await ask({ pathToClaudeCodeExecutable: script, env: box.env(), onFrame: () => {} });
    expect(await readFile(said, 'utf8')).toBe('undefined');
  });

  it('is cut where it would be too long, and says so (R56)', async () => {
    await using cli = await scriptedCli(['Done.']);
    const file = join(cli.box.cwd, 'run.tape');
    await ask(
      cli.options({ record: { path: file, maxFrameBytes: 40_000 }, stderr: () => {} }),
      'word '.repeat(20_000),
    );
    const [exchange] = exchangesOf(file);
    expect(exchange?.cut).toBeGreaterThan(100_000);
    expect(JSON.stringify(exchange).length).toBeLessThan(40_000);
  });
});

describe.each(BACK_ENDS)('with `exchanges: false` a tape of $name', ({ start }) => {
  it('has nothing of what the model was asked, and all the rest (R56)', async () => {
    await using agent = await start(['Done.']);
    const file = join(agent.box.cwd, 'run.tape');
    await ask(agent.options({ record: { path: file, exchanges: false } }));
    const { lines, end } = readTape(file);
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(['frame', 'input-end', 'end']));
    expect(end?.totals).toMatchObject({ results: 1, requests: 0 });
  });
});

describe('a program that is killed', () => {
  it('leaves none of the bodies on the disk (R56)', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([hang()]);
    const tapes = join(box.cwd, 'tapes');
    await mkdir(tapes);
    const main = join(box.cwd, 'main.mjs');
    const entry = new URL('../../dist/index.js', import.meta.url).href;
    const options = JSON.stringify({ record: tapes, pathToClaudeCodeExecutable: cliPath });
    await writeFile(
      main,
      `import { query } from '${entry}';\nfor await (const _ of query({ prompt: 'Go.', options: ${options} }));`,
    );
    const env = box.env(api);
    const directory = env.TMPDIR ?? '';
    const program = spawn(process.execPath, [main], { env, cwd: box.cwd, stdio: 'ignore' });
    await api.waitForRequest(0);
    const bodies = async (): Promise<string[]> => {
      const names = await Promise.all(
        (await own(directory)).map((name) => readdir(join(directory, name, 'bodies')).catch(() => [])),
      );
      return names.flat();
    };
    await waitUntil(async () => (await bodies()).length === 1, { what: 'a request on the disk' });
    const [mine = ''] = await own(directory);
    expect((await stat(join(directory, mine))).mode & 0o777).toBe(0o700);
    program.kill('SIGKILL');
    await waitUntil(async () => (await own(directory)).length === 0, { what: 'the directory to be gone' });
  });
});
