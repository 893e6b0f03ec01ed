/** No value of `env` or `headers` is anywhere where it can be read later (pain 44, wish 14), on either back end. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  createSession,
  type McpServerConfig,
  type Options,
  query,
  resolveMcpConfig,
} from '../../src/index.js';
import { toolUse } from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { fakeCli } from '../support/fake-cli.js';
import fc from '../support/property.js';
import { collect, descendants } from '../support/real-cli.js';

const program = fileURLToPath(new URL('../fixtures/mcp/by-hand.mjs', import.meta.url));
const MARK = 'PLANTED';
let plantings = 0;

/** Values that begin and end with what a search can find, and have anything between: quotes, backslashes, other scripts. */
function plant(count: number, characters: fc.Arbitrary<string>): string[] {
  return fc.sample(
    fc.tuple(fc.nat(), characters).map(([number, inner]) => `${MARK}${number}${inner}${number}${MARK}`),
    // Other values each time, and the same in each run.
    { numRuns: count, seed: ++plantings },
  );
}

/** A server behind a URL that refuses, and in doing so repeats what it was sent. */
async function parrot(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    response.writeHead(500, { 'content-type': 'text/plain' });
    response.end(`I do not like "${request.headers.authorization}"`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

function commandLines(pid: number | undefined): string {
  const all = pid === undefined ? [] : [pid, ...descendants(pid)];
  return all
    .map((each) => {
      try {
        return readFileSync(`/proc/${each}/cmdline`, 'latin1');
      } catch {
        return '';
      }
    })
    .join('\n');
}

function everythingIn(...folders: string[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) texts[path] = readFileSync(path, 'utf8');
    }
  }
  return texts;
}

const shown = (value: unknown): string =>
  `${inspect(value, { depth: 20, showHidden: true })} ${JSON.stringify(value)}`;

it('an agent that repeats them is not repeated', async () => {
  const [key = '', token = ''] = plant(2, fc.stringMatching(/^[!-#%-~]{0,10}$/));
  const found: Record<string, string> = {};
  const logs: string[] = [];
  await using session = createSession({
    pathToClaudeCodeExecutable: fakeCli('tells-secrets'),
    mcpServers: {
      one: { command: 'x', env: { KEY: key } },
      two: { type: 'http', url: 'http://127.0.0.1:9/', headers: { Authorization: `Bearer ${token}` } },
    },
    stderr: (text) => logs.push(text),
    onDebug: (event) => logs.push(shown(event)),
    onMcpStatus: (change) => logs.push(shown(change)),
  });
  const running = session.query;
  found.status = shown(await running.mcpServerStatus());
  found.readiness = shown(await running.mcpReady());
  found.set = shown(await running.setMcpServers({}));
  found.reconnect = shown(await running.reconnectMcpServer('one').catch((error) => error));
  found.toggle = shown(await running.toggleMcpServer('one', false).catch((error) => error));
  found.resource = shown(await running.readMcpResource('one', 'x:y').catch((error) => error));
  found.error = shown(await session.ask('Go.').catch((error) => error));
  found.logs = logs.join('\n');
  for (const [where, text] of Object.entries(found)) {
    expect(text, where).toContain('<redacted>');
    expect(text, where).not.toContain(MARK);
  }
});

it('a secret that an agent writes to stderr in two parts is not shown', async () => {
  const [key = ''] = plant(1, fc.stringMatching(/^[!-#%-~]{6}$/));
  const parts: string[] = [];
  const running = query({
    prompt: 'Go.',
    options: {
      pathToClaudeCodeExecutable: fakeCli('tells-secrets'),
      env: { FAKE_PARTS: '1' },
      mcpServers: { one: { command: 'x', env: { KEY: key } } },
      stderr: (text) => parts.push(text),
    },
  });
  await collect(running);
  expect(parts.join('')).toBe('I was told <redacted>\n');
});

describe.each(BACK_ENDS)('with $name', ({ start, isCli }) => {
  it.each([
    ['', {}],
    [' of a hermetic query', { hermetic: true }],
  ])('markers planted in env and headers%s are found nowhere', async (_, more) => {
    const [one, two, three, four, five] = plant(
      5,
      fc
        .string({ unit: 'grapheme', maxLength: 12 })
        .filter((text) => !text.includes('\0') && !text.includes('$')),
    );
    const [token = ''] = plant(1, fc.stringMatching(/^[!-#%-~]{0,10}$/));
    await using web = await parrot();
    await using agent = await start([toolUse('mcp__good__echo', { text: 'hi' }), 'Done.']);
    const found: Record<string, string> = {};
    const logs: string[] = [];
    const outside = (mode: string, env: Record<string, string | undefined>): McpServerConfig => ({
      command: process.execPath,
      args: [program, mode],
      env: env as Record<string, string>,
      alwaysLoad: true,
    });
    const options: Options = agent.options({
      mcpServers: {
        good: outside('well', { KEY: one, OTHER: two }),
        crash: outside('crash', { API_KEY: three }),
        web: { type: 'http', url: web.url, headers: { Authorization: `Bearer ${token}` } },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the variable holds the secret
        hidden: outside('crash', { API_KEY: '${THE_KEY}' }),
      },
      allowedTools: ['mcp__good'],
      env: { THE_KEY: four },
      stderr: (text) => logs.push(text),
      onDebug: (event) => logs.push(shown(event)),
      onMcpStatus: (change) => logs.push(shown(change)),
      settingSources: [],
      ...more,
    });
    {
      await using session = createSession(options);
      const running = session.query;
      found['command lines'] = commandLines(running.pid);
      found.readiness = shown(await running.mcpReady());
      found['command lines later'] = commandLines(running.pid);
      const result = await session.ask('Go.');
      expect(result).toMatchObject({ subtype: 'success' });
      const added = { late: outside('crash', { API_KEY: five }) };
      found.set = shown(await running.setMcpServers(added));
      found['readiness later'] = shown(await running.mcpReady());
      found.status = shown(await running.mcpServerStatus());
      found.reconnect = shown(await running.reconnectMcpServer('crash').catch((error) => error));
      found['reconnect web'] = shown(await running.reconnectMcpServer('web').catch((error) => error));
      found.refused = shown(await running.readMcpResource('crash', 'x:y').catch((error) => error));
    }
    expect(found.status).toContain('crash');
    const bad = {
      ...options,
      mcpServers: { bad: { type: 'nonsense', env: { KEY: one } } },
    } as never as Options;
    try {
      query({ prompt: 'Go.', options: bad });
    } catch (error) {
      found['option error'] = shown(error);
    }
    const failing = agent.options({ ...options, extraArgs: { 'no-such-flag': null } });
    found['start error'] = shown((await ask(failing)).error);
    expect(found['start error']).toMatch(/no-such-flag/);
    found.resolved = shown(resolveMcpConfig({ ...options, strictMcpConfig: true } as never));
    found.logs = logs.join('\n');
    Object.assign(found, everythingIn(agent.box.home, agent.box.configDir, agent.box.cwd));
    // The CLI's own log of what servers print, which only a hermetic query takes with it.
    const isLog = (path: string): boolean =>
      !('hermetic' in more) && path.includes('.cache/claude-cli-nodejs');
    const guilty = Object.entries(found)
      .filter(([where, text]) => text.includes(MARK) && !isLog(where))
      .map(
        ([where, text]) =>
          `${where}: ${text.slice(Math.max(0, text.indexOf(MARK) - 80), text.indexOf(MARK) + 60)}`,
      );
    expect(guilty).toEqual([]);
    expect(isCli ? found['command lines'] : 'claude').toContain('claude');
  });
});
