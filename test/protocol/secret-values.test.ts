/** Secrets that come in parts are hidden like whole ones (pain 44). */
import { describe, expect, it } from 'vitest';
import { SecretValues } from '../../src/protocol/base/secret-values.js';
import fc from '../support/property.js';

function streamed(secrets: readonly string[], parts: readonly string[]): string[] {
  const values = new SecretValues();
  values.addValues(secrets);
  const stream = values.stream();
  return [...parts.map((part) => stream.push(part)), stream.end()];
}

describe('a text that comes in parts', () => {
  it('shows nothing of a secret that is divided between them', () => {
    expect(streamed(['hunter2!'], ['say hun', 'ter2! now\n'])).toEqual(['say ', '<redacted> now\n', '']);
  });

  it('is not held up longer than it could be the beginning of a secret', () => {
    expect(streamed(['hunter2!'], ['say hun', 'gry\n'])).toEqual(['say ', 'hungry\n', '']);
    expect(streamed(['hunter2!'], ['say hunt'])).toEqual(['say ', 'hunt']);
  });

  it('is shown as if it had come at once, however it is divided', () => {
    const letters = fc.stringMatching(/^[ab]{4,8}$/);
    const texts = fc.array(fc.stringMatching(/^[abc ]{0,6}$/), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 3 }), texts, (secrets, parts) => {
        const values = new SecretValues();
        values.addValues(secrets);
        expect(streamed(secrets, parts).join('')).toBe(values.hide(parts.join('')));
      }),
    );
  });
});

it('of a server are also the secret of its OAuth client, the password in its address, and parameters whose name tells', () => {
  const values = new SecretValues();
  const url = 'https://ada:lovelace@example.com/mcp?api_key=12345678&region=eu-west';
  values.add({ type: 'http', url, oauth: { clientId: 'client', clientSecret: 'confidential' } });
  expect(values.hide(`${url} client confidential`)).toBe(
    'https://ada:<redacted>@example.com/mcp?api_key=<redacted>&region=eu-west client <redacted>',
  );
});
