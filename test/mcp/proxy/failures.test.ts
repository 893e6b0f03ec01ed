/** A proxied server that cannot be started, is not there, or dies: what everybody hears, and what happens next. */
import { expect, it, vi } from 'vitest';
import {
  createSdkMcpServer,
  OptionError,
  type ProxiedServerConfig,
  type ProxyMcpServerConfig,
  proxyMcpServer,
  serveHttp,
  tool,
} from '../../../src/index.js';
import { byHandServer } from '../../support/by-hand-server.js';
import { failOnTrouble } from '../../support/fake-cli.js';
import { McpWire } from '../../support/mcp-wire.js';
import { waitUntil } from '../../support/real-cli.js';

failOnTrouble();

const hello = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
};

async function connect(server: ProxyMcpServerConfig): Promise<McpWire> {
  const wire = await McpWire.to(server.instance);
  await wire.request('initialize', hello);
  wire.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return wire;
}

/** The text of a call that must fail. */
async function failedText(call: Promise<{ content: object[]; isError?: boolean }>): Promise<string> {
  const { content, isError } = await call;
  expect(isError).toBe(true);
  return (content as { text: string }[]).map(({ text }) => text).join();
}

it('a program that does not exist is named, in an answer at once', async () => {
  const server = proxyMcpServer({ command: '/no/such/program', args: ['--token=x'] }, { name: 'files' });
  const wire = await McpWire.to(server.instance);
  expect(await wire.fault('initialize', hello)).toEqual({
    code: -32603,
    message: 'The MCP server "files" (/no/such/program) could not be started: spawn /no/such/program ENOENT.',
  });
  // A model can act on a failed result; of an error in the protocol it may never hear.
  expect(await failedText(wire.call('echo'))).toMatch(/^The MCP server "files" .* could not be started/);
  await server.instance.close();
});

it('a server that exits at once is quoted, without its secrets', async () => {
  using upstream = byHandServer('crash', { API_KEY: 'sk-very-secret' });
  const server = proxyMcpServer(upstream.config, { name: 'files' });
  const wire = await McpWire.to(server.instance);
  const { message } = await wire.fault('initialize', hello);
  expect(message).toBe(
    `The MCP server "files" (${process.execPath}) has ended with exit code 1.\n` +
      'The last of its stderr:\nCannot start: the key <redacted> is not valid',
  );
  await server.instance.close();
});

it('a server that says nothing is given up after connectTimeoutMs, and its process stopped', async () => {
  using upstream = byHandServer('silent');
  const server = proxyMcpServer(upstream.config, { name: 'mute', connectTimeoutMs: 1_000 });
  const wire = await McpWire.to(server.instance);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fault = wire.fault('initialize', hello);
  await waitUntil(() => upstream.events('start').length === 1, { what: 'the start of the server' });
  await vi.advanceTimersByTimeAsync(1_000);
  vi.useRealTimers();
  expect(await fault).toMatchObject({
    message: expect.stringMatching(/^The MCP server "mute" .* did not answer within 1000 ms\.$/),
  });
  await waitUntil(() => upstream.journal().at(-1)?.[0] === 'end', { what: 'the end of the server' });
  await server.instance.close();
});

it('a server that dies fails what is open in all conversations, once, and is started again by the next call', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config, { name: 'frail' });
  const [one, other] = [await connect(server), await connect(server)];
  const open = [one.call('wait'), other.call('wait')];
  await waitUntil(() => upstream.events('call').length === 2, { what: 'both calls' });
  const words = `${'noise '.repeat(4000)}out of memory`;
  const texts = await Promise.all([one.call('die', { words }), ...open].map(failedText));
  for (const text of texts) {
    expect(text).toMatch(
      /^The MCP server "frail" \(.*\) has ended with exit code 3\.\nThe last of its stderr:\n/,
    );
    expect(text).toMatch(/out of memory$/);
    expect(text.length).toBeLessThan(8 * 1024 + 500);
  }

  expect(await other.call('echo', { text: 'again' })).toMatchObject({ content: [{ text: 'again' }] });
  expect(await one.call('echo', { text: 'me, too' })).toMatchObject({ content: [{ text: 'me, too' }] });
  // With the handshake that the clients made at first; and nothing that was under way was done twice.
  expect(upstream.events('start')).toHaveLength(2);
  expect(upstream.events('initialize')).toEqual([hello, hello]);
  expect(upstream.events('notifications/initialized')).toHaveLength(2);
  expect(upstream.events('call')).toEqual(['wait', 'wait', 'die', 'echo', 'echo']);
  await server.instance.close();
});

it('requests other than calls hear of it as an error', async () => {
  using upstream = byHandServer();
  const server = proxyMcpServer(upstream.config);
  const wire = await connect(server);
  const failure = failedText(wire.call('die', { words: 'bye' }));
  await waitUntil(() => upstream.events('call').length === 1, { what: 'the call' });
  // Sent while it dies: an error, or the answer of the next one.
  const listed = await wire.exchange('tools/list');
  expect('error' in listed ? listed.error.message : 'listed').toMatch(/has ended|could not take|listed/);
  await failure;
  expect(await wire.request('tools/list')).toHaveProperty('tools');
  await server.instance.close();
});

it('an HTTP server that nobody serves', async () => {
  const serving = await serveHttp(createSdkMcpServer({ name: 'gone' }));
  await serving.close();
  const server = proxyMcpServer({ type: 'http', url: serving.url }, { name: 'far' });
  const wire = await McpWire.to(server.instance);
  expect(await wire.fault('initialize', hello)).toMatchObject({
    message: expect.stringMatching(
      /^The MCP server "far" \(http:.*\/mcp\) could not be reached: .*ECONNREFUSED/,
    ),
  });
  await server.instance.close();
});

it('an HTTP server that refuses is quoted, without the secrets of headers and address', async () => {
  const serving = await serveHttp(createSdkMcpServer({ name: 'strict' }), { path: '/elsewhere' });
  const config: ProxiedServerConfig = {
    type: 'http',
    url: `http://user:hunter2@127.0.0.1:${serving.port}/mcp?key=query-secret`,
    headers: { authorization: 'Bearer header-secret' },
  };
  // fetch() itself refuses addresses with a password, and repeats them.
  for (const url of [config.url, config.url.replace('user:hunter2@', '')]) {
    const server = proxyMcpServer({ ...config, url }, { name: 'strict' });
    const wire = await McpWire.to(server.instance);
    const { message } = await wire.fault('initialize', hello);
    expect(message).toMatch(
      /^The MCP server "strict" \(http:\/\/127\.0\.0\.1:\d+\/mcp\) could not be reached: /,
    );
    expect(message).not.toMatch(/hunter2|query-secret|header-secret/);
    await server.instance.close();
  }
  await serving.close();
});

const waits = tool('wait', 'Waits', {}, (_args, { signal }) => {
  return new Promise((resolve) => signal.addEventListener('abort', resolve));
});

it.each(['restarted', 'ending its sessions'])(
  'an HTTP server that is %s: what it never got is sent once more over a new session',
  async (how) => {
    let calls = 0;
    const counted = tool('echo', 'Echoes', {}, () => {
      calls += 1;
      return 'echo';
    });
    const definition = createSdkMcpServer({ name: 'far', tools: [counted] });
    let serving = await serveHttp(definition);
    const server = proxyMcpServer({ type: 'http', url: serving.url }, { name: 'far' });
    const wire = await connect(server);
    expect(await wire.call('echo')).toMatchObject({ content: [{ text: 'echo' }] });

    let expected = 2;
    if (how === 'restarted') {
      await serving.close();
      serving = await serveHttp(definition, { port: serving.port });
      // Over a socket that the old server has closed nobody can know what became of the call: it fails, and is not repeated.
      const met = await wire.call('echo');
      const failure = /^The MCP server "far" \(http:.*\) could not be reached: /;
      expect(met.content).toMatchObject([{ text: expect.stringMatching(met.isError ? failure : /^echo$/) }]);
      if (!met.isError) expected += 1;
    } else {
      await definition.instance.close();
    }
    expect(await wire.call('echo')).toMatchObject({ content: [{ text: 'echo' }] });
    expect(calls).toBe(expected);
    await server.instance.close();
    await serving.close();
  },
);

it('an HTTP server that dies in the middle of a call: the call fails', async () => {
  const serving = await serveHttp(createSdkMcpServer({ name: 'dying', tools: [waits] }));
  const server = proxyMcpServer({ type: 'http', url: serving.url }, { name: 'dying' });
  const wire = await connect(server);
  const call = wire.call('wait');
  await wire.request('ping');
  await serving.close();
  expect(await failedText(call)).toMatch(/^The MCP server "dying" .* lost the connection before it answered/);
  await server.instance.close();
});

it.each([
  [undefined, /is not an object/],
  [{}, /has no `command`/],
  [{ type: 'http' }, /has no valid `url`/],
  [{ type: 'http', url: 'not a url' }, /has no valid `url`/],
  [{ type: 'sdk', name: 'x', env: { KEY: 'sk-secret' } }, /has the unknown type "sdk"/],
])('a config that cannot work is refused at the door: %j', (config, problem) => {
  const refusal = (() => {
    try {
      return proxyMcpServer(config as never);
    } catch (error) {
      return error;
    }
  })();
  expect(refusal).toBeInstanceOf(OptionError);
  expect(String(refusal)).toMatch(problem);
  expect(JSON.stringify(refusal)).not.toContain('sk-secret');
});

it.each([
  [{ name: '' }, /`name`/],
  [{ connectTimeoutMs: 0 }, /`connectTimeoutMs`.*0/],
  [{ connectTimeoutMs: Number.NaN }, /`connectTimeoutMs`/],
])('options that cannot work are refused at the door: %j', (options, problem) => {
  expect(() => proxyMcpServer({ command: 'node' }, options)).toThrow(problem);
});
