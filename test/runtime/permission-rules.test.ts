import { expect, test } from 'vitest';
import { matchesAny } from '../../src/runtime/permission-rules.js';

const tool = (server: string, name: string) => ({
  name: `mcp__${server}__${name}`.replace(/[^a-zA-Z0-9_-]/g, '_'),
  server: { name: server, source: 'sdk' },
});

test.each([
  ['mcp__calc', 'calc', 'add', true],
  ['mcp__calc__*', 'calc', 'add', true],
  ['mcp__calc__a*', 'calc', 'add', true],
  ['mcp__calc__add', 'calc', 'add', true],
  ['mcp__calc__s*', 'calc', 'add', false],
  ['mcp__cal', 'calc', 'add', false],
  ['mcp__*', 'calc', 'add', false],
  ['*', 'calc', 'add', false],
  ['mcp__a__b', 'a__b', 'c', true],
  ['mcp__a__b', 'a', 'b__c', false],
  ['mcp__a', 'a__b', 'c', false],
  ['mcp__my_server', 'my server', 'x', true],
])('the rule %s for the tool %s of the server %s (R21)', (rule, server, name, matches) => {
  expect(matchesAny([rule], tool(server, name))).toBe(matches);
});

test('a pattern never matches a tool that is no server’s (R21)', () => {
  expect(matchesAny(['*', 'Tool*'], { name: 'ToolSearch', server: undefined })).toBe(false);
  expect(matchesAny(['ToolSearch'], { name: 'ToolSearch', server: undefined })).toBe(true);
});
