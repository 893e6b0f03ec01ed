/** A directory as MCP servers are told of it, without Node. */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { rootOf } from '../../../src/runtime/mcp/roots.js';

it.each([
  '/',
  '/home/me',
  '/home/me/',
  '/with space/ä/100%/a?b#c',
  '/a/b\tc',
  '/quotes"\'`<>{}',
  '/back\\slash',
])('the root %j is what Node makes of it (R47)', (directory) => {
  const expected = pathToFileURL(directory === '/' ? directory : directory.replace(/\/$/, '')).href;
  expect(rootOf(directory)).toEqual({ uri: expected, name: basename(directory) });
});

it.each([
  ['C:\\Users\\me', 'file:///C:/Users/me', 'me'],
  ['\\\\server\\share\\x', 'file://server/share/x', 'x'],
])('the root %j of Windows has the address %j (R47)', (directory, uri, name) => {
  expect(rootOf(directory)).toEqual({ uri, name });
});
