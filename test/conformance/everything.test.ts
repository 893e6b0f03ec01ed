/**
 * Differential: `server-everything` used directly by an MCP client, through `proxyMcpServer()`, and through that and the
 * bridge that the agent's messages take. Each way has a server of its own, and all must hear and be told the same.
 */

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProxiedServerConfig, proxyMcpServer } from '../../src/index.js';
import { descendants, waitUntil } from '../support/real-cli.js';
import {
  calls,
  canonical,
  environment,
  normalise,
  others,
  program,
  prompts,
  serveEverything,
} from './support/everything.js';
import { connectSide, inMemory, type Side, throughBridge } from './support/sides.js';

interface Place {
  config: ProxiedServerConfig;
  direct: () => Transport;
}

/** A server for one side: what it keeps, it keeps for the whole process. */
const places: Record<string, (open: AsyncDisposable[]) => Promise<Place>> = {
  stdio: async () => {
    const config = { command: process.execPath, args: [program, 'stdio'], env: environment };
    const env = { ...(process.env as Record<string, string>), ...environment };
    return {
      config,
      direct: () => new StdioClientTransport({ ...config, env, stderr: 'ignore' }) as Transport,
    };
  },
  HTTP: async (open) => {
    const server = await serveEverything();
    open.push(server);
    const direct = () => new StreamableHTTPClientTransport(new URL(server.url)) as Transport;
    return { config: { type: 'http', url: server.url }, direct };
  },
};

describe.each(Object.entries(places))('server-everything over %s', (kind, place) => {
  const servers: AsyncDisposable[] = [];
  let sides: readonly [direct: Side, proxied: Side, bridged: Side];
  afterAll(async () => {
    await Promise.all(sides.map((side) => side[Symbol.asyncDispose]()));
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  });

  beforeAll(async () => {
    const proxied = async () =>
      proxyMcpServer((await place(servers)).config, { name: 'everything' }).instance;
    sides = await Promise.all([
      place(servers).then(({ direct }) => connectSide(direct())),
      proxied().then(inMemory).then(connectSide),
      proxied().then((instance) => connectSide(throughBridge('everything', instance))),
    ]);
  });

  /** Asks all sides the same; what they answer must be the same, and is returned. */
  async function compare(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    const [direct, ...ours] = await Promise.all(sides.map((side) => side.request(method, params)));
    const expected = normalise(direct);
    for (const answer of ours)
      expect(normalise(answer), `${method} ${JSON.stringify(params)}`).toEqual(expected);
    return expected;
  }

  /** What all sides were told on their own since the last time. The order across streams is nobody's promise. */
  async function compareTold(): Promise<string[]> {
    const counts = () => sides.map(({ told }) => told.length);
    await waitUntil(() => new Set(counts()).size === 1, { what: 'the same number of messages on all sides' });
    const [direct = [], ...ours] = sides.map(({ told }) =>
      (normalise(told.splice(0)) as object[]).map(canonical).toSorted(),
    );
    for (const told of ours) expect(told).toEqual(direct);
    return direct;
  }

  it('introduces itself the same way, and asks for roots', async () => {
    const introductions = sides.map(({ client }) => ({
      version: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }));
    expect(introductions[0]?.instructions).toBeTypeOf('string');
    expect(introductions[1]).toEqual(introductions[0]);
    expect(introductions[2]).toEqual(introductions[0]);
    const hasRoots = ({ told }: Side) =>
      told.some(({ params }) => JSON.stringify(params)?.includes('Roots updated'));
    await waitUntil(() => sides.every(hasRoots), { what: 'the roots' });
    const told = await compareTold();
    // Over HTTP it comes before the client listens.
    if (kind === 'stdio') expect(told.join()).toContain('notifications/tools/list_changed');
    expect(told.join()).toContain('roots/list');
  });

  it('has the same tools, which answer, report, ask and fail in the same way', async () => {
    const listed = (await compare('tools/list')) as { result: { tools: { name: string }[] } };
    const names = listed.result.tools.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...new Set(calls.map(([name]) => name))].slice(0, -1).toSorted());
    await compare('logging/setLevel', { level: 'error' });
    for (const [name, args] of calls) {
      if (name === 'simulate-research-query' || name.startsWith('toggle-')) continue;
      await compare('tools/call', { name, arguments: args });
    }
    const told = (await compareTold()).join();
    for (const method of [
      'elicitation/create',
      'sampling/createMessage',
      'notifications/resources/list_changed',
    ]) {
      expect(told).toContain(method);
    }
  });

  it('has the same prompts and the same resources', async () => {
    const listedPrompts = (await compare('prompts/list')) as { result: { prompts: { name: string }[] } };
    const known = prompts.map(([name]) => name);
    expect(listedPrompts.result.prompts.filter(({ name }) => !known.includes(name))).toEqual([]);
    for (const [name, args] of prompts) await compare('prompts/get', { name, arguments: args });

    const listed = (await compare('resources/list')) as { result: { resources: { uri: string }[] } };
    expect(listed.result.resources.length).toBeGreaterThan(5);
    for (const { uri } of listed.result.resources) await compare('resources/read', { uri });
    await compareTold();
  });

  it('answers everything else in the same way', async () => {
    for (const [method, params] of others) await compare(method, params);
    await compareTold();
  });

  it('logs, and tells of changed resources, in the same way', async () => {
    await compare('logging/setLevel', { level: 'debug' });
    await compare('resources/subscribe', { uri: 'demo://resource/dynamic/text/1' });
    for (const name of ['toggle-simulated-logging', 'toggle-subscriber-updates']) {
      await compare('tools/call', { name, arguments: {} });
      await compare('tools/call', { name, arguments: {} });
    }
    const told = (await compareTold()).join();
    expect(told).toContain('notifications/message');
    expect(told).toContain('notifications/resources/updated');
    await compare('resources/unsubscribe', { uri: 'demo://resource/dynamic/text/1' });
    await compareTold();
  });

  it('works on a task, and asks in the middle of it', async () => {
    const finish = ['tasks/result', 'tasks/get', 'tasks/list'];
    // One whole task takes five seconds.
    const steps = kind === 'stdio' ? finish : ['tasks/get', 'tasks/cancel', 'tasks/list'];
    const run = async (side: Side): Promise<unknown> => {
      const args = { topic: 'python', ambiguous: true };
      const call = { name: 'simulate-research-query', arguments: args, task: { ttl: 60_000 } };
      const created = (await side.request('tools/call', call)) as { result: { task: { taskId: string } } };
      const { taskId } = created.result.task;
      const answers: unknown[] = [created];
      for (const step of steps) answers.push(await side.request(step, { taskId }));
      return normalise(answers);
    };
    const [direct, ...ours] = await Promise.all(sides.map(run));
    expect(JSON.stringify(direct)).toContain(
      kind === 'stdio' ? 'Research Report: python (snake)' : '"cancelled"',
    );
    for (const answers of ours) expect(answers).toEqual(direct);
    expect((await compareTold()).join()).toContain(kind === 'stdio' ? 'elicitation/create' : '');
  });

  it('is as well after a cancelled call as before', async () => {
    const params = { name: 'trigger-long-running-operation', arguments: { duration: 2, steps: 1 } };
    const cancelled = sides.map(async (side) => {
      const stop = new AbortController();
      const call = side.request('tools/call', params, { signal: stop.signal });
      stop.abort('enough');
      return call;
    });
    const [direct, ...ours] = await Promise.all(cancelled);
    expect(JSON.stringify(direct)).toContain('enough');
    for (const answer of ours) expect(answer).toEqual(direct);
    await compare('tools/call', { name: 'get-sum', arguments: { a: 1, b: 2 } });
    await compareTold();
  });
});

afterAll(() => waitUntil(() => descendants(process.pid).length === 0, { what: 'the end of all servers' }));
