/** When input is over: not before everything that was asked for is done, and not after (pain 1, pain 17, R18, R19). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { SDKMessage } from '../../src/index.js';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import {
  calculator,
  failOnTrouble,
  fortyTwo,
  outcome,
  reportOf,
  resultsOf,
  run,
  user,
} from '../support/fake-cli.js';
import { cliPath, sandbox } from '../support/real-cli.js';

failOnTrouble();

async function* two() {
  yield user('one');
  yield user('two');
}

const words = (messages: readonly SDKMessage[]): unknown[] =>
  resultsOf(messages).map((message) => 'result' in message && message.result);

describe.concurrent('a CLI that reports its state can call a tool', () => {
  it.each([
    ['one millisecond after `init`', 'calls-tool-at-once'],
    ['after its first result, while a background task lives', 'calls-tool-after-result'],
    ['and is idle before it has the answer', 'calls-tool-idle'],
  ])('%s (pain 1)', async (_when, name) => {
    const { server, calls } = calculator();
    const { messages, error, exit } = await outcome(run(name, { mcpServers: { calc: server } }));
    expect(error).toBeUndefined();
    expect(calls).toEqual([{ a: 15, b: 27 }]);
    expect(reportOf(messages)).toMatchObject({ call: fortyTwo });
    expect(resultsOf(messages).filter(({ final }) => final)).toHaveLength(1);
    expect(resultsOf(messages).at(-1)?.final).toBe(true);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('fifty times at once: as many handlers, no errors (pain 1, R16)', async () => {
    const { server, calls } = calculator();
    const running = run('calls-tools-in-parallel', { mcpServers: { calc: server } });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(calls).toHaveLength(50);
    const answers = Array.from({ length: 50 }, (_, a) => ({
      result: { content: [{ type: 'text', text: String(a + 1) }] },
    }));
    expect(reportOf(messages)).toMatchObject({ calls: answers });
  });
});

describe('a tool call', () => {
  it('may take longer than every limit of ours, with nobody reading (R17, pain 48)', async () => {
    // Time passes only when it is told to: the start of the CLI is not measured.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let finish = (): void => {};
    let begun = (): void => {};
    const approved = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const asked = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const add = tool('add', 'Waits for a person', {}, async () => {
      begun();
      await approved;
      return 'approved';
    });
    const running = run('calls-tool-at-once', {
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
      startupTimeoutMs: 4_000,
      controlTimeoutMs: 100,
      closeGraceMs: 100,
    });
    await asked;
    await vi.advanceTimersByTimeAsync(24 * 60 * 60 * 1000);
    vi.useRealTimers();
    finish();
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(reportOf(messages)).toMatchObject({ call: { result: { content: [{ text: 'approved' }] } } });
  });
});

describe.concurrent('a shell command in the background', () => {
  it('keeps the input open, though the CLI says it is idle (R18)', async () => {
    const { server, calls } = calculator();
    const options = { mcpServers: { calc: server } };
    const { messages, error, exit } = await outcome(run('idle-with-command', options));
    expect(error).toBeUndefined();
    expect(words(messages)).toEqual(['started', 'finished']);
    expect(resultsOf(messages).map(({ final }) => final)).toEqual([false, true]);
    expect(reportOf(messages)).toMatchObject({ call: fortyTwo });
    expect(reportOf(messages)).not.toHaveProperty('inputEndedEarly');
    expect(calls).toEqual([{ a: 15, b: 27 }]);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('of the real CLI ends by itself, and the model hears of it in a second turn (R18, R20)', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([
      // Ends when the first result has been read, and a while after the CLI would have been told to go.
      toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.1; done; sleep 1', run_in_background: true }),
      text('launched'),
      text('heard of it'),
    ]);
    const messages: SDKMessage[] = [];
    const running = query({
      prompt: 'go',
      options: {
        pathToClaudeCodeExecutable: cliPath,
        cwd: box.cwd,
        env: box.env(api),
        allowedTools: ['Bash'],
        closeGraceMs: 200,
      },
    });
    for await (const message of running) {
      messages.push(message);
      if (message.type === 'result') writeFileSync(join(box.cwd, 'go'), '');
    }
    expect(words(messages)).toEqual(['launched', 'heard of it']);
    expect(resultsOf(messages).map(({ final }) => final)).toEqual([false, true]);
    api.assertDone();
  });
});

describe.concurrent('several messages', () => {
  it('to a CLI that reports its state go out at once, and the last result alone is final', async () => {
    const { messages, error } = await outcome(run('queues-messages', {}, two()));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([
      { result: 'first', final: false },
      { result: 'second', final: true },
    ]);
  });

  it('to a CLI that folds the second into the first turn end with its one result', async () => {
    const { messages, error } = await outcome(run('folds-messages', {}, two()));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ result: 'both', final: true }]);
  });

  it('to a CLI without state go out one per result (R19)', async () => {
    const { messages, error } = await outcome(run('no-state', {}, two()));
    expect(error).toBeUndefined();
    expect(words(messages)).toEqual(['turn 0', 'turn 1']);
    expect(reportOf(messages)).toMatchObject({ content: 'two', overlapping: 0 });
  });

  it('to a CLI without state that answers the first without a turn are both answered', async () => {
    const { messages, error } = await outcome(run('no-state-no-init', {}, two()));
    expect(error).toBeUndefined();
    expect(words(messages)).toEqual(['answer 0', 'answer 1']);
  });
});

describe.concurrent('a CLI without state', () => {
  it('ends after the result of a string prompt', async () => {
    const { messages, error, exit } = await outcome(run('no-state'));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ result: 'turn 0', final: true }]);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('with background tasks ends after the result of the last of them (pain 17)', async () => {
    const { server, calls } = calculator();
    const running = run('no-state-background', { mcpServers: { calc: server } });
    const { messages, error, done } = await outcome(running);
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([
      { result: 'started', final: false },
      { result: 'one', final: false },
      { result: 'two', final: true },
    ]);
    expect(calls).toHaveLength(2);
    expect(done).toMatchObject({ status: 'fulfilled', value: { result: 'two' } });
  });
});

describe.concurrent('input', () => {
  it('stays open while the stream does, long after the result', async () => {
    let more = (): void => {};
    const later = new Promise<void>((resolve) => {
      more = resolve;
    });
    async function* slow() {
      yield user('one');
      await later;
      yield user('two');
    }
    const results: unknown[] = [];
    for await (const message of run('well-behaved', {}, slow())) {
      if (message.type !== 'result') continue;
      results.push(message.subtype);
      setTimeout(more, 300);
    }
    expect(results).toEqual(['success', 'success']);
  });

  it('of no message at all ends the CLI without an error', async () => {
    async function* nothing() {}
    const { messages, error, exit } = await outcome(run('well-behaved', {}, nothing()));
    expect(error).toBeUndefined();
    expect(messages).toEqual([]);
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('after the end is refused (INPUT_CLOSED)', async () => {
    const running = run('well-behaved');
    await outcome(running);
    await expect(running.streamInput(two())).rejects.toMatchObject({
      code: 'INPUT_CLOSED',
      message: expect.stringContaining('createSession'),
    });
  });

  it('of a stream that throws is what the loop throws, and ends the CLI', async () => {
    async function* broken() {
      yield user('one');
      throw new Error('no more paper');
    }
    const { error } = await outcome(run('answers-only-initialize', {}, broken()));
    expect(error).toMatchObject({ code: 'INPUT_FAILED', message: expect.stringContaining('no more paper') });
  });

  it('of a stream that yields no message is refused with what it yielded', async () => {
    async function* wrong() {
      yield 'text' as never;
    }
    const { error } = await outcome(run('answers-only-initialize', {}, wrong()));
    expect(error).toMatchObject({ code: 'INPUT_FAILED', message: expect.stringContaining('"text"') });
  });
});
