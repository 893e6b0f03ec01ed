/** What a CLI does after its result: a success stays one, whatever follows, and nothing is left behind (R20, pain 3, pain 19). */
import { describe, expect, it } from 'vitest';
import { ResultError } from '../../src/index.js';
import { failOnTrouble, outcome, reportOf, resultsOf, run } from '../support/fake-cli.js';
import { alive } from '../support/real-cli.js';

failOnTrouble();

describe.concurrent('after a success nothing is raised', () => {
  it.each([
    ['exits with 1', { code: 1, signal: null }],
    ['crashes', { code: null, signal: 'SIGSEGV' }],
    ['breaks off', { code: 7, signal: null }],
  ])('when the CLI %s', async (FAKE_THEN, expected) => {
    const { messages, error, done, exit } = await outcome(run('success-then', { env: { FAKE_THEN } }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ subtype: 'success', final: true }]);
    expect(done).toMatchObject({ status: 'fulfilled', value: { subtype: 'success' } });
    expect(exit).toEqual(expected);
  });

  it('when the CLI ignores the end of its input: SIGTERM ends it after `closeGraceMs`', async () => {
    const { messages, error, exit } = await outcome(run('never-exits', { closeGraceMs: 200 }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toHaveLength(1);
    expect(exit).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('when the CLI ignores SIGTERM too: SIGKILL ends it', async () => {
    const { messages, error, exit } = await outcome(run('ignores-sigterm', { closeGraceMs: 200 }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toHaveLength(1);
    expect(exit).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('when the CLI is well-behaved, which then has ended by itself', async () => {
    const { error, exit } = await outcome(run('well-behaved'));
    expect(error).toBeUndefined();
    expect(exit).toEqual({ code: 0, signal: null });
  });
});

describe.concurrent('after an error result', () => {
  it('the result is delivered, and then thrown with it, not the exit code', async () => {
    const { messages, error, done, exit } = await outcome(run('error-then-exit-1'));
    const [result] = resultsOf(messages);
    expect(result).toMatchObject({ is_error: true, failure: { kind: 'execution' } });
    expect(error).toBeInstanceOf(ResultError);
    expect(error).toMatchObject({
      code: 'RESULT_ERROR',
      message: expect.stringContaining('the turn went wrong'),
    });
    expect((error as ResultError).result).toBe(result);
    expect(done).toEqual({ status: 'fulfilled', value: result });
    expect(exit).toEqual({ code: 1, signal: null });
  });

  it('the loop just ends with `throwOnErrorResult: false`', async () => {
    const { messages, error } = await outcome(run('error-then-exit-1', { throwOnErrorResult: false }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toMatchObject([{ is_error: true, final: true }]);
  });
});

describe.concurrent('what the CLI started goes with it (pain 3)', () => {
  it.each(['nothing', 'stdout'])('a grandchild that holds %s', async (FAKE_HOLDS) => {
    const { messages, error, exit } = await outcome(run('leaves-grandchild', { env: { FAKE_HOLDS } }));
    expect(error).toBeUndefined();
    expect(resultsOf(messages)).toHaveLength(1);
    expect(exit).toEqual({ code: 0, signal: null });
    const { grandchild } = reportOf(messages);
    expect(grandchild).toBeTypeOf('number');
    expect(alive(Number(grandchild))).toBe(false);
  });

  it('a grandchild that ignores SIGTERM', async () => {
    const running = run('leaves-grandchild', { env: { FAKE_GRANDCHILD: 'stubborn' } });
    const { messages, error } = await outcome(running);
    expect(error).toBeUndefined();
    expect(alive(Number(reportOf(messages).grandchild))).toBe(false);
  });
});
