/** CLIs that write what nobody expects: it is passed on or reported, and never the end (R14, pain 27). */
import { describe, expect, it } from 'vitest';
import type { DebugEvent, SDKMessage } from '../../src/index.js';
import { failOnTrouble, outcome, processError, resultsOf, run } from '../support/fake-cli.js';

failOnTrouble();

const types = (messages: readonly SDKMessage[]): string[] =>
  messages.map((message) => message.type as string);

describe.concurrent('a CLI that writes', () => {
  it('garbage between its messages loses none of them, and the garbage is reported', async () => {
    const heard: string[] = [];
    const debug: DebugEvent[] = [];
    const running = run('garbage', {
      stderr: (text) => heard.push(text),
      onDebug: (event) => debug.push(event),
    });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(types(messages)).toEqual(['system', 'assistant', 'assistant', 'result']);
    expect(messages[2]).toMatchObject({ carriage: 'return' });
    const garbage = ['Debugger attached.', '42', '"text"', 'null', 'true', '[1,2]', '{"type":"assistant"'];
    expect(heard.slice(0, -2)).toEqual(garbage.map((line) => `${line}\n`));
    expect(heard.at(-2)).toContain('not JSON');
    expect(heard.at(-1)).toBe('bye}\n');
    expect(debug.filter(({ kind }) => kind === 'noise')).toHaveLength(heard.length);
  });

  it('garbage does not depend on callbacks that work', async () => {
    const broken = () => {
      throw new Error('from the callback');
    };
    const { messages, error } = await outcome(run('garbage', { stderr: broken, onDebug: broken }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toHaveLength(1);
  });

  it('messages of types that we have never heard of is passed on, in order and whole (pain 14)', async () => {
    const { messages, error } = await outcome(run('unknown-messages'));
    expect(error).toBeUndefined();
    expect(messages.slice(1)).toMatchObject([
      { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
      { type: 'foo_bar', deep: { er: [1, 2] } },
      { type: 'system', subtype: 'invented_tomorrow' },
      { no: 'type' },
      { type: 'result', subtype: 'success' },
    ]);
  });

  it('ten megabytes to stderr is not held up, and costs no more than its tail', async () => {
    let heard = 0;
    const count = (text: string): void => {
      heard += text.length;
    };
    const { messages, error } = await outcome(run('floods-stderr', { stderr: count }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toHaveLength(1);
    expect(heard).toBeGreaterThan(10_000_000);
  });

  it('ten megabytes to stderr before it dies is quoted by its last line', async () => {
    const { error } = await outcome(run('floods-stderr', { env: { FAKE_TURN: 'none' } }));
    const failure = processError(error);
    expect(failure).toMatchObject({ code: 'EXITED', exitCode: 1 });
    expect(failure.message).toContain('the last line');
    expect(failure.message.length).toBeLessThan(1_000);
    expect(failure.stderrTail).toHaveLength(8 * 1024);
    expect(failure.stderrTail.endsWith('the last line\n')).toBe(true);
  });

  it('one line of 64 MB is read whole (pain 12)', async () => {
    const { messages, error } = await outcome(run('long-line', { env: { FAKE_MEGABYTES: '64' } }));
    expect(error).toBeUndefined();
    expect(types(messages)).toEqual(['system', 'long', 'short', 'result']);
    const { text } = messages[1] as unknown as { text: string };
    expect(Buffer.byteLength(text)).toBe(64 * 2 ** 20);
    expect(text.endsWith('é')).toBe(true);
  });

  it('a line above `maxLineBytes` loses that line only, and its reader is told in its place (pain 12)', async () => {
    const heard: string[] = [];
    const debug: DebugEvent[] = [];
    const running = run('long-line', {
      env: { FAKE_MEGABYTES: '3' },
      maxLineBytes: 2 ** 20,
      stderr: (text) => heard.push(text),
      onDebug: (event) => debug.push(event),
    });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(types(messages)).toEqual(['system', 'system', 'short', 'result']);
    expect(messages[1]).toMatchObject({
      subtype: 'informational',
      level: 'warning',
      tag: 'frame_dropped',
      content: expect.stringMatching(
        /A line of 31457\d\d bytes was dropped: .*`maxLineBytes`.*"type":"long"/,
      ),
      dropped: { reason: 'too_long', byte_length: expect.closeTo(3 * 2 ** 20, -3) },
      session_id: expect.stringMatching(/^0000/),
    });
    expect(heard).toHaveLength(1);
    expect(heard[0]).toMatch(/A line of 31457\d\d bytes was dropped/);
    expect(heard[0]).toContain('{"type":"long"');
    expect(heard[0]?.length).toBeLessThan(500);
    expect(debug.filter(({ kind }) => kind === 'noise')).toHaveLength(1);
  });

  it('two results for one message ends after the second, which alone is the final one (pain 17)', async () => {
    const running = run('two-results');
    const { messages, error, done } = await outcome(running);
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([
      { result: 'first', final: false },
      { result: 'second', final: true },
    ]);
    expect(done).toMatchObject({ status: 'fulfilled', value: { result: 'second' } });
  });
});
