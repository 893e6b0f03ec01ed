/** A Messages API that refuses. */
import { expect } from 'vitest';
import { apiError, text } from '../../../src/testing/index.js';
import { kinds, results } from '../support/calc.js';
import type { Scenario } from '../support/scenario.js';

/** The API always refuses like this. */
function refusing(status: number, type: string, message: string): Scenario {
  return {
    name: `the API answers ${status}`,
    cites: `s10-api-${status}, pain 52`,
    env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    script: () => apiError(status, type, message),
    // How often the CLI tries again is its own affair.
    ignore: ['model'],
    check: (outcome) => {
      expect(results(outcome)).toMatchObject([
        { subtype: 'success', is_error: true, api_error_status: status },
      ]);
      expect(outcome.error?.message).toContain('returned an error result');
      expect(outcome.exit.code).toBe(1);
    },
  };
}

export const apiErrors: readonly Scenario[] = [
  refusing(400, 'invalid_request_error', 'that is no request'),
  refusing(401, 'authentication_error', 'who are you?'),
  refusing(500, 'api_error', 'something broke'),
  {
    name: 'the API is overloaded once',
    cites: 's10-api-529-then-ok',
    env: { CLAUDE_CODE_MAX_RETRIES: '2' },
    script: [apiError(529, 'overloaded_error', 'Overloaded'), text('Here I am.')],
    check: (outcome) => {
      expect(kinds(outcome.messages)).toContain('system/api_retry');
      expect(results(outcome)).toMatchObject([{ is_error: false, result: 'Here I am.' }]);
    },
  },
];
