/**
 * An entry of `mcpServers` that cannot work, such as one of a file that a program passes on: the rest works, and the
 * entry is a failed server with a reason. Strict configuration throws (R28). On both back ends.
 */
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  createSession,
  McpConfigError,
  type McpServerConfig,
  type Options,
  query,
  tool,
} from '../../src/index.js';
import { toolUse } from '../../src/testing/index.js';
import { BACK_ENDS, resultsOf } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';

const calc = () =>
  createSdkMcpServer({
    name: 'calc',
    alwaysLoad: true,
    tools: [tool('add', 'Adds', {}, () => 'three')],
  });

const INVALID: Record<string, [entry: unknown, reason: RegExp]> = {
  nothing: [null, /the server "nothing": must be an object; it is null/],
  words: ['node server.js', /must be an object; it is a string/],
  list: [['node'], /must be an object; it is an array/],
  empty: [{}, /`command` is missing/],
  'no command': [{ type: 'stdio' }, /`command` is missing/],
  'a list as command': [{ command: ['node'] }, /`command` must be a string; it is an array/],
  'no url': [{ type: 'http' }, /`url` is missing/],
  'a URL object': [{ type: 'sse', url: new URL('http://127.0.0.1') }, /`url` must be a string/],
  'no type': [{ url: 'http://127.0.0.1:9' }, /`type` must be "stdio", "http" or "sse"; it is missing/],
  'of the future': [{ type: 'websocket', url: 'ws://x' }, /it is "websocket"/],
  'no instance': [{ type: 'sdk', name: 'x' }, /no `instance`; make one with createSdkMcpServer\(\)/],
  'no server': [{ type: 'sdk', name: 'x', instance: {} }, /no `instance`/],
  'a function as headers': [
    { type: 'http', url: 'http://127.0.0.1:9', headers: async () => ({}) },
    /a function as `headers`; give it to embedded\(\{ mcpAuth \}\)/,
  ],
  // The name that an assignment would make a prototype of.
  ['__proto__']: [calc(), /the server "__proto__": this name is reserved/],
};

const invalid = Object.fromEntries(
  Object.entries(INVALID).map(([name, [entry]]) => [name, entry as McpServerConfig]),
);
const reasons = new Map(Object.entries(INVALID).map(([name, [, reason]]) => [name, reason]));

function expectReasons(given: Iterable<readonly [name: string, reason: string | undefined]>): void {
  const found = new Map(given);
  expect([...found.keys()].sort()).toEqual([...reasons.keys()].sort());
  for (const [name, reason] of reasons) expect(found.get(name)).toMatch(reason);
}

describe.each(BACK_ENDS)('with $name', ({ start }) => {
  it('entries that cannot work are failed servers with a reason and a warning, and the rest works (R28)', async () => {
    await using agent = await start([toolUse('mcp__calc__add'), 'Done.']);
    const warnings: string[] = [];
    const running = query({
      prompt: 'Go.',
      options: agent.options({
        mcpServers: { ...invalid, calc: calc() },
        allowedTools: ['mcp__calc'],
        settingSources: [],
        mcpReady: true,
        stderr: (text) => warnings.push(text),
      }),
    });
    const { failed, connected } = await running.mcpReady();
    expect(resultsOf((await collect(running)).messages)).toEqual(['three']);
    expect(connected).toEqual(['calc']);
    expectReasons(failed.map(({ name, error }) => [name, error]));
    for (const reason of reasons.values()) expect(warnings.join('')).toMatch(reason);
  });

  it.each<Options>([{ strictMcpConfig: true }, { hermetic: true }])(
    'with %j one of them throws, and names the server (R28)',
    async (strict) => {
      await using agent = await start([]);
      for (const [name, entry] of Object.entries(invalid)) {
        const mcpServers = { calc: calc(), ...Object.fromEntries([[name, entry]]) };
        const options = agent.options({ mcpServers, ...strict });
        let thrown: unknown;
        try {
          query({ prompt: 'Go.', options });
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toBeInstanceOf(McpConfigError);
        expect(thrown).toMatchObject({ problems: [{ server: name, place: 'options' }] });
        expect(String(thrown)).toMatch(reasons.get(name) as RegExp);
      }
    },
  );

  it('setMcpServers() reports them, lists them until the next call, and takes the rest (R28, R30)', async () => {
    await using agent = await start(['One.', toolUse('mcp__calc__add'), 'Two.']);
    await using session = createSession(agent.options({ allowedTools: ['mcp__calc'], settingSources: [] }));
    await session.ask('One');
    const { added, errors } = await session.query.setMcpServers({ ...invalid, calc: calc() });
    expect(added).toEqual(['calc']);
    expectReasons(Object.entries(errors));
    const { failed, connected } = await session.query.mcpReady();
    expect(connected).toEqual(['calc']);
    expectReasons(failed.map(({ name, error }) => [name, error]));
    session.send('Two');
    expect(resultsOf((await collect(session.stream())).messages)).toEqual(['three']);
    await session.query.setMcpServers({ calc: calc() });
    expect((await session.query.mcpReady()).failed).toEqual([]);
  });

  it('setMcpServers() of a strict query refuses the whole call (R28)', async () => {
    await using agent = await start(['One.']);
    const options = agent.options({ mcpServers: { calc: calc() }, strictMcpConfig: true });
    await using session = createSession(options);
    await session.ask('One');
    await expect(session.query.setMcpServers({ bad: {} as never })).rejects.toBeInstanceOf(McpConfigError);
    expect((await session.query.mcpReady()).connected).toEqual(['calc']);
  });
});
