/** CLIs that die: the loop throws once, and says why (pain 5, pain 27, R20). */
import { describe, expect, it } from 'vitest';
import { failOnTrouble, outcome, processError, resultsOf, run, user } from '../support/fake-cli.js';

failOnTrouble();

describe.concurrent('a CLI that dies', () => {
  it('in the middle of a line gives its exit code, its last words and what was pending (pain 5)', async () => {
    const heard: string[] = [];
    const running = run('dies-mid-line', {
      stderr: (text) => heard.push(text),
      extraArgs: { 'api-key': 'sk-secret', verbose: null },
    });
    const pending = running.mcpServerStatus();
    pending.catch(() => {});
    const { messages, error, done, exit } = await outcome(running);
    const failure = processError(error);
    expect(failure).toMatchObject({
      code: 'EXITED',
      exitCode: 3,
      signal: null,
      stderrTail: 'fatal: out of luck\n',
      lastControlRequest: 'mcp_status',
    });
    expect(failure.message).toContain('exited with code 3');
    expect(failure.message).toContain('fatal: out of luck');
    expect(failure.argv).toContain('--api-key');
    expect(failure.argv.join(' ')).not.toContain('sk-secret');
    expect(messages.map(({ type }) => type)).toEqual(['system']);
    await expect(pending).rejects.toBe(failure);
    expect(done).toEqual({ status: 'rejected', reason: failure });
    expect(exit).toEqual({ code: 3, signal: null });
    expect(heard.join('')).toContain('{"type":"assistant","message":{"role":"assi\n');
  });

  it('with exit code 0 but without a result is an error too', async () => {
    const { error, exit } = await outcome(run('exits-without-result'));
    expect(processError(error)).toMatchObject({ code: 'NO_RESULT', exitCode: 0 });
    expect(processError(error).message).toContain('without a result');
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('with exit code 1 is named by the last line of its stderr', async () => {
    const { error } = await outcome(run('exits-with-stderr'));
    expect(processError(error)).toMatchObject({
      code: 'EXITED',
      exitCode: 1,
      stderrTail: 'warming up\nError: the disk is full\n',
    });
    expect(processError(error).message).toContain('Error: the disk is full');
  });

  it('of an uncaught exception is named by the exception, not by the last line of the report', async () => {
    const { error } = await outcome(run('crashes'));
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
    expect(processError(error).message).toContain('TypeError: the model has no name');
  });

  it('before its last words have arrived is heard out', async () => {
    const { error } = await outcome(run('writes-after-death'));
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
    expect(processError(error).stderrTail).toBe('these are the last words\n');
    expect(processError(error).message).toContain('these are the last words');
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'])('of %s is named by the signal', async (FAKE_SIGNAL) => {
    const { error, exit } = await outcome(run('kills-itself', { env: { FAKE_SIGNAL } }));
    expect(processError(error)).toMatchObject({
      code: 'KILLED_BY_SIGNAL',
      exitCode: null,
      signal: FAKE_SIGNAL,
    });
    expect(processError(error).message).toContain(FAKE_SIGNAL);
    expect(processError(error).message.includes('memory')).toBe(FAKE_SIGNAL === 'SIGKILL');
    expect(exit).toEqual({ code: null, signal: FAKE_SIGNAL });
  });

  it('before it reads a line fails the turn, not the host (pain 27)', async () => {
    const { error } = await outcome(run('none', { pathToClaudeCodeExecutable: '/bin/false' }));
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
    expect(processError(error).message).toContain('It wrote nothing to stderr');
  });

  it('with its input closed early fails the turn, not the host that still writes (pain 27)', async () => {
    let closed = (): void => {};
    const seen = new Promise<void>((resolve) => {
      closed = resolve;
    });
    async function* input() {
      yield user('first');
      await seen;
      for (let index = 0; index < 200; index++) yield user('x'.repeat(10_000));
    }
    const running = run('closes-stdin', {}, input());
    const messages: string[] = [];
    const loop = (async () => {
      for await (const message of running) {
        messages.push(message.type);
        if ((message.type as string) === 'report') closed();
      }
    })();
    await expect(loop).rejects.toMatchObject({ code: 'EXITED', exitCode: 1 });
    expect(messages).toEqual(['system', 'report']);
    await expect(running.done).rejects.toMatchObject({ code: 'EXITED' });
  });
});

describe.concurrent('a turn that is lost is an error, whatever came before it', () => {
  it('when the CLI dies on the second message', async () => {
    let answered = (): void => {};
    const first = new Promise<void>((resolve) => {
      answered = resolve;
    });
    async function* input() {
      yield user('one');
      await first;
      yield user('two');
    }
    const running = run('dies-between-turns', {}, input());
    const results: unknown[] = [];
    const loop = (async () => {
      for await (const message of running) {
        if (message.type !== 'result') continue;
        results.push(message.subtype);
        answered();
      }
    })();
    await expect(loop).rejects.toMatchObject({ code: 'EXITED', stderrTail: 'Error: lost the session\n' });
    expect(results).toEqual(['success']);
    await expect(running.done).rejects.toMatchObject({ code: 'EXITED' });
  });

  it('when the CLI dies with a message in its queue', async () => {
    async function* input() {
      yield user('one');
      yield user('two');
    }
    const { messages, error } = await outcome(run('dies-with-queue', {}, input()));
    expect(resultsOf(messages)).toHaveLength(1);
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
  });

  it('when the CLI dies while more input could come', async () => {
    async function* input() {
      yield user('one');
      await new Promise(() => {});
    }
    const running = run('success-then', { env: { FAKE_THEN: 'exits with 1' } }, input());
    const { messages, error } = await outcome(running);
    expect(resultsOf(messages)).toHaveLength(1);
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
  });

  it('when the CLI dies while a background task lives', async () => {
    const { messages, error } = await outcome(run('dies-with-background-task'));
    expect(resultsOf(messages)).toMatchObject([{ final: false }]);
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
  });
});
