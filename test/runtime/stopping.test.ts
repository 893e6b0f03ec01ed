/** The end of an embedded agent: what does not end by itself is aborted, and what does not end then is given up (R24). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AgentRuntime, query } from '../../src/index.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import type { Transport } from '../../src/protocol/transport/transport.js';
import { embedded, type RuntimeConfig } from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { collect } from '../support/real-cli.js';

/** A query whose model has been asked and waits, and the transport to its agent. */
async function inAnAnswer(config: Omit<RuntimeConfig, 'model'> = {}) {
  let asked = (_signal: AbortSignal): void => {};
  const signal = new Promise<AbortSignal>((resolve) => {
    asked = resolve;
  });
  let transport: Transport | undefined;
  const model = scriptedModel(() => new Promise<never>(() => {}));
  const agent = embedded({
    ...config,
    model: {
      ...model,
      stream: (request, context) => {
        asked(context.signal);
        return model.stream(request, context);
      },
    },
  });
  const runtime: AgentRuntime = {
    open: (start) => {
      transport = agent.open(start);
      return transport;
    },
  };
  const running = query({ prompt: 'Go.', options: { runtime, throwOnErrorResult: false } });
  const end = collect(running);
  return { signal: await signal, transport: transport as Transport, end };
}

describe('stop() with a grace period', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('aborts the turn when the time is over, and not before', async () => {
    const { signal, transport, end } = await inAnAnswer();
    const stopped = transport.stop(1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(signal.aborted).toBe(true);
    await stopped;
    await end;
  });

  it('has one of its own if none is given, and a later call can only shorten it', async () => {
    const { signal, transport, end } = await inAnAnswer();
    const stopped = [transport.stop(), transport.stop(60_000)];
    await vi.advanceTimersByTimeAsync(LIMITS.closeGraceMs - 1);
    expect(signal.aborted).toBe(false);
    stopped.push(transport.stop(0));
    expect(signal.aborted).toBe(true);
    await Promise.all(stopped);
    await end;
  });

  it('gives up an agent that does not end even then', async () => {
    let append = (): void => {};
    const appending = new Promise<void>((resolve) => {
      append = resolve;
    });
    const sessionStore = {
      load: async () => null,
      append: () => {
        append();
        return new Promise<never>(() => {});
      },
    };
    const { signal, transport, end } = await inAnAnswer({ sessionStore });
    const stopped = transport.stop(0);
    expect(signal.aborted).toBe(true);
    await appending;
    await vi.advanceTimersByTimeAsync(LIMITS.killGraceMs + LIMITS.reapMs);
    await stopped;
    await end;
  });
});
