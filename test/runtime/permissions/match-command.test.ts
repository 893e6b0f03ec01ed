/** One rule and one command line, where nothing is known but their texts. */
import { describe, expect, test } from 'vitest';
import { matchesCall, parseRule, type RuleKind } from '../../../src/protocol/permissions/permission-rules.js';
import { specifierChecks } from '../../../src/runtime/permissions/specifier-checks.js';

describe('a rule for commands', async () => {
  const checks = await specifierChecks('Bash');
  const bash = (rule: string, command: string, kind: RuleKind = 'allow') =>
    matchesCall(parseRule(rule), { name: 'Bash' }, kind, { command }, checks);

  test.each([
    ['Bash(touch a:*)', 'touch a', true],
    ['Bash(touch a:*)', 'touch a b', true],
    ['Bash(touch a:*)', 'touch ab', false],
    ['Bash(touch a:*)', 'touch a && touch q', false],
    ['Bash(touch a:*)', 'touch a; rm -rf /', false],
    ['Bash(touch a:*)', 'touch a $(rm -rf /)', false],
    ['Bash(touch a:*)', 'touch a > /etc/passwd', false],
    ['Bash(touch a)', 'touch a', true],
    ['Bash(touch a)', 'touch a b', false],
    ['Bash(touch *)', 'touch a b', true],
    ['Bash(touch *)', 'touch', true],
    ['Bash(* b)', 'touch a b', true],
    ['Bash(*)', 'anything && at all', true],
  ])('R51: %s allows "%s": %s', (rule, command, expected) => {
    expect(bash(rule, command)).toBe(expected);
  });

  test.each([
    ['touch a b', true],
    ['touch z && touch a b', true],
    ['touch z', false],
  ])('R51: Bash(touch a:*) denies "%s": %s', (command, expected) => {
    expect(bash('Bash(touch a:*)', command, 'deny')).toBe(expected);
  });
});
