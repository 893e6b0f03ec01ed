/** Control requests: those that a version knows, and those that it does not. */
import { expect } from 'vitest';
import { ControlError, ControlTimeoutError, createSession, type Query } from '../../src/index.js';
import type { HostSubtype } from '../../src/protocol/wire/control-requests.js';
import { text } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';
import type { Cli } from './support/fetch-cli.js';
import { scenario } from './support/scenario.js';
import { calculator, resultsOf, stage } from './support/stage.js';

scenario(
  'permission mode and model are changed, the servers are listed',
  async (cli) => {
    await using on = await stage(cli, [text('Hello.'), text('Good bye.')]);
    await using session = createSession(on.options({ mcpServers: { calc: calculator().server } }));
    await session.ask('Hi');
    await session.query.setPermissionMode('plan');
    await session.query.setModel('claude-sonnet-4-5-20250929');
    const servers = await session.query.mcpServerStatus();
    expect(servers).toMatchObject([{ name: 'calc', status: 'connected' }]);
    expect(await session.ask('Bye')).toMatchObject({ result: 'Good bye.' });
    expect(on.api.requests[1]?.body.model).toBe('claude-sonnet-4-5-20250929');
    expect(JSON.stringify(on.api.requests[1]?.body)).toContain('Plan mode is active');
  },
  [
    {
      before: '1.0.128',
      reason: '`mcpServerStatus` is not known: it fails after `controlTimeoutMs`, and the query continues.',
      play: async (cli) => {
        await using on = await stage(cli, [text('Hello.')]);
        const running = on.query('Hi', { controlTimeoutMs: SHORT });
        await expect(running.mcpServerStatus()).rejects.toBeInstanceOf(ControlTimeoutError);
        await expectHello(running);
      },
    },
  ],
);

const SHORT = 500;
const unknownRequest = 'tenon_does_not_exist' as HostSubtype;

async function refusedWith(cli: Cli, expected: typeof ControlError | typeof ControlTimeoutError) {
  await using on = await stage(cli, [text('Hello.')]);
  const patience = expected === ControlTimeoutError ? { controlTimeoutMs: SHORT } : {};
  const running = on.query('Hi', patience);
  await expect(running.controlRequest(unknownRequest, {} as never)).rejects.toBeInstanceOf(expected);
  await expectHello(running);
}

scenario(
  'a control request that the CLI does not know is refused, and the query continues',
  (cli) => refusedWith(cli, ControlError),
  [
    {
      before: '2.1.50',
      reason:
        'Silence on an unknown control request: it fails after `controlTimeoutMs`, and the query continues.',
      play: (cli) => refusedWith(cli, ControlTimeoutError),
    },
  ],
);

async function expectHello(running: Query): Promise<void> {
  const { messages, error } = await collect(running);
  expect(error).toBeUndefined();
  expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', result: 'Hello.' }]);
}
