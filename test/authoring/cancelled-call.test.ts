import { expect, test } from 'vitest';
import { callTool } from '../../src/authoring/call-tool.js';
import { type AnyTool, tool } from '../../src/authoring/tool.js';
import type { CallScope } from '../../src/authoring/tool-context.js';

function scopeWith(signal: AbortSignal): CallScope {
  return {
    signal,
    requestId: 1,
    serverName: 'calc',
    sessionId: undefined,
    meta: {},
    notify: async () => {},
    log: () => {},
    ask: async () => ({}),
  };
}

test('a call that was cancelled before its handler began does not begin (R16)', async () => {
  let begun = 0;
  const definition = tool('write', 'Writes something', {}, () => {
    begun += 1;
    return 'written';
  }) as AnyTool;
  const cancelled = new AbortController();
  cancelled.abort(new Error('cancelled'));
  await callTool(definition, {}, scopeWith(cancelled.signal), undefined);
  expect(begun).toBe(0);
  await callTool(definition, {}, scopeWith(new AbortController().signal), undefined);
  expect(begun).toBe(1);
});
