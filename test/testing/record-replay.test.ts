/** The cassette: the first time the model is asked, from then on nobody is (pain 8, wish 4). */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { embedded, type Model } from '../../src/runtime/index.js';
import { CassetteMismatchError, recordReplay, scriptedModel } from '../../src/testing/index.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tenon-cassette-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const newFile = (): string => join(root, randomUUID(), 'cassette.jsonl');

const nobody: Model = {
  name: 'nobody',
  stream: () => {
    throw new Error('The model was asked.');
  },
};

async function ask(model: Model, prompt = 'What is 1 + 2?', result: unknown = 3) {
  const add = tool('add', 'Adds', { type: 'object', properties: {} }, () => result as number);
  const options = {
    runtime: embedded({ model }),
    mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
    allowedTools: ['mcp__calc'],
    throwOnErrorResult: false,
  };
  return query({ prompt, options }).done;
}

const script = [{ thinking: 'Hm.', toolUses: [{ name: 'mcp__calc__add' }] }, 'It is 3.'];

async function recorded(): Promise<string> {
  const file = newFile();
  const model = recordReplay(scriptedModel(script), file);
  expect(model.mode).toBe('record');
  expect(await ask(model)).toMatchObject({ result: 'It is 3.' });
  return file;
}

describe('recordReplay', () => {
  it('records what the model says, a line for each request', async () => {
    const lines = (await readFile(await recorded(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] ?? '')).toEqual({ cassette: 1, model: 'scripted-model' });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      request: { model: 'scripted-model' },
      events: expect.any(Array),
    });
  });

  it('leaves out secrets: those that are named, those of the environment, and what looks like one', async () => {
    const form = `sk-ant-${'a1'.repeat(20)}`;
    const secrets = ['the "combination" is 1234', 'environment-token-5678', form];
    vi.stubEnv('SOME_API_TOKEN', 'environment-token-5678');
    const file = newFile();
    const options = { redact: secrets.slice(0, 1) };
    const prompt = `Remember ${secrets.join(' and ')}.`;
    const model = recordReplay(scriptedModel([`You said ${secrets.join(' and ')}.`]), file, options);
    expect(await ask(model, prompt)).toMatchObject({ result: `You said ${secrets.join(' and ')}.` });
    const text = await readFile(file, 'utf8');
    for (const secret of secrets) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
    // It is still the same request when it is made again.
    const replayed = recordReplay(nobody, file, options);
    expect(await ask(replayed, prompt)).toMatchObject({
      result: 'You said <redacted> and <redacted> and <redacted>.',
    });
    replayed.assertDone();
    vi.unstubAllEnvs();
  });

  it('is called and costs what the model itself is and does, so that a budget can be kept', async () => {
    const file = newFile();
    const known = {
      resolve: (name: string) => `full-${name}`,
      prices: { 'scripted-model': { input: 1, output: 1 } },
    };
    for (const mode of ['record', 'replay'] as const) {
      const model = recordReplay({ ...scriptedModel(['Hello.']), ...known }, file);
      const options = { runtime: embedded({ model }), maxBudgetUsd: 1 };
      const running = query({ prompt: 'Hi', options });
      const init = await running.next();
      expect(model.mode).toBe(mode);
      expect(init.value).toMatchObject({ subtype: 'init', model: 'full-scripted-model' });
      expect(await running.done).toMatchObject({ result: 'Hello.', total_cost_usd: 0.00003 });
    }
  });

  it('replays it without asking anybody, as often as one likes', async () => {
    const file = await recorded();
    for (let time = 0; time < 2; time += 1) {
      const model = recordReplay(nobody, file);
      expect(model.mode).toBe('replay');
      expect(await ask(model)).toMatchObject({ result: 'It is 3.', usage: { output_tokens: 40 } });
      model.assertDone();
    }
  });

  it('fails at a request that differs, and names the first field that does with both values', async () => {
    const model = recordReplay(nobody, await recorded());
    const result = await ask(model, 'What is 2 + 2?');
    expect(result).toMatchObject({ is_error: true });
    const text = (result as { result: string }).result;
    expect(text).toContain('messages[0].content[0].text');
    expect(text).toContain('"What is 1 + 2?"');
    expect(text).toContain('"What is 2 + 2?"');
    expect(() => model.assertDone()).toThrow('differs from the one in');
  });

  it('names a field deep in a later request', async () => {
    const file = await recorded();
    const result = (await ask(recordReplay(nobody, file), undefined, 4)) as { result: string };
    expect(result.result).toMatch(/request 2.*messages\[2\]\.content\[0\]\.content\[0\]\.text/s);
    expect(result.result).toMatch(/recorded: "3"\s+now: +"4"/);
  });

  it('tells of a field that is only on one side', async () => {
    const file = await recorded();
    const lines = (await readFile(file, 'utf8')).split('\n');
    const entry = JSON.parse(lines[1] ?? '');
    delete entry.request.max_tokens;
    await writeFile(file, [lines[0], JSON.stringify(entry), lines[2], ''].join('\n'));
    const result = (await ask(recordReplay(nobody, file))) as { result: string };
    expect(result.result).toMatch(/max_tokens:\s+recorded: \(absent\)/);
  });

  it('asserts that every recorded request was made', async () => {
    const model = recordReplay(nobody, await recorded());
    expect(() => model.assertDone()).toThrow(CassetteMismatchError);
    expect(() => model.assertDone()).toThrow(/2 requests recorded in .* never arrived/);
  });

  it('fails at a request more than was recorded', async () => {
    const file = await recorded();
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${lines[0]}\n${lines[1]}\n`);
    const model = recordReplay(nobody, file);
    const result = (await ask(model)) as { result: string };
    expect(result.result).toContain('has only 1');
    expect(() => model.assertDone()).toThrow('request 2 arrived, but');
  });

  it('records and replays a failure of the model', async () => {
    const file = newFile();
    const error = { message: 'Overloaded', status: 529, type: 'overloaded_error' };
    expect(await ask(recordReplay(scriptedModel([{ error }]), file))).toMatchObject({
      api_error_status: 529,
    });
    expect(await ask(recordReplay(nobody, file))).toMatchObject({
      api_error_status: 529,
      result: 'API Error: 529 Overloaded',
    });
  });

  it('records anew when it is told to', async () => {
    const file = await recorded();
    await ask(recordReplay(scriptedModel(['Three.']), file, { mode: 'record' }));
    expect(await ask(recordReplay(nobody, file))).toMatchObject({ result: 'Three.' });
  });

  it('says what is wrong with a file that is not a cassette', async () => {
    const file = join(root, 'other.jsonl');
    await writeFile(file, '{"a":1}\n');
    expect(() => recordReplay(nobody, file)).toThrow(/is neither a cassette nor a tape/);
    await writeFile(file, '{"cassette":1,"model":"m"}\n{"requ');
    expect(() => recordReplay(nobody, file)).toThrow(/line 2 is not JSON/);
  });
});
