/** Moments at which a query can be stopped, from before its start to after its end (R24; pains 3, 26, 48). */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../src/index.js';
import { AbortError } from '../../src/index.js';
import { failOnTrouble, run } from '../support/fake-cli.js';
import { alive } from '../support/real-cli.js';
import { temporaryDirectory } from '../support/temporary.js';

failOnTrouble();

/** Where private files go. */
const temporary = temporaryDirectory();

describe.concurrent('stopping', () => {
  it.each([0, 1, 2, 3, 4, 5])('by break at message %i leaves no process (pain 48)', async (index) => {
    const running = run('unknown-messages');
    let count = 0;
    for await (const _message of running) if (count++ === index) break;
    expect(count).toBe(index + 1);
    expect(alive(running.pid ?? 0)).toBe(false);
    await expect(running.next()).resolves.toMatchObject({ done: true });
  });

  /** Starts a query with a secret, and finds the private directory that was made for it. */
  function withSecret(name: string): { running: Query; files: string[] } {
    const others = readdirSync(temporary);
    const running = run(name, { mcpServers: { secret: { command: 'unused', env: { TOKEN: 'secret' } } } });
    const files = readdirSync(temporary).filter((file) => !others.includes(file));
    expect(files).toEqual([expect.stringMatching(/^tenon-/)]);
    return { running, files };
  }

  it('before the first line leaves no process and no file', async () => {
    const { running, files } = withSecret('answers-nothing.sh');
    await running.close();
    expect(alive(running.pid ?? 0)).toBe(false);
    expect(readdirSync(temporary)).not.toContain(files[0]);
  });

  it('later finds the file gone already: it goes when the CLI has read it', async () => {
    const { running, files } = withSecret('answers-only-initialize');
    await running.initializationResult();
    expect(readdirSync(temporary)).not.toContain(files[0]);
    expect(alive(running.pid ?? 0)).toBe(true);
    await running.close();
  });

  it('by abort is heard at once, even when the CLI does not leave before SIGKILL (pain 26)', async () => {
    const controller = new AbortController();
    const env = { FAKE_TURN: 'endless' };
    const running = run('ignores-sigterm', { abortController: controller, env });
    await running.next();
    const next = running.next();
    const pending = running.setModel('other').then(() => running.initializationResult());
    pending.catch(() => {});
    const reason = new Error('enough');
    controller.abort(reason);
    const error = await next.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ code: 'ABORTED', name: 'AbortError', cause: reason });
    expect(alive(running.pid ?? 0)).toBe(true);
    await Promise.allSettled([pending]);
    await expect(running.done).rejects.toBe(error);
    await expect(running.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    expect(alive(running.pid ?? 0)).toBe(false);
  });

  it('aborts every callback that is waiting: permission, hook, elicitation (pain 26)', async () => {
    const signals: AbortSignal[] = [];
    let allAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      allAsked = resolve;
    });
    const wait = (signal: AbortSignal): Promise<never> => {
      if (signals.push(signal) === 3) allAsked();
      return new Promise<never>(() => {});
    };
    const running = run('asks', {
      canUseTool: (_name, _input, { signal }) => wait(signal),
      hooks: { PreToolUse: [{ hooks: [(_input, _id, { signal }) => wait(signal)] }] },
      onElicitation: (_request, { signal }) => wait(signal),
    });
    await asked;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
    const closed = running.close();
    // At once, not when the process is gone.
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
    expect(signals.map(({ reason }) => reason.code)).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
    await closed;
  });

  it('before the start starts nothing', async () => {
    let spawned = 0;
    const reason = new Error('too early');
    const running = run('well-behaved', {
      signal: AbortSignal.abort(reason),
      spawnClaudeCodeProcess: () => {
        spawned += 1;
        throw new Error('must not be called');
      },
    });
    expect(running.pid).toBeUndefined();
    await expect(running.next()).rejects.toMatchObject({ code: 'ABORTED', cause: reason });
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
    await expect(running.initializationResult()).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(running.exited).resolves.toEqual({ code: null, signal: null });
    expect(spawned).toBe(0);
  });

  it('after the end changes nothing', async () => {
    const controller = new AbortController();
    const running = run('well-behaved', { abortController: controller });
    const messages: unknown[] = [];
    for await (const message of running) messages.push(message);
    controller.abort();
    await running.close();
    await running.return();
    await expect(running.next()).resolves.toEqual({ done: true, value: undefined });
    await expect(running.done).resolves.toMatchObject({ subtype: 'success' });
    await expect(running.exited).resolves.toEqual({ code: 0, signal: null });
    expect(messages).toHaveLength(3);
  });

  it('twice, and by everybody at once, is stopping once', async () => {
    const running = run('answers-only-initialize');
    await running.initializationResult();
    const next = running.next();
    await Promise.all([running.close(), running.close(), running.return(), running[Symbol.asyncDispose]()]);
    await running.close();
    await expect(next).resolves.toEqual({ done: true, value: undefined });
    expect(alive(running.pid ?? 0)).toBe(false);
  });
});

describe.concurrent('two readers of one query', () => {
  const read = async (running: Query): Promise<unknown[]> => {
    const messages: unknown[] = [];
    for await (const message of running) messages.push(message);
    return messages;
  };

  it('share its messages: each comes once, and both end', async () => {
    const running = run('unknown-messages');
    const [left, right] = await Promise.all([read(running), read(running)]);
    expect(new Set([...left, ...right]).size).toBe(6);
    expect(left.length + right.length).toBe(6);
  });

  it('share its error: one is told, the other ends', async () => {
    const running = run('exits-with-stderr');
    const outcomes = await Promise.allSettled([read(running), read(running)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
