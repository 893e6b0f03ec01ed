/** However the host ends, nothing that it started outlives it for long; and a host that is through ends by itself (pain 3, pain 19). */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.js';
import {
  type ScriptedMessagesApi,
  type Step,
  scriptedMessagesApi,
  text,
  toolUse,
} from '../../src/testing/index.js';
import { failOnTrouble, fakeCli } from '../support/fake-cli.js';
import { endHosts, type Host, type HostEvent, type Plan, startHost } from '../support/host.js';
import { alive, cliPath, descendants, type Sandbox, sandbox, waitUntil } from '../support/real-cli.js';

failOnTrouble();
endHosts();

const ways: [name: string, end: (host: Host) => unknown][] = [
  ['process.exit()', ({ child }) => child.stdin?.write('exit\n')],
  ['an uncaught exception', ({ child }) => child.stdin?.write('throw\n')],
  ['an unhandled rejection', ({ child }) => child.stdin?.write('reject\n')],
  ['SIGTERM', ({ child }) => child.kill('SIGTERM')],
  ['SIGINT', ({ child }) => child.kill('SIGINT')],
  ['SIGKILL', ({ child }) => child.kill('SIGKILL')],
];

/** Ends the host when `moment` has come, and waits until everything below it is gone. */
async function expectNothingLeft(
  host: Host,
  moment: (event: HostEvent) => boolean,
  end: (host: Host) => unknown,
): Promise<void> {
  const { pid: cli = 0 } = await host.seen(({ event }) => event === 'started');
  const { message } = await host.seen(moment);
  const below = new Set([cli, Number(message?.grandchild ?? cli), ...descendants(host.pid)]);
  expect(below).toContain(cli);
  end(host);
  await host.ended;
  const left = (): number[] => [...below].filter(alive);
  await waitUntil(() => left().length === 0, { what: `the end of ${JSON.stringify([...below])}` });
}

const isInit = ({ message }: HostEvent): boolean => message?.subtype === 'init';

describe.concurrent.each(ways)('a host that ends by %s', (_name, end) => {
  it('takes a CLI with it that ignores the end of its input and SIGTERM', async () => {
    const options = { pathToClaudeCodeExecutable: fakeCli('ignores-sigterm'), env: { FAKE_TURN: 'endless' } };
    await expectNothingLeft(startHost(options, 'obey'), isInit, end);
  });

  it('takes a grandchild with it that ignores SIGTERM and holds stdout', async () => {
    const env = { FAKE_TURN: 'endless', FAKE_GRANDCHILD: 'stubborn', FAKE_HOLDS: 'stdout' };
    const options = { pathToClaudeCodeExecutable: fakeCli('leaves-grandchild'), env };
    const reported = ({ message }: HostEvent): boolean => message?.type === 'report';
    await expectNothingLeft(startHost(options, 'obey'), reported, end);
  });
});

async function withRealCli(
  steps: Step[],
  options: Options,
  use: (options: Options, box: Sandbox, api: ScriptedMessagesApi) => Promise<void>,
): Promise<void> {
  await using box = sandbox();
  await using api = await scriptedMessagesApi(steps);
  const env = box.env(api);
  await use({ pathToClaudeCodeExecutable: cliPath, cwd: box.cwd, env, ...options }, box, api);
}

describe.concurrent.each(ways)('a host of the real CLI that ends by %s', (_name, end) => {
  it('takes the CLI with it in the middle of a tool of its own', async () => {
    await withRealCli([toolUse('mcp__calc__add')], { allowedTools: ['mcp__calc'] }, async (options) => {
      await expectNothingLeft(startHost(options, 'obey'), ({ event }) => event === 'tool', end);
    });
  });

  it("takes the CLI with it and the command that the CLI's shell runs", async () => {
    const steps = [toolUse('Bash', { command: 'echo up > started; tail -f /dev/null' })];
    await withRealCli(steps, { allowedTools: ['Bash'] }, async (options, box) => {
      const host = startHost(options, 'obey');
      await waitUntil(() => readdirSync(box.cwd).includes('started'), {
        what: 'the command',
      });
      expect(descendants(host.pid).length).toBeGreaterThan(2);
      await expectNothingLeft(host, isInit, end);
    });
  });
});

describe.concurrent('a host that is through ends by itself, without process.exit()', () => {
  async function expectEnd(options: Options, plan: Plan): Promise<Host> {
    const host = startHost(options, plan);
    const { pid } = await host.seen(({ event }) => event === 'started');
    await host.seen(({ event }) => event === 'over');
    const { code, signal, stderr } = await host.ended;
    // It was not a limit of ours, of a minute or so, that let it go.
    expect(host.events.filter(({ event }) => event === 'held up')).toEqual([]);
    expect({ code, signal, stderr }).toEqual({ code: 0, signal: null, stderr: '' });
    expect(alive(pid ?? 0)).toBe(false);
    return host;
  }

  it('after a conversation with the real CLI', async () => {
    await withRealCli([text('hello')], {}, async (options) => {
      const { events } = await expectEnd(options, 'read');
      expect(events.map(({ message }) => message?.type)).toContain('result');
    });
  });

  it.each<[Plan, string]>([
    ['read', 'well-behaved'],
    ['read', 'never-exits'],
    ['read', 'exits-with-stderr'],
    ['break', 'well-behaved'],
    ['abort', 'well-behaved'],
    ['leave unread', 'well-behaved'],
  ])('after %s of %s', async (plan, name) => {
    await expectEnd({ pathToClaudeCodeExecutable: fakeCli(name), closeGraceMs: 300 }, plan);
  });
});
