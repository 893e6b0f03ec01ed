/** Tools of the program and of servers, on every version. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, tool } from '../../src/index.js';
import { text, toolUse, toolUses } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import { scenario } from './support/scenario.js';
import {
  calculator,
  processesOf,
  resultsOf,
  stage,
  toolResultTexts,
  withoutServers,
} from './support/stage.js';

const environmentServer = fileURLToPath(new URL('fixtures/environment-server.mjs', import.meta.url));

scenario(
  'a string prompt, one call of an in-process tool',
  async (cli) => {
    await using on = await stage(cli, [toolUse('mcp__calc__add', { a: 15, b: 27 }), text('It is 42.')]);
    const { calls, server } = calculator();
    const running = on.query('What is 15 + 27?', {
      mcpServers: { calc: server },
      allowedTools: ['mcp__calc__add'],
    });
    const processes = processesOf(running);
    const { messages, error } = await collect(running);
    expect(error).toBeUndefined();
    expect(calls).toEqual([{ a: 15, b: 27 }]);
    expect(toolResultTexts(on.api.requests[1])).toEqual(['42']);
    expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', result: 'It is 42.', final: true }]);
    expect(await running.exited).toMatchObject({ code: 0, signal: null });
    await processes.gone();
    on.api.assertDone();
  },
  [withoutServers],
);

scenario(
  'calls of a readOnly tool run at the same time',
  async (cli) => {
    await using on = await stage(cli, [
      toolUses([
        { name: 'mcp__look__up', input: { key: 'a' } },
        { name: 'mcp__look__up', input: { key: 'b' } },
      ]),
      text('Both.'),
    ]);
    // Each call waits for the other: one after the other they would never end.
    const arrived = new Map<string, () => void>();
    const lookUp = tool(
      'up',
      'Look up',
      { key: z.string() },
      async ({ key }) => {
        await new Promise<void>((resolve) => {
          arrived.set(key, resolve);
          if (arrived.size === 2) for (const release of arrived.values()) release();
        });
        return `value of ${key}`;
      },
      { annotations: { readOnlyHint: true } },
    );
    const { messages, error } = await collect(
      on.query('Look up a and b', {
        mcpServers: { look: createSdkMcpServer({ name: 'look', tools: [lookUp] }) },
        allowedTools: ['mcp__look__up'],
      }),
    );
    expect(error).toBeUndefined();
    expect(toolResultTexts(on.api.requests[1]).sort()).toEqual(['value of a', 'value of b']);
    expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', result: 'Both.' }]);
  },
  [withoutServers],
);

scenario('an external stdio server gets its env, off the command line', async (cli) => {
  await using on = await stage(cli, [toolUse('mcp__outside__secret'), text('Thanks.')]);
  let commandLine = '';
  const running = on.query('Ask', {
    mcpServers: {
      outside: {
        command: process.execPath,
        args: [environmentServer],
        env: { TENON_SECRET: 'a-value-that-nobody-should-see' },
      },
    },
    allowedTools: ['mcp__outside__secret'],
  });
  const file = `/proc/${running.pid}/cmdline`;
  if (existsSync(file)) commandLine = readFileSync(file, 'utf8');
  const { messages, error } = await collect(running);
  expect(error).toBeUndefined();
  expect(toolResultTexts(on.api.requests[1])).toEqual(['secret: a-value-that-nobody-should-see']);
  expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', result: 'Thanks.' }]);
  expect(commandLine).not.toContain('nobody-should-see');
});
