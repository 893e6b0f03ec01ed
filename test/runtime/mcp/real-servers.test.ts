/** Servers that others have written (issue 5, R25): MCP's own, of every kind, through the hub. */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { McpServerConfigForProcessTransport } from '../../../src/mcp/types.js';
import { getPrompt, listPrompts, listResources, readResource } from '../../../src/runtime/mcp/listings.js';
import { environment, program as everything, serveEverything } from '../../conformance/support/everything.js';
import { run, toolResults } from '../support.js';
import { openHub } from './support.js';

const reference = (name: string): string =>
  fileURLToPath(
    new URL(`../../reference/node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url),
  );

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-real-')));
  await writeFile(join(folder, 'note.txt'), 'Buy milk.');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Place = AsyncDisposable & { config: McpServerConfigForProcessTransport };

const places: Record<string, () => Promise<Place>> = {
  stdio: async () => ({
    config: { command: process.execPath, args: [everything, 'stdio'], env: environment },
    [Symbol.asyncDispose]: async () => {},
  }),
  sse: async () => {
    const server = await serveEverything('sse');
    const config = { type: 'sse' as const, url: server.url };
    return { config, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
  http: async () => {
    const server = await serveEverything();
    const config = { type: 'http' as const, url: server.url };
    return { config, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
};

describe.each(Object.keys(places))('server-everything over %s', (kind) => {
  it('has tools, progress, resources, templates, prompts, instructions, logs; asks the person, and for roots', async () => {
    await using place = await (places[kind] as () => Promise<Place>)();
    const asked: Record<string, unknown>[] = [];
    const logged: Record<string, unknown>[] = [];
    const other = join(folder, 'other');
    await using test = openHub(
      { s: place.config },
      {
        cwd: folder,
        additionalDirectories: [other],
        onLog: (server, entry) => logged.push({ server, ...entry }),
        answer: (subtype, fields) => {
          asked.push({ subtype, ...fields });
          return { action: 'accept', content: { name: 'Ada' } };
        },
      },
    );
    const status = await test.until('connected');
    expect(status).toMatchObject({
      transport: kind,
      attempts: 1,
      serverInfo: { version: expect.any(String) },
    });
    expect(status.tools?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-sum', 'trigger-elicitation-request']),
    );
    expect(test.hub.instructions().join()).toContain('server "s"');

    expect(await test.text('echo', { message: 'Grüße 🎉' })).toBe('Echo: Grüße 🎉');
    expect(await test.text('get-sum', { a: 15, b: 27 })).toContain('42');
    const progress: unknown[] = [];
    await test.hub
      .required('s')
      .callTool('trigger-long-running-operation', { duration: 0.2, steps: 2 }, 'toolu_1', {
        onProgress: (step) => progress.push(step.progress),
      });
    expect(progress).toEqual([1, 2]);

    expect(await test.text('trigger-elicitation-request')).toContain('Ada');
    expect(asked).toMatchObject([
      {
        subtype: 'elicitation',
        mcp_server_name: 's',
        mode: 'form',
        property_order: expect.arrayContaining(['name']),
      },
    ]);
    // It learns of roots after the handshake, and has the tool only with a client that has some.
    await expect.poll(() => test.text('get-roots-list').catch(String)).toContain(pathToFileURL(other).href);
    expect(await test.text('get-roots-list')).toContain(pathToFileURL(folder).href);

    const { resources, resourceTemplates, errors } = await listResources(test.hub);
    expect(errors).toEqual({});
    expect(resources.length).toBeGreaterThan(5);
    expect(resources.every(({ server }) => server === 's')).toBe(true);
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'demo://resource/dynamic/text/{resourceId}',
    );
    const read = await readResource(test.hub, 's', 'demo://resource/dynamic/text/1');
    expect(read.contents).toMatchObject([
      { uri: 'demo://resource/dynamic/text/1', text: expect.any(String) },
    ]);
    await expect(readResource(test.hub, 's', 'demo://nowhere')).rejects.toThrow();

    const { prompts } = await listPrompts(test.hub, 's');
    expect(prompts.map(({ name }) => name)).toContain('args-prompt');
    const prompt = await getPrompt(test.hub, 's', 'args-prompt', { city: 'Paris' });
    expect(JSON.stringify(prompt.messages)).toContain('Paris');

    await test.hub.required('s').request('logging/setLevel', { level: 'debug' });
    await test.call('toggle-simulated-logging');
    await expect
      .poll(() => logged)
      .toContainEqual(expect.objectContaining({ server: 's', level: expect.any(String) }));
  });
});

it('server-filesystem and server-memory over stdio do what they are for, in one conversation', async () => {
  const memory = join(folder, 'memory.jsonl');
  const { model, messages } = await run(
    [
      {
        toolUses: [
          { name: 'mcp__files__read_text_file', input: { path: join(folder, 'note.txt') } },
          { name: 'mcp__files__write_file', input: { path: join(folder, 'new.txt'), content: 'Bought.' } },
          {
            name: 'mcp__memory__create_entities',
            input: { entities: [{ name: 'milk', entityType: 'food', observations: ['was bought'] }] },
          },
        ],
      },
      { toolUses: [{ name: 'mcp__memory__search_nodes', input: { query: 'milk' } }] },
      'Done.',
    ],
    {
      cwd: folder,
      mcpServers: {
        files: { command: process.execPath, args: [reference('server-filesystem'), folder] },
        memory: {
          command: process.execPath,
          args: [reference('server-memory')],
          env: { MEMORY_FILE_PATH: memory },
        },
      },
      allowedTools: ['mcp__files', 'mcp__memory'],
    },
  );
  expect(messages[0]).toMatchObject({
    mcp_servers: [
      { name: 'files', status: 'connected' },
      { name: 'memory', status: 'connected' },
    ],
  });
  const [read, written, created] = toolResults(model.requests[1]);
  expect([read, written, created].map((result) => result?.isError)).toEqual([false, false, false]);
  expect(read?.text).toContain('Buy milk.');
  expect(await readFile(join(folder, 'new.txt'), 'utf8')).toBe('Bought.');
  expect(toolResults(model.requests[2])[3]?.text).toContain('was bought');
  expect(await readFile(memory, 'utf8')).toContain('milk');
});
