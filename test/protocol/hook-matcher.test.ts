/** Which tools a hook's matcher is about, as observed on the CLI; callbacks and commands go by the same. */
import { describe, expect, it } from 'vitest';
import { createSdkMcpServer, OptionError, query, tool } from '../../src/index.js';
import { hookMatcherProblem, matchesHook } from '../../src/protocol/wire/hook-matcher.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';

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
});

const MATCHERS: Record<string, boolean> = {
  '*': true,
  '': true,
  mcp__s__drop: true,
  'Read|mcp__s__drop': true,
  'Read, mcp__s__drop': true,
  'mcp__s__*': true,
  'mcp__s__.*': true,
  'drop.*': true,
  __drop$: true,
  'mcp__s__dr.': true,
  '^mcp__s': true,
  'drop|(x)': true,
  mcp__s: false,
  drop: false,
  mcp__s__dro: false,
  'x-y|mcp__s': false,
  '^drop': false,
  'mcp__s__dr$|y.': false,
};

describe.each(BACK_ENDS)('$name', (backEnd) => {
  it('calls a hook for the tools that its matcher is about, and for no other (R22)', async () => {
    const called = new Set<string>();
    const drop = tool('drop', 'Drops', {}, () => 'dropped');
    await using agent = await backEnd.start([{ tool: 'mcp__s__drop' }, 'Done.']);
    await ask(
      agent.options({
        mcpServers: { s: createSdkMcpServer({ name: 's', tools: [drop] }) },
        mcpReady: true,
        allowedTools: ['mcp__s'],
        hooks: {
          PreToolUse: Object.keys(MATCHERS).map((matcher) => ({
            matcher,
            hooks: [
              async () => {
                called.add(matcher);
                return {};
              },
            ],
          })),
        },
      }),
    );
    const expected = Object.keys(MATCHERS).filter((matcher) => MATCHERS[matcher]);
    expect([...called].sort()).toEqual(expected.sort());
  });

  it('is not started with a matcher that is no valid expression (R22)', async () => {
    await using agent = await backEnd.start([]);
    const options = agent.options({
      hooks: { PreToolUse: [{ matcher: 'mcp__(', hooks: [async () => ({})] }] },
    });
    const start = () => query({ prompt: 'Go.', options });
    expect(start).toThrow(OptionError);
    expect(start).toThrow('hooks.PreToolUse: the matcher "mcp__(" is not a valid regular expression.');
  });
});
