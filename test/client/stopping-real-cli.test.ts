/** Stopping the real CLI in the middle of its work (R24; pains 3, 26, 48). */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, type Options, type Query, query, tool } from '../../src/index.js';
import { type ScriptedMessagesApi, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { alive, cliPath, descendants, sandbox, waitUntil } from '../support/real-cli.js';

failOnTrouble();

interface Scene {
  running: Query;
  controller: AbortController;
  api: ScriptedMessagesApi;
  /** Resolves with the handler's signal when the model's tool call has arrived. */
  begun: Promise<AbortSignal>;
}

/** The real CLI calls a tool that never answers. Whatever `act` does, afterwards nothing may be left. */
async function scene(act: (scene: Scene) => Promise<unknown>, options: Options = {}): Promise<void> {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([toolUse('mcp__calc__wait'), text('never')]);
  let begin = (_signal: AbortSignal): void => {};
  const begun = new Promise<AbortSignal>((resolve) => {
    begin = resolve;
  });
  const wait = tool('wait', 'Waits for ever', {}, (_args, { signal }) => {
    begin(signal);
    return new Promise<never>(() => {});
  });
  const controller = new AbortController();
  const running = query({
    prompt: 'go',
    options: {
      pathToClaudeCodeExecutable: cliPath,
      cwd: box.cwd,
      env: box.env(api),
      allowedTools: ['mcp__calc'],
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [wait] }) },
      abortController: controller,
      ...options,
    },
  });
  const { pid = 0 } = running;
  const below = (): number[] => descendants(pid);
  await act({ running, controller, api, begun });
  const started = below();
  await running.exited;
  expect(alive(pid)).toBe(false);
  expect(started.filter(alive)).toEqual([]);
  await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
  // The model must not be asked again by a CLI that should have stopped.
  expect(api.requests.length).toBeLessThan(2);
}

async function read(running: Query): Promise<void> {
  for await (const _message of running);
}

describe.concurrent('the real CLI is stopped', () => {
  it('by abort in the middle of a tool call: the loop throws, the handler is told', async () => {
    await scene(async ({ running, controller, begun }) => {
      const loop = read(running);
      loop.catch(() => {});
      const signal = await begun;
      controller.abort();
      await expect(loop).rejects.toMatchObject({ code: 'ABORTED' });
      expect(signal.aborted).toBe(true);
    });
  });

  it('by abort between two messages', async () => {
    await scene(async ({ running, controller }) => {
      const loop = (async () => {
        for await (const message of running) if (message.type === 'assistant') controller.abort();
      })();
      await expect(loop).rejects.toMatchObject({ code: 'ABORTED' });
    });
  });

  it('by abort before it has written a line', async () => {
    await scene(async ({ running, controller }) => {
      const loop = read(running);
      loop.catch(() => {});
      controller.abort();
      await expect(loop).rejects.toMatchObject({ code: 'ABORTED' });
    });
  });

  it('by close() in the middle of a tool call: the loop ends, quietly', async () => {
    await scene(async ({ running, begun }) => {
      const loop = read(running);
      const signal = await begun;
      await running.close();
      await expect(loop).resolves.toBeUndefined();
      expect(signal.aborted).toBe(true);
    });
  });

  it('by break in the middle of a tool call', async () => {
    await scene(async ({ running, begun }) => {
      const signal = await begun;
      for await (const _message of running) break;
      expect(signal.aborted).toBe(true);
      expect(alive(running.pid ?? 0)).toBe(false);
    });
  });

  it('by `await using` in the middle of a tool call', async () => {
    await scene(async ({ running, begun }) => {
      await using disposed = running;
      const signal = await begun;
      await disposed.next();
      signal.throwIfAborted();
    });
  });

  it("by close() while a command runs in the CLI's shell, which goes too", async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([toolUse('Bash', { command: 'tail -f /dev/null' })]);
    const running = query({
      prompt: 'go',
      options: {
        pathToClaudeCodeExecutable: cliPath,
        cwd: box.cwd,
        env: box.env(api),
        allowedTools: ['Bash'],
      },
    });
    const { pid = 0 } = running;
    // The shell and the command.
    await waitUntil(() => descendants(pid).length >= 2, { what: 'the command' });
    const below = descendants(pid);
    await running.close();
    expect([pid, ...below].filter(alive)).toEqual([]);
  });
});
