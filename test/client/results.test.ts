/** Every way in which a turn can end (recorded from the CLI): a success or not, and why not (pain 52, R72). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureOf, isSuccess, ResultError } from '../../src/client/query/results.js';
import type { ResultFailure, SDKResultMessage } from '../../src/protocol/wire/messages/index.js';

const recorded: { case: string; result: SDKResultMessage }[] = JSON.parse(
  readFileSync(new URL('../fixtures/results.json', import.meta.url), 'utf8'),
);

function recordedResult(name: string): SDKResultMessage {
  const found = recorded.find((entry) => entry.case === name);
  if (found === undefined) throw new Error(`no recorded result "${name}"`);
  return structuredClone(found.result);
}

/** For each case: undefined for a true success. */
const FAILURES: Record<string, Partial<ResultFailure> | undefined> = {
  normal: undefined,
  'stopped by a hook': undefined,
  'prompt blocked by a hook': undefined,
  'message kept as context': undefined,
  'structured output': undefined,
  'API error 400': {
    kind: 'invalid_request',
    status: 400,
    retryable: false,
    message: 'API Error: 400 bad thing',
  },
  'API error 401': { kind: 'authentication', status: 401, retryable: false },
  'API error 500': { kind: 'server_error', status: 500, retryable: true },
  interrupted: { kind: 'interrupted', retryable: false },
  'denied with interrupt': { kind: 'interrupted', retryable: false },
  'turn limit': { kind: 'max_turns', retryable: false, message: 'Reached maximum number of turns (2)' },
  budget: { kind: 'max_budget', retryable: false, message: 'Reached maximum budget ($0.5)' },
  'schema never met': { kind: 'structured_output', retryable: false },
  'unknown session to resume': { kind: 'session_not_found', retryable: false },
};

describe('a recorded result', () => {
  it('of each case is looked at', () => {
    expect(recorded.map((entry) => entry.case).sort()).toEqual(Object.keys(FAILURES).sort());
  });

  it.each(Object.entries(FAILURES))('%s', (name, failure) => {
    const result = recordedResult(name);
    expect(isSuccess(result)).toBe(failure === undefined);
    if (failure === undefined) expect(failureOf(result)).toBeUndefined();
    else expect(failureOf(result)).toMatchObject(failure);
  });
});

describe('an API failure under the name of success (pain 52)', () => {
  it.each<[number, ResultFailure['kind'], boolean]>([
    [400, 'invalid_request', false],
    [401, 'authentication', false],
    [402, 'billing', false],
    [403, 'permission', false],
    [404, 'model_not_found', false],
    [413, 'invalid_request', false],
    [418, 'unknown', false],
    [429, 'rate_limit', true],
    [500, 'server_error', true],
    [503, 'server_error', true],
    [529, 'overloaded', true],
  ])('with status %i is %s', (status, kind, retryable) => {
    const result = Object.assign(recordedResult('API error 500'), { api_error_status: status });
    expect(isSuccess(result)).toBe(false);
    expect(failureOf(result)).toMatchObject({ kind, status, retryable });
    // CLIs before 2.1.140 have the status in the text only.
    const older = Object.assign(recordedResult('normal'), {
      is_error: true,
      api_error_status: undefined,
      result: `API Error: ${status} {"type":"error"}`,
    });
    expect(failureOf(older)).toMatchObject({ kind, retryable });
  });

  it('says when a limit is lifted, where the CLI said so', () => {
    const result = Object.assign(recordedResult('API error 500'), { api_error_status: 429 });
    expect(failureOf(result, 1_800_000_000)).toMatchObject({ kind: 'rate_limit', resetsAt: 1_800_000_000 });
    expect(failureOf(result)).not.toHaveProperty('resetsAt');
  });
});

describe('what older and unknown CLIs send', () => {
  it('an interrupted turn that is not flagged as an error is one by its subtype', () => {
    const result = Object.assign(recordedResult('interrupted'), { is_error: false });
    expect(isSuccess(result)).toBe(false);
    expect(failureOf(result)?.kind).toBe('interrupted');
  });

  it('an error without texts has the subtype for its message', () => {
    const { errors: _errors, ...rest } = recordedResult('turn limit') as SDKResultMessage & {
      errors: string[];
    };
    expect(failureOf(rest as SDKResultMessage)?.message).toBe('error_max_turns');
    expect(failureOf({ ...rest, errors: [] } as SDKResultMessage)?.message).toBe('error_max_turns');
  });

  it('a subtype of the future is a failure of unknown kind', () => {
    const result = { ...recordedResult('turn limit'), subtype: 'error_of_the_future' };
    expect(failureOf(result as unknown as SDKResultMessage)?.kind).toBe('unknown');
  });
});

it('ResultError carries the result, the failure and its text', () => {
  const result = recordedResult('turn limit');
  const error = new ResultError(result);
  expect(error).toMatchObject({ name: 'ResultError', code: 'RESULT_ERROR', failure: { kind: 'max_turns' } });
  expect(error.result).toBe(result);
  expect(error.message).toBe('Claude Code returned an error result: Reached maximum number of turns (2)');
});
