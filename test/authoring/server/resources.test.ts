/** Resources: fixed ones, templates, reading, completing, subscriptions (R31, pain 56). */
import { describe, expect, test, vi } from 'vitest';
import { createSdkMcpServer, OptionError, type ResourceDefinition } from '../../../src/index.js';
import { McpWire } from '../../support/mcp-wire.js';

const memos: ResourceDefinition = {
  uriTemplate: 'memo://{folder}/{id}',
  name: 'memos',
  mimeType: 'text/plain',
  read: (uri, { folder, id }) => `${folder}/${id} of ${uri}`,
  list: async () => [{ uri: 'memo://in/1', name: 'First' }],
  complete: { folder: (start) => ['inbox', 'info', 'out'].filter((each) => each.startsWith(start)) },
};

async function serving(...resources: ResourceDefinition[]) {
  const { instance } = createSdkMcpServer({ name: 's', resources });
  return { instance, wire: await McpWire.to(instance) };
}

const read = (wire: McpWire, uri: string) => wire.request<{ contents: unknown }>('resources/read', { uri });

describe('reading', () => {
  test('gives text, bytes, or contents in MCP’s own form', async () => {
    const { wire } = await serving(
      { uri: 'a:text', name: 'a', mimeType: 'text/plain', read: () => 'hello' },
      { uri: 'a:bytes', name: 'b', mimeType: 'image/png', read: async () => Buffer.from([1, 2, 3]) },
      { uri: 'a:plain', name: 'c', read: () => 'no type' },
      { uri: 'a:one', name: 'd', read: (uri) => ({ uri, text: 'own' }) },
      {
        uri: 'a:many',
        name: 'e',
        read: () => [
          { uri: 'a:1', text: '1' },
          { uri: 'a:2', blob: 'Mg==' },
        ],
      },
    );
    const contents = async (uri: string) => (await read(wire, uri)).contents;
    expect(await contents('a:text')).toEqual([{ uri: 'a:text', mimeType: 'text/plain', text: 'hello' }]);
    expect(await contents('a:bytes')).toEqual([{ uri: 'a:bytes', mimeType: 'image/png', blob: 'AQID' }]);
    expect(await contents('a:plain')).toEqual([{ uri: 'a:plain', text: 'no type' }]);
    expect(await contents('a:one')).toEqual([{ uri: 'a:one', text: 'own' }]);
    expect(await contents('a:many')).toEqual([
      { uri: 'a:1', text: '1' },
      { uri: 'a:2', blob: 'Mg==' },
    ]);
  });

  test('by a template gives the variables, decoded', async () => {
    const file: ResourceDefinition = {
      uriTemplate: 'file:///{+path}.txt',
      name: 'files',
      read: (_uri, { path }) => `${path}`,
    };
    const { wire } = await serving(memos, file);
    expect(await read(wire, 'memo://in%20box/a%2Fb')).toEqual({
      contents: [
        { uri: 'memo://in%20box/a%2Fb', mimeType: 'text/plain', text: 'in box/a/b of memo://in%20box/a%2Fb' },
      ],
    });
    expect(await read(wire, 'file:///a/b.c/d.txt')).toMatchObject({ contents: [{ text: 'a/b.c/d' }] });
    // Half an escape is taken as it is.
    expect(await read(wire, 'memo://%/1')).toMatchObject({ contents: [{ text: '%/1 of memo://%/1' }] });
  });

  test('of a fixed one comes before a template', async () => {
    const { wire } = await serving(memos, { uri: 'memo://in/1', name: 'x', read: () => 'the fixed one' });
    expect(await read(wire, 'memo://in/1')).toMatchObject({ contents: [{ text: 'the fixed one' }] });
  });

  test('what is not there is -32002, and what fails is -32603 with its words', async () => {
    const { wire } = await serving(memos, {
      uri: 'a:bad',
      name: 'bad',
      read: () => {
        throw new Error('the disk is away');
      },
    });
    for (const uri of ['memo://in', 'memo://in/1/2', 'memo:///1', 'nothing']) {
      expect(await wire.fault('resources/read', { uri })).toEqual({
        code: -32002,
        message: `Resource not found: ${uri}`,
      });
    }
    expect(await wire.fault('resources/read', { uri: 'a:bad' })).toEqual({
      code: -32603,
      message: 'the disk is away',
    });
    expect(await wire.fault('resources/read', {})).toMatchObject({ code: -32602 });
  });

  test('may be cancelled', async () => {
    const begun = vi.fn();
    const { wire } = await serving({
      uri: 'a:slow',
      name: 'slow',
      read: (_uri, { signal }) =>
        new Promise((_resolve, reject) => {
          begun(signal);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    void wire.exchange('resources/read', { uri: 'a:slow' }, 'r');
    await vi.waitUntil(() => begun.mock.calls.length === 1);
    wire.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'r' } });
    expect(begun.mock.calls[0]?.[0].aborted).toBe(true);
    await wire.request('ping');
    expect(wire.responses.map(({ id }) => id)).not.toContain('r');
  });
});

test('lists show what there is, templates apart, functions never', async () => {
  const fixed = { uri: 'a:1', name: 'a', title: 'A', size: 5, annotations: { priority: 1 }, _meta: { x: 1 } };
  const { wire } = await serving(memos, { ...fixed, read: () => '' });
  expect(await wire.request('resources/list')).toEqual({
    resources: [fixed, { uri: 'memo://in/1', name: 'First' }],
  });
  expect(await wire.request('resources/templates/list')).toEqual({
    resourceTemplates: [{ uriTemplate: 'memo://{folder}/{id}', name: 'memos', mimeType: 'text/plain' }],
  });
});

test('variables of a template are completed', async () => {
  const { wire } = await serving(memos);
  const complete = (name: string, value: string, uri = 'memo://{folder}/{id}') =>
    wire.request('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name, value } });
  expect(await complete('folder', 'in')).toEqual({
    completion: { values: ['inbox', 'info'], total: 2, hasMore: false },
  });
  const nothing = { completion: { values: [], total: 0, hasMore: false } };
  expect(await complete('id', '1')).toEqual(nothing);
  expect(await complete('folder', 'in', 'other://{folder}')).toEqual(nothing);
});

test('a change is told to those who have subscribed, and to nobody else', async () => {
  const { instance, wire: subscriber } = await serving(memos);
  const other = await McpWire.to(instance);
  const updates = (wire: McpWire) => wire.notifications.map(({ method, params }) => [method, params]);
  await subscriber.request('resources/subscribe', { uri: 'memo://in/1' });
  await other.request('resources/subscribe', { uri: 'memo://in/2' });
  instance.resourceUpdated('memo://in/1');
  expect(updates(subscriber)).toEqual([['notifications/resources/updated', { uri: 'memo://in/1' }]]);
  expect(updates(other)).toEqual([]);
  await subscriber.request('resources/unsubscribe', { uri: 'memo://in/1' });
  instance.resourceUpdated('memo://in/1');
  expect(updates(subscriber)).toHaveLength(1);
  await other.transport.close();
  instance.resourceUpdated('memo://in/2');
  expect(updates(other)).toEqual([]);
});

test('they may come and go', async () => {
  const { instance, wire } = await serving();
  instance.addResource({ uri: 'a:1', name: 'a', read: () => 'here' });
  expect(await read(wire, 'a:1')).toMatchObject({ contents: [{ text: 'here' }] });
  expect(instance.removeResource('a:1')).toBe(true);
  expect(instance.removeResource('a:1')).toBe(false);
  expect(await wire.fault('resources/read', { uri: 'a:1' })).toMatchObject({ code: -32002 });
  expect(wire.notifications.map(({ method }) => method)).toEqual([
    'notifications/resources/list_changed',
    'notifications/resources/list_changed',
  ]);
});

test('two at one place, and templates beyond {name} and {+name}, are refused', async () => {
  const { instance } = await serving(memos, { uri: 'a:1', name: 'a', read: () => '' });
  expect(() => instance.addResource({ uri: 'a:1', name: 'b', read: () => '' })).toThrow(
    'There are two resources at "a:1". Remove one of them.',
  );
  expect(() => instance.addResource(memos)).toThrow(OptionError);
  expect(() => instance.addResource({ ...memos, uriTemplate: 'a://x{?q}' } as ResourceDefinition)).toThrow(
    'The URI template "a://x{?q}" has {?q}; it may have {name}, or {+name} for a value with slashes.',
  );
});
