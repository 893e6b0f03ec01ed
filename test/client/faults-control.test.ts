/** CLIs that break the rules of the control channel (R14, R15, R16): each request is answered once, and nothing hangs. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CanUseTool, DebugEvent, HookCallback } from '../../src/index.js';
import { createSdkMcpServer, tool } from '../../src/index.js';
import {
  calculator,
  failOnTrouble,
  fortyTwo,
  outcome,
  processError,
  reportOf,
  run,
} from '../support/fake-cli.js';
import { PATIENCE_MS } from '../support/patience.js';

failOnTrouble();

const success = (response: object) => ({ subtype: 'success', response });

/** Waits for its signal, and remembers why it was told to stop. */
function endless(): { reasons: unknown[]; wait(signal: AbortSignal): Promise<never> } {
  const reasons: unknown[] = [];
  return {
    reasons,
    wait: (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
      }),
  };
}

describe.concurrent('a CLI that', () => {
  it('answers only `initialize` keeps nobody waiting: a request times out by name, close ends it', async () => {
    const running = run('answers-only-initialize', { controlTimeoutMs: 100, startupTimeoutMs: PATIENCE_MS });
    await expect(running.initializationResult()).resolves.toMatchObject({ commands: [] });
    await expect(running.interrupt()).rejects.toMatchObject({
      code: 'CONTROL_TIMEOUT',
      subtype: 'interrupt',
      timeoutMs: 100,
      message: expect.stringContaining('"interrupt"'),
    });
    const pending = running.setModel('other');
    pending.catch(() => {});
    const next = running.next();
    await running.close();
    await expect(pending).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(next).resolves.toEqual({ done: true, value: undefined });
    await expect(running.done).rejects.toMatchObject({ code: 'CLOSED' });
  });

  it('speaks MCP before it answers `initialize` is served (R15)', async () => {
    const { server, calls } = calculator();
    const running = run('speaks-mcp-first', { mcpServers: { calc: server } });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(reportOf(messages)).toMatchObject({
      hello: { id: 0, result: { protocolVersion: '2025-11-25', serverInfo: { name: 'calc' } } },
      acknowledged: { subtype: 'success', response: { mcp_response: { result: {} } } },
      list: { id: 1, result: { tools: [{ name: 'add' }] } },
      call: fortyTwo,
    });
    expect(calls).toEqual([{ a: 15, b: 27 }]);
    await expect(running.initializationResult()).resolves.toMatchObject({ commands: [] });
  });

  it('withdraws a question aborts the callback, gets no answer to it, and answers to the rest', async () => {
    const permission = endless();
    const hook = endless();
    const canUseTool: CanUseTool = (name, input, { signal }) =>
      name === 'Read' ? Promise.resolve({ behavior: 'allow', updatedInput: input }) : permission.wait(signal);
    const callback: HookCallback = (_input, _id, { signal }) => hook.wait(signal);
    const running = run('cancels', { canUseTool, hooks: { PreToolUse: [{ hooks: [callback] }] } });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(reportOf(messages)).toMatchObject({ answer: success({ behavior: 'allow' }), late: [] });
    expect([...permission.reasons, ...hook.reasons]).toMatchObject([
      { code: 'ABORTED' },
      { code: 'ABORTED' },
    ]);
  });

  it('cancels a tool call aborts its handler, and is not left waiting for the call', async () => {
    const slow = endless();
    const handler = tool('slow', 'Takes long', {}, (_args, { log, signal }) => {
      log('info', 'started');
      return slow.wait(signal);
    });
    const server = createSdkMcpServer({ name: 'calc', tools: [handler] });
    const { messages, error } = await outcome(run('cancels-tool-call', { mcpServers: { calc: server } }));
    expect(error).toBeUndefined();
    expect(reportOf(messages)).toMatchObject({
      acknowledged: success({ mcp_response: { result: {} } }),
      call: { id: 2, error: { message: 'Request cancelled' } },
    });
    expect(slow.reasons).toMatchObject([{ code: 'ABORTED', message: 'AbortError: remote-cancel' }]);
  });

  it('repeats a request id is answered once while it is served, and again once it was answered (R16)', async () => {
    let asked = 0;
    let repeated = (): void => {};
    const repetition = new Promise<void>((resolve) => {
      repeated = resolve;
    });
    const canUseTool: CanUseTool = async () => {
      asked += 1;
      const message = `number ${asked}`;
      await repetition;
      return { behavior: 'deny', message };
    };
    const onDebug = ({ message }: DebugEvent): void => {
      if (message.includes('repeated control request "same"')) repeated();
    };
    const running = run('repeats-ids', { canUseTool, onDebug });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(asked).toBe(2);
    expect(reportOf(messages)).toMatchObject({
      first: success({ message: 'number 1' }),
      second: success({ message: 'number 2' }),
      unanswered: 0,
    });
  });

  it('asks for what we do not know gets an answer to each, none of them a yes (R6, R15)', async () => {
    const { server } = calculator();
    const { messages, error } = await outcome(run('unknown-requests', { mcpServers: { calc: server } }));
    expect(error).toBeUndefined();
    const unsupported = (subtype: string) => ({
      subtype: 'error',
      error: `Unsupported control request subtype: ${subtype}`,
      error_code: 'unsupported_request',
    });
    expect(reportOf(messages)).toMatchObject({
      subtype: unsupported('read_my_mind'),
      inherited: unsupported('toString'),
      server: { subtype: 'error', error: 'SDK MCP server not found: nope' },
      hook: { subtype: 'error', error: 'No hook callback found for ID: hook_99' },
      permission: success({ behavior: 'deny' }),
      elicitation: success({ action: 'decline' }),
      dialog: success({ behavior: 'cancelled' }),
      method: { error: { code: -32601 } },
      tool: { result: { isError: true } },
    });
  });
});

/** One after another: time passes only when it is told to. */
describe('as time goes by, a CLI that', () => {
  const holdTime = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  afterEach(() => void vi.useRealTimers());

  it('never writes a line runs into the start-up timeout, and is ended (pain 19)', async () => {
    holdTime();
    const complaint = vi.fn();
    const running = run('answers-nothing.sh', { startupTimeoutMs: 3_000, stderr: complaint });
    const initialized = running.initializationResult();
    initialized.catch(() => {});
    await expect.poll(() => complaint).toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3_000);
    vi.useRealTimers();
    const { messages, error, exit } = await outcome(running);
    const failure = processError(error);
    expect(failure).toMatchObject({
      code: 'STARTUP_TIMEOUT',
      stderrTail: 'waiting for a licence server\n',
      lastControlRequest: 'initialize',
    });
    expect(failure.message).toContain('3000 ms');
    expect(failure.message).toContain('waiting for a licence server');
    expect(failure.message).toContain('startupTimeoutMs');
    expect(messages).toEqual([]);
    await expect(initialized).rejects.toBe(failure);
    expect(exit.signal).toBe('SIGTERM');
  });

  it('answers what nobody asked, twice, or too late changes nothing', async () => {
    holdTime();
    const debug: DebugEvent[] = [];
    const running = run('stray-responses', {
      controlTimeoutMs: 1_500,
      startupTimeoutMs: PATIENCE_MS,
      onDebug: (event) => debug.push(event),
    });
    const initialized = await running.initializationResult();
    expect(initialized.commands).toEqual([]);
    const slow = expect(running.setModel('slow')).rejects.toMatchObject({ code: 'CONTROL_TIMEOUT' });
    await vi.advanceTimersByTimeAsync(1_500);
    await slow;
    vi.useRealTimers();
    await expect(running.setModel('fast')).resolves.toBeUndefined();
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    const reports = messages.filter((message) => 'tag' in message && message.tag === 'frame_dropped');
    // An answer without a shape (twice), a cancel without an id; the request without a shape is answered.
    expect(reports).toHaveLength(3);
    const others = messages.filter((message) => !reports.includes(message));
    expect(others.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    const ignored = debug.filter(({ kind, message }) => kind === 'control' && message.includes('ignored'));
    // Unasked, repeated, too late.
    expect(ignored).toHaveLength(3);
  });
});
