/** What the real CLI refuses or dies of, each with a code of its own (pain 5). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Options, query, ResultError } from '../../src/index.js';
import { hang, scriptedMessagesApi, text } from '../../src/testing/index.js';
import { failOnTrouble, outcome, processError, resultsOf } from '../support/fake-cli.js';
import { cliPath, sandbox } from '../support/real-cli.js';

failOnTrouble();

/** Runs the CLI with options that it should not survive. */
async function refusal(options: Options) {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([]);
  const env = { ...box.env(api), ...options.env };
  const running = query({
    prompt: 'hi',
    options: { pathToClaudeCodeExecutable: cliPath, cwd: box.cwd, ...options, env },
  });
  const initialized = running.initializationResult();
  initialized.catch(() => {});
  const result = await outcome(running);
  // The CLI never answered: whoever waits for the start hears the same reason.
  await expect(initialized).rejects.toBe(result.error);
  return result;
}

describe.concurrent('the real CLI', () => {
  it('refuses a flag that it does not know: BAD_FLAG', async () => {
    const { error } = await refusal({ extraArgs: { 'no-such-flag': null, token: 'secret-value' } });
    const failure = processError(error);
    expect(failure).toMatchObject({ code: 'BAD_FLAG', exitCode: 1, signal: null });
    expect(failure.message).toContain('--no-such-flag');
    expect(failure.message).toContain('extraArgs');
    expect(failure.stderrTail).toContain('unknown option');
    expect(failure.argv).toContain('--no-such-flag');
    expect(failure.argv.join(' ')).not.toContain('secret-value');
    expect(failure.lastControlRequest).toBe('initialize');
  });

  it.skipIf(process.getuid?.() !== 0)('refuses bypassPermissions as root: BYPASS_AS_ROOT', async () => {
    const { error } = await refusal({
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(processError(error)).toMatchObject({ code: 'BYPASS_AS_ROOT', exitCode: 1 });
    expect(processError(error).message).toMatch(/root/);
    expect(processError(error).message).toContain('permissionMode');
  });

  it('refuses a session id that is no UUID, and the message quotes it', async () => {
    const { error } = await refusal({ sessionId: 'xyz' });
    expect(processError(error)).toMatchObject({ code: 'EXITED', exitCode: 1 });
    expect(processError(error).message).toContain('Invalid session ID');
  });

  it('has no such conversation: the error result is delivered, then thrown by kind', async () => {
    const resume = randomUUID();
    const { messages, error, done } = await refusal({ resume });
    expect(resultsOf(messages)).toMatchObject([{ is_error: true, final: true }]);
    expect(error).toBeInstanceOf(ResultError);
    expect(error).toMatchObject({ failure: { kind: 'session_not_found', retryable: false } });
    expect((error as Error).message).toContain(resume);
    expect(done.status).toBe('fulfilled');
  });

  it('has that session id already: SESSION_ID_IN_USE', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('first')]);
    const options: Options = {
      pathToClaudeCodeExecutable: cliPath,
      cwd: box.cwd,
      env: box.env(api),
      sessionId: randomUUID(),
    };
    const first = await outcome(query({ prompt: 'hi', options }));
    expect(first.error).toBeUndefined();
    const { error } = await outcome(query({ prompt: 'hi', options }));
    expect(processError(error)).toMatchObject({ code: 'SESSION_ID_IN_USE', exitCode: 1 });
    expect(processError(error).message).toContain(options.sessionId);
    expect(processError(error).message).toContain('resume');
  });

  it('killed in the middle of a turn: KILLED_BY_SIGNAL', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([hang()]);
    const running = query({
      prompt: 'hi',
      options: { pathToClaudeCodeExecutable: cliPath, cwd: box.cwd, env: box.env(api) },
    });
    const ended = outcome(running);
    await api.waitForRequest(0);
    process.kill(running.pid ?? 0, 'SIGKILL');
    const { error, exit } = await ended;
    expect(processError(error)).toMatchObject({
      code: 'KILLED_BY_SIGNAL',
      signal: 'SIGKILL',
      exitCode: null,
    });
    expect(processError(error).message).toContain('SIGKILL');
    expect(processError(error).message).toContain('memory');
    expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('answers a control request with an error: the error is for who asked, and the loop goes on', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('fine')]);
    const running = query({
      prompt: 'hi',
      options: { pathToClaudeCodeExecutable: cliPath, cwd: box.cwd, env: box.env(api) },
    });
    const unknown = running.controlRequest('no_such_subtype' as 'mcp_status', {});
    const mode = running.setPermissionMode('no such mode' as 'plan');
    await expect(unknown).rejects.toMatchObject({
      code: 'CONTROL_ERROR',
      subtype: 'no_such_subtype',
      errorCode: 'unsupported_request',
    });
    await expect(mode).rejects.toMatchObject({ code: 'CONTROL_ERROR', subtype: 'set_permission_mode' });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ result: 'fine' }]);
  });
});
