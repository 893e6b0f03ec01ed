/**
 * Whole conversations where there is no Node: the package as it is built, bundled as for a worker, in a context that has the
 * Web's globals and nothing else. There is no `process`, no `Buffer`, no `require`, and no code may be made from text.
 */
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, serveHttp, tool } from '../../src/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

const WEB_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'Event',
  'EventTarget',
  'Headers',
  'ReadableStream',
  'Request',
  'Response',
  'TextDecoder',
  'TextDecoderStream',
  'TextEncoder',
  'TransformStream',
  'URL',
  'URLSearchParams',
  'WritableStream',
  'atob',
  'btoa',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'fetch',
  'performance',
  'queueMicrotask',
  'setInterval',
  'setTimeout',
  'structuredClone',
] as const;

/** What each program begins with: a model that says what it is given, and a conversation to its end. */
const PRELUDE = `
  import { createSdkMcpServer, createSession, InMemorySessionStore, query, serveHttp, tool } from 'tenon';
  import { embedded, fileSessionStore, InMemorySessionStore as Store } from 'tenon/runtime';
  import { z } from 'zod';

  function scripted(steps) {
    const requests = [];
    return {
      name: 'scripted',
      requests,
      async *stream(request) {
        requests.push(request);
        const step = steps.shift();
        const usage = { input_tokens: 1, output_tokens: 1 };
        yield { type: 'message_start', message: { id: 'msg_' + requests.length, type: 'message', role: 'assistant', model: 'scripted', content: [], stop_reason: null, stop_sequence: null, usage } };
        const block = step.tool ? { type: 'tool_use', id: 'call_' + requests.length, name: step.tool, input: {} } : { type: 'text', text: '' };
        yield { type: 'content_block_start', index: 0, content_block: block };
        const delta = step.tool ? { type: 'input_json_delta', partial_json: JSON.stringify(step.input) } : { type: 'text_delta', text: step };
        yield { type: 'content_block_delta', index: 0, delta };
        yield { type: 'content_block_stop', index: 0 };
        yield { type: 'message_delta', delta: { stop_reason: step.tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage };
        yield { type: 'message_stop' };
      },
    };
  }
  const resultsOf = (request) => request.messages.flatMap(({ content }) => Array.isArray(content) ? content.filter(({ type }) => type === 'tool_result') : []).map(({ content }) => typeof content === 'string' ? content : content.map(({ text }) => text).join(''));
  async function refusal(run) {
    try { await run(); } catch (error) { return error.message; }
  }
`;

async function runPortably(program: string, globals: Record<string, unknown> = {}): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: `${PRELUDE}\nglobalThis.outcome = (async () => {${program}})();`, resolveDir: root },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'browser', 'import'],
    logLevel: 'silent',
  });
  const here = globalThis as unknown as Record<string, unknown>;
  const context: Record<string, unknown> = { ...globals };
  for (const name of WEB_GLOBALS) context[name] = here[name];
  createContext(context, { codeGeneration: { strings: false, wasm: false } });
  new Script(outputFiles[0]?.text ?? '').runInContext(context);
  return JSON.parse(JSON.stringify(await context.outcome));
}

describe('where there is no Node (R47)', () => {
  it('a conversation runs with tools in this process, described by zod and by JSON Schema', async () => {
    const outcome = await runPortably(`
      const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => a + b);
      const greet = tool('greet', 'Greets', { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }, ({ name }) => 'Hello ' + name);
      const s = createSdkMcpServer({ name: 's', tools: [add, greet] });
      const model = scripted([
        { tool: 'mcp__s__add', input: { a: 2, b: 3 } },
        { tool: 'mcp__s__greet', input: { name: 'Ada' } },
        { tool: 'mcp__s__greet', input: {} },
        'Done.',
      ]);
      const result = await query({ prompt: 'Go.', options: { runtime: embedded({ model }), mcpServers: { s }, allowedTools: ['mcp__s'] } }).done;
      return { result: result.result, results: resultsOf(model.requests.at(-1)) };
    `);
    expect(outcome).toMatchObject({ result: 'Done.' });
    const { results } = outcome as { results: string[] };
    expect(results.slice(0, 2)).toEqual(['5', 'Hello Ada']);
    expect(results[2]).toMatch(/name/);
  });

  it('an answer comes in the structure that was asked for, and one that does not fit is refused', async () => {
    const outcome = await runPortably(`
      const model = scripted([
        { tool: 'StructuredOutput', input: { sum: 'five' } },
        { tool: 'StructuredOutput', input: { sum: 5 } },
      ]);
      const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
      const result = await query({ prompt: 'Go.', options: { runtime: embedded({ model }), outputFormat: { type: 'json_schema', schema } } }).done;
      return { structured: result.structured_output, results: resultsOf(model.requests.at(-1)) };
    `);
    expect(outcome).toMatchObject({ structured: { sum: 5 } });
    expect((outcome as { results: string[] }).results[0]).toMatch(/does not fit the schema/);
  });

  it('a conversation of several turns is kept in a store and resumed', async () => {
    const outcome = await runPortably(`
      const sessionStore = new InMemorySessionStore();
      const first = createSession({ runtime: embedded({ model: scripted(['One.', 'Two.']), sessionStore }) });
      await first.ask('First.');
      const { session_id } = await first.ask('Second.');
      await first.close();
      const model = scripted(['Three.']);
      const last = await query({ prompt: 'Third.', options: { runtime: embedded({ model, sessionStore }), resume: session_id } }).done;
      return { result: last.result, said: model.requests[0].messages.length, same: Store === InMemorySessionStore };
    `);
    expect(outcome).toEqual({ result: 'Three.', said: 5, same: true });
  });

  it('a server behind HTTP has its tools called', async () => {
    const add = tool('add', 'Adds', { type: 'object' }, ({ a, b }) => Number(a) + Number(b));
    const server = createSdkMcpServer({ name: 's', tools: [add] });
    const served = await serveHttp(server, { port: 0 });
    try {
      const outcome = await runPortably(
        `
        const model = scripted([{ tool: 'mcp__s__add', input: { a: 20, b: 22 } }, 'Done.']);
        const result = await query({ prompt: 'Go.', options: { runtime: embedded({ model }), mcpServers: { s: { type: 'http', url } }, allowedTools: ['mcp__s'] } }).done;
        return { result: result.result, results: resultsOf(model.requests.at(-1)) };
      `,
        { url: served.url },
      );
      expect(outcome).toEqual({ result: 'Done.', results: ['42'] });
    } finally {
      await served.close();
    }
  });

  it('an environment that may not be read, as in Deno without that permission, is an empty one', async () => {
    const unreadable = () => {
      throw new Error('Requires env access');
    };
    const env = new Proxy({}, { get: unreadable, has: unreadable, ownKeys: unreadable });
    const outcome = await runPortably(
      `return (await query({ prompt: 'Go.', options: { runtime: embedded({ model: scripted(['Done.']) }) } }).done).result;`,
      { Deno: {}, process: { env } },
    );
    expect(outcome).toBe('Done.');
  });

  it('what needs processes or files is refused, and the error says why', async () => {
    const outcome = await runPortably(`
      const options = () => ({ runtime: embedded({ model: scripted(['Done.']) }) });
      const stdio = query({ prompt: 'Go.', options: { ...options(), mcpServers: { s: { command: 'some-program' } } } });
      let servers;
      for await (const message of stdio) if (message.subtype === 'init') servers = (await stdio.mcpServerStatus()).map(({ name, status, error }) => ({ name, status, error }));
      return {
        servers,
        cli: await refusal(() => query({ prompt: 'Go.' })),
        files: await refusal(() => query({ prompt: 'Go.', options: { ...options(), settingSources: ['project'] } }).done),
        store: await refusal(() => fileSessionStore('/tmp')),
        serve: await refusal(() => serveHttp()),
      };
    `);
    expect(outcome).toMatchObject({
      servers: [
        {
          name: 's',
          status: 'failed',
          error: expect.stringContaining('there are no processes here'),
        },
      ],
      cli: expect.stringContaining('The Claude Code CLI cannot be started: there are no processes here.'),
      files: expect.stringContaining('settingSources: ["project"] cannot be read'),
      store: expect.stringContaining('fileSessionStore: there are no files here.'),
      serve: expect.stringContaining('serveHttp() needs processes or files'),
    });
  });
});
