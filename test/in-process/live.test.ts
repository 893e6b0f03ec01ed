/** A live conversation of the real CLI with in-process servers: changes, questions, resources, parallel calls, interrupts. */
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { hang, text, toolUse, toolUses } from '../../src/testing/index.js';
import { runCli, succeeded, wordsOf } from './support.js';

test('a tool that is added in the middle of a turn is in the model’s next request, one that is removed is gone (R5, pain 32)', async () => {
  const server = createSdkMcpServer({
    name: 'test',
    instructions: 'Unlock before you dig.',
    tools: [
      tool('unlock', 'd', {}, () => {
        server.addTool('dig', 'Digs', { depth: z.number() }, ({ depth }) => `dug ${depth}`);
        server.removeTool('old');
        return 'unlocked';
      }),
      tool('old', 'd', {}, () => 'old'),
    ],
  });
  const other = createSdkMcpServer({ name: 'other', tools: [tool('stay', 'd', {}, () => '')] });
  const run = await runCli({
    servers: { test: server, other },
    script: [
      toolUse('mcp__test__unlock', {}),
      toolUses([
        { id: 'dig', name: 'mcp__test__dig', input: { depth: 3 } },
        { id: 'old', name: 'mcp__test__old', input: {} },
      ]),
      text('Done.'),
    ],
  });
  succeeded(run);
  const offered = run.api.requests.map(({ toolNames }) =>
    toolNames.filter((name) => name.startsWith('mcp__')),
  );
  expect(offered[0]?.toSorted()).toEqual(['mcp__other__stay', 'mcp__test__old', 'mcp__test__unlock']);
  expect(offered[1]).toContain('mcp__test__dig');
  expect(wordsOf(run.told.get('dig'))).toBe('dug 3');
  // The CLI still shows it to the model until the next turn; a call of it fails in words.
  expect(run.told.get('old')).toMatchObject({ is_error: true });
  expect(wordsOf(run.told.get('old'))).toMatch(/old/);
  expect(run.api.requests[0]?.system).toContain('Unlock before you dig.');
});

test('questions of a handler reach onElicitation and onSampling, and the answers the model (pain 33)', async () => {
  const onElicitation = vi.fn(async () => ({ action: 'accept' as const, content: { color: 'blue' } }));
  const onSampling = vi.fn(() => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'a haiku' },
  }));
  const ask = tool('ask', 'd', {}, async (_args, { elicit, sample, sessionId, toolUseId }) => {
    const requestedSchema = { type: 'object', properties: { color: { type: 'string' } } };
    const { content: person } = await elicit({ message: 'Which color?', requestedSchema });
    const { content: model } = await sample({ messages: [], maxTokens: 5 });
    return { person, model, sessionId, toolUseId };
  });
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools: [ask] }) },
    script: [toolUse('mcp__test__ask', {}, { id: 'toolu_ask' }), text('Done.')],
    options: { onElicitation, onSampling },
  });
  succeeded(run);
  expect(JSON.parse(wordsOf(run.told.get('toolu_ask')))).toEqual({
    person: { color: 'blue' },
    model: { type: 'text', text: 'a haiku' },
    sessionId: run.messages.find((message) => message.type === 'system')?.session_id,
    toolUseId: 'toolu_ask',
  });
  expect(onElicitation).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ serverName: 'test', message: 'Which color?' }),
    expect.objectContaining({ signal: expect.any(AbortSignal) }),
  );
  expect(onSampling).toHaveBeenCalledOnce();
});

test('resources are listed and read by the CLI’s own tools (R31, pain 56)', async () => {
  const server = createSdkMcpServer({
    name: 'test',
    resources: [
      { uri: 'memo://1', name: 'memo', read: () => 'buy milk' },
      { uri: 'memo://dot', name: 'dot', mimeType: 'image/png', read: () => Buffer.from('\x89PNG', 'latin1') },
      {
        uriTemplate: 'note://{id}',
        name: 'notes',
        read: (_uri, { id }) => `note ${id}`,
        list: () => [{ uri: 'note://7', name: 'seven' }],
      },
    ],
  });
  const read = (uri: string) => ({ id: uri, name: 'ReadMcpResourceTool', input: { server: 'test', uri } });
  const run = await runCli({
    servers: { test: server },
    script: [
      toolUses([
        { id: 'list', name: 'ListMcpResourcesTool', input: {} },
        ...['memo://1', 'note://9', 'memo://dot', 'none://1'].map(read),
      ]),
      text('Done.'),
    ],
    options: { allowedTools: ['ListMcpResourcesTool', 'ReadMcpResourceTool'] },
  });
  succeeded(run);
  expect(JSON.parse(wordsOf(run.told.get('list')))).toEqual([
    { name: 'memo', uri: 'memo://1', server: 'test' },
    { name: 'dot', uri: 'memo://dot', mimeType: 'image/png', server: 'test' },
    { name: 'seven', uri: 'note://7', server: 'test' },
  ]);
  const words = (uri: string) => wordsOf(run.told.get(uri));
  expect(JSON.parse(words('memo://1'))).toEqual({ contents: [{ uri: 'memo://1', text: 'buy milk' }] });
  expect(JSON.parse(words('note://9'))).toEqual({ contents: [{ uri: 'note://9', text: 'note 9' }] });
  expect(words('memo://dot')).toMatch(/Binary content \(image\/png, 4 bytes\) saved to /);
  expect(words('none://1')).toMatch(/^Resource not found: none:\/\/1/);
});

test('fifteen calls of a parallel tool run at once, those of a plain one in turn (pain 53)', async () => {
  const count = 15;
  let together = 0;
  let all = (): void => {};
  const everybody = new Promise<void>((resolve) => {
    all = resolve;
  });
  // Each waits for all the others: run in turn, the first would wait for ever.
  const meet = tool(
    'meet',
    'd',
    { n: z.number() },
    async ({ n }) => {
      together += 1;
      if (together === count) all();
      await everybody;
      return `met ${n}`;
    },
    { concurrency: 'parallel' },
  );
  let running = 0;
  let most = 0;
  const queue = tool('queue', 'd', { n: z.number() }, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
  });
  const calls = (name: string, many: number) =>
    toolUses(
      Array.from({ length: many }, (_, n) => ({
        id: `${name}_${n}`,
        name: `mcp__test__${name}`,
        input: { n },
      })),
    );
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools: [meet, queue] }) },
    script: [calls('meet', count), calls('queue', 3), text('Done.')],
  });
  succeeded(run);
  for (let n = 0; n < count; n += 1) expect(wordsOf(run.told.get(`meet_${n}`))).toBe(`met ${n}`);
  expect(most).toBe(1);
});

test('an interrupt aborts the handler’s signal, also of one that waits for its turn (R24)', async () => {
  const begun: string[] = [];
  const aborted: string[] = [];
  const wait = tool(
    'wait',
    'd',
    { name: z.string() },
    async ({ name }, { signal }) => {
      begun.push(name);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      aborted.push(name);
    },
    { concurrency: 'serial', annotations: { readOnlyHint: true } },
  );
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools: [wait] }) },
    script: [
      toolUses([
        { name: 'mcp__test__wait', input: { name: 'first' } },
        { name: 'mcp__test__wait', input: { name: 'second' } },
      ]),
    ],
    options: { throwOnErrorResult: false },
    during: async (running) => {
      await vi.waitUntil(() => begun.length > 0);
      await running.interrupt();
    },
  });
  expect(run.messages.at(-1)).toMatchObject({ type: 'result', subtype: 'error_during_execution' });
  // The CLI withdraws the calls one after another: the second may begin when the first has left, and is then aborted.
  expect(begun[0]).toBe('first');
  await vi.waitUntil(() => aborted.length === begun.length);
  expect(aborted).toEqual(begun);
});

test('a tool’s own timeout holds in the CLI too: longer than its server’s, and put off by progress (pain 13)', async () => {
  let isOver = false;
  /** When the limit has ended the call that does nothing, the others have outlived it. */
  const afterTheLimit = async (step: () => void): Promise<void> => {
    for (let extra = 0; extra < 3; extra += isOver ? 1 : 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      step();
    }
  };
  const patient = tool(
    'patient',
    'd',
    {},
    async (_args, { signal }) => {
      await afterTheLimit(() => {});
      return signal.aborted ? 'aborted' : 'in time';
    },
    { timeout: 0 },
  );
  let progress = 0;
  const busy = tool('busy', 'd', {}, async (_args, { reportProgress }) => {
    await afterTheLimit(() => reportProgress(++progress));
    return 'in time';
  });
  const stuck = tool('stuck', 'd', {}, (_args, { signal }) => {
    signal.addEventListener('abort', () => {
      isOver = true;
    });
    return new Promise<string>(() => {});
  });
  const parallel = { annotations: { readOnlyHint: true } };
  const tools = [patient, busy, stuck].map((each) => ({ ...each, ...parallel }));
  const run = await runCli({
    servers: { test: createSdkMcpServer({ name: 'test', tools, timeout: 3_000 }) },
    script: [
      toolUses(tools.map(({ name }) => ({ id: name, name: `mcp__test__${name}`, input: {} }))),
      text('Done.'),
    ],
  });
  succeeded(run);
  expect(wordsOf(run.told.get('patient'))).toBe('in time');
  expect(wordsOf(run.told.get('busy'))).toBe('in time');
  expect(run.told.get('stuck')).toMatchObject({
    is_error: true,
    content: 'Tool "stuck" timed out after 3000 ms.',
  });
});

test('a conversation that is closed aborts its handlers, and the server goes on with the next', async () => {
  const signals: AbortSignal[] = [];
  const wait = tool('wait', 'd', {}, (_args, { signal }) => {
    signals.push(signal);
    return signals.length > 1 ? 'again' : new Promise<string>(() => {});
  });
  const server = createSdkMcpServer({ name: 'test', tools: [wait] });
  await runCli({
    servers: { test: server },
    // Told of the failed call, the CLI may ask the model once more.
    script: (_request, index) => (index === 0 ? toolUse('mcp__test__wait', {}) : hang()),
    during: async (running) => {
      await vi.waitUntil(() => signals.length === 1);
      await running.close();
    },
  });
  expect(signals[0]?.aborted).toBe(true);
  const run = await runCli({
    servers: { test: server },
    script: [toolUse('mcp__test__wait', {}, { id: 'second' }), text('Done.')],
  });
  succeeded(run);
  expect(wordsOf(run.told.get('second'))).toBe('again');
});
