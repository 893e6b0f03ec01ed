/**
 * `npm run test:runtimes`: whole conversations where there are no processes and no files. One worker, bundled once for
 * each condition of package.json, answers the same requests under workerd, Deno and Bun.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHandler } from '../../../examples/session-stores/handler-server.js';
// @ts-expect-error: an example in JavaScript, whose types are checked where it lives
import { sessionStoreHandler } from '../../../examples/session-stores/http-session-store.mjs';
import { createSdkMcpServer, InMemorySessionStore, serveHttp, tool } from '../../../src/index.js';
import {
  apiError,
  type Script,
  scriptedMessagesApi,
  stall,
  text,
  toolUse,
} from '../../../src/testing/index.js';
import { type VendorServer, vendorServer } from '../../models/ai-sdk/providers.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { bundle, makeProject, sizeOf } from './bundle.js';
import { endlessApi } from './endless-api.js';
import { EDGE_RUNTIMES, type RunningWorker, startDeno } from './runtimes.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-edge-'));
  await makeProject(folder, [
    'test/runtimes/edge/worker.mjs',
    'test/runtimes/edge/smallest.mjs',
    'examples/session-stores/http-session-store.mjs',
    'template/worker/events.js',
  ]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(EDGE_RUNTIMES)('under %s (R47, wish 19)', (_, { start, condition }) => {
  let worker: RunningWorker;
  /** They wait for connections that a worker may keep open, and so end after it. */
  const vendors: VendorServer[] = [];
  beforeAll(async () => {
    worker = await start(folder, await bundle(folder, 'worker.mjs', condition));
  });
  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]();
    for (const vendor of vendors) await vendor[Symbol.asyncDispose]();
  });

  const post = (scenario: string, addresses: object, signal = AbortSignal.timeout(PATIENCE_MS)) =>
    fetch(`${worker.url}/${encodeURIComponent(scenario)}`, {
      method: 'POST',
      body: JSON.stringify(addresses),
      signal,
    });
  // biome-ignore lint/suspicious/noExplicitAny: what a scenario returns is looked at by the test of that scenario
  const outcomeOf = async (scenario: string, addresses: object = {}): Promise<any> =>
    (await post(scenario, addresses)).json();

  /** Plays the scenario with Claude, as the script says it. */
  async function played(scenario: string, script: Script, addresses: object = {}) {
    await using api = await scriptedMessagesApi(script);
    const outcome = await outcomeOf(scenario, { messagesApi: api.url, ...addresses });
    api.assertDone();
    return { outcome, requests: api.requests };
  }

  it('tools that are described by zod and by JSON Schema are called, and bad arguments are refused', async () => {
    const { outcome, requests } = await played('tools', [
      toolUse('mcp__desk__add', { a: 15, b: 27 }),
      toolUse('mcp__desk__greet', { name: 'Ada' }),
      toolUse('mcp__desk__greet', {}),
      toolUse('mcp__desk__add', { a: [] }),
      text('Done.'),
    ]);
    expect(outcome).toEqual({
      results: ['42', 'Hello Ada', expect.stringMatching(/name/), expect.stringMatching(/\ba\b/)],
      result: 'Done.',
    });
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mcp__desk__add', 'mcp__desk__greet']),
    );
  });

  it('files in memory are read, searched and edited, and skills and subagents work on them (R48, R52, R53)', async () => {
    const { outcome, requests } = await played('workspace', ({ body, toolResults }) => {
      const isHelper = JSON.stringify(body.system ?? '').includes('You help.');
      if (isHelper)
        return toolResults.length > 0 ? text('Helped.') : toolUse('Read', { file_path: 'notes/a.txt' });
      const calls = [
        toolUse('Grep', { pattern: 't.o', output_mode: 'content' }),
        toolUse('Edit', { file_path: 'notes/a.txt', old_string: 'two', new_string: 'second' }),
        toolUse('Skill', { skill: 'greet', args: 'Ada' }),
        toolUse('Agent', {
          description: 'Help',
          prompt: 'Help me.',
          subagent_type: 'helper',
          run_in_background: false,
        }),
      ];
      const said = JSON.stringify(body.messages);
      const done = ['t.o', 'second', 'Say hello to Ada.', 'Helped.'].filter((words) => said.includes(words));
      return calls[done.length] ?? text('Done.');
    });
    expect(outcome).toMatchObject({ result: 'Done.', text: 'one\nsecond\n' });
    expect(outcome.results[0]).toContain('two');
    expect(JSON.stringify(requests[0]?.body)).toContain('Be kind.');
  });

  it('an answer comes in the structure that was asked for, and one that does not fit is refused', async () => {
    const { outcome } = await played('structure', [
      toolUse('StructuredOutput', { sum: 'five' }),
      toolUse('StructuredOutput', { sum: 5 }),
    ]);
    expect(outcome).toMatchObject({ structured_output: { sum: 5 } });
    expect(outcome.results[0]).toMatch(/does not fit the schema/);
  });

  it('the tools of a server behind HTTP are called', async () => {
    const add = tool('add', 'Adds', { type: 'object' }, ({ a, b }) => Number(a) + Number(b));
    const served = await serveHttp(createSdkMcpServer({ name: 'far', tools: [add] }), { port: 0 });
    try {
      const script = [toolUse('mcp__far__add', { a: 20, b: 22 }), text('Done.')];
      const { outcome } = await played('mcp over http', script, { mcp: served.url });
      expect(outcome).toEqual({ results: ['42'], result: 'Done.' });
    } finally {
      await served.close();
    }
  });

  it('a model of the AI SDK calls tools and answers', async () => {
    const call = { name: 'mcp__desk__add', arguments: JSON.stringify({ a: 15, b: 27 }) };
    const vendor = await vendorServer([{ toolCalls: [call] }, { content: 'It is 42.' }]);
    vendors.push(vendor);
    expect(await outcomeOf('ai sdk', { vendor: vendor.url })).toEqual({
      results: ['42'],
      result: 'It is 42.',
    });
    expect(vendor.requests.map(({ path }) => path)).toEqual(['/v1/responses', '/v1/responses']);
  });

  it('callbacks decide about calls and hooks hear of them', async () => {
    const { outcome } = await played('permissions and hooks', [
      toolUse('mcp__desk__add', { a: 2, b: 2 }),
      toolUse('mcp__desk__greet', { name: 'Ada' }),
      text('Done.'),
    ]);
    expect(outcome).toEqual({
      seen: [
        'before mcp__desk__add',
        'asked mcp__desk__add',
        'after mcp__desk__add',
        'before mcp__desk__greet',
        'asked mcp__desk__greet',
      ],
      results: ['42', 'No greetings.'],
      result: 'Done.',
    });
  });

  it('a conversation has several turns', async () => {
    const { outcome, requests } = await played('several turns', [text('First.'), text('Second.')]);
    expect(outcome).toEqual(['First.', 'Second.']);
    expect(requests[1]?.messages).toHaveLength(3);
  });

  it('a conversation is kept in a store behind fetch, and continued', async () => {
    const store = new InMemorySessionStore();
    await using served = await serveHandler(sessionStoreHandler(store));
    const { outcome, requests } = await played('kept conversation', [text('First.'), text('Second.')], {
      store: served.url,
    });
    expect(outcome).toEqual({ session_id: expect.any(String), result: 'Second.' });
    expect(requests[1]?.messages).toHaveLength(3);
    const [kept] = await store.listSessions('-work');
    expect(kept?.sessionId).toBe(outcome.session_id);
  });

  it('a request that failed is tried again', async () => {
    const script = [
      apiError(429, 'rate_limit_error', 'Slow down.', { headers: { 'retry-after': '0' } }),
      text('Done.'),
    ];
    const { outcome } = await played('retry', script);
    expect(outcome).toEqual({ retries: [429], result: 'Done.' });
  });

  it('an abort in the middle of an answer ends the conversation and the request', async () => {
    await using api = await endlessApi();
    expect(await outcomeOf('abort', { messagesApi: api.url })).toMatch(/^ABORTED: /);
    await api.requestEnded;
  });

  it('an interrupt in the middle of an answer ends the turn', async () => {
    const { outcome } = await played('interrupt', [stall(text('Never to be finished'))]);
    expect(outcome).toBe('error_during_execution');
  });

  it('a function is a model', async () => {
    expect(await outcomeOf('function as a model')).toEqual({ results: ['Hello Ada'], result: 'In pieces.' });
  });

  it('messages are streamed to whoever asked, as they come, until the reader leaves', async () => {
    await using api = await endlessApi();
    const leave = new AbortController();
    const response = await post('stream', { messagesApi: api.url }, leave.signal);
    let seen = '';
    // The answer has not ended, and never will: what is read here cannot have waited for it.
    for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    )) {
      seen += piece;
      if (seen.includes('text_delta')) break;
    }
    expect(seen).toMatch(/^event: message\ndata: \{"type":"system","subtype":"init"/);
    leave.abort();
    await api.requestEnded;
  });

  it('what needs processes or files is refused, and the error says why', async () => {
    expect(await outcomeOf('refusals', { messagesApi: 'http://127.0.0.1:1' })).toEqual({
      cli: expect.stringMatching(/The Claude Code CLI cannot be started: there are no processes here/),
      settings: expect.stringMatching(/settingSources: \["user"\] cannot be read/),
      files: expect.stringMatching(/^NOT_SUPPORTED: .*there are no files here/),
    });
  });
});

it('under Deno a program with a permission for the network and nothing else runs a conversation (R47)', async () => {
  await using worker = await startDeno(folder, await bundle(folder, 'smallest.mjs', 'browser'), ['net']);
  expect(await (await fetch(worker.url)).text()).toBe('Hello Ada');
});

describe('the size of a bundle', () => {
  it.each([
    ['the runtime, tools by JSON Schema, and a function as a model', 'smallest.mjs', 1_150_000],
    ['all that this test uses: zod, both model adapters and their packages', 'worker.mjs', 3_000_000],
  ])('of %s is bounded', async (what, entry, most) => {
    const { bytes, gzipped } = await sizeOf(await bundle(folder, entry, 'workerd'));
    const kilobytes = (count: number) => `${Math.round(count / 1000)} KB`;
    console.log(`Bundle of ${what}: ${kilobytes(bytes)}, gzipped ${kilobytes(gzipped)}`);
    expect(bytes).toBeLessThan(most);
  });
});
