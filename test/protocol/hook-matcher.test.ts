/** Which tools a hook's matcher is about, as observed on the CLI; callbacks and commands go by the same. */
import { describe, expect, it } from 'vitest';
import { OptionError, query } from '../../src/index.js';
import { hookMatcherProblem, matchesHook } from '../../src/protocol/wire/hook-matcher.js';

describe('a matcher', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['*', true],
    ['mcp__calc__add', true],
    ['Read|mcp__calc__add', true],
    ['Read, mcp__calc__add', true],
    ['mcp__calc__.*', true],
    ['mcp__calc__*', true],
    ['.*dd', true],
    ['^mcp__calc', true],
    ['dd$', true],
    ['mcp__calc', false],
    ['mcp__calc__ad', false],
    ['add', false],
    ['mcp__CALC__add', false],
    ['x-y|mcp__calc__ad', false],
  ])('%s about mcp__calc__add: %s (R22)', (matcher, expected) => {
    expect(matchesHook(matcher, 'mcp__calc__add')).toBe(expected);
    expect(hookMatcherProblem(matcher)).toBeUndefined();
  });

  it('that is no valid expression is refused by query() itself (R22)', () => {
    const hooks = { PreToolUse: [{ matcher: 'mcp__(', hooks: [async () => ({})] }] };
    const start = () => query({ prompt: 'Go.', options: { hooks } });
    expect(start).toThrow(OptionError);
    expect(start).toThrow('hooks.PreToolUse: the matcher "mcp__(" is not a valid regular expression.');
  });
});
