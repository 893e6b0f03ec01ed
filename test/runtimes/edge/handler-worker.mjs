// A host and its handler where there is no Node, from the source: `hostOn` is what `createHost` is on a machine of its own.
import { hostOn } from '../../../src/host/create-host.ts';
import { memoryStorage } from '../../../src/host/storage/memory/memory-storage.ts';
import { createSdkMcpServer, query, tool } from '../../../src/portable.ts';
import { embedded } from '../../../src/runtime/portable.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';

const pay = tool('pay', 'Pays', { type: 'object' }, () => 'Paid.');

function makeHost() {
  const model = scriptedModel([
    { kind: 'message', blocks: [{ type: 'tool_use', name: 'mcp__shop__pay', input: { amount: 5 } }] },
    { kind: 'message', blocks: [{ type: 'text', text: 'It is paid.' }] },
  ]);
  const server = createSdkMcpServer({ name: 'shop', tools: [pay], alwaysLoad: true });
  return hostOn(
    {
      storage: memoryStorage(),
      approvals: { holdMs: 20 },
      options: { runtime: embedded({ model }), mcpServers: { shop: server } },
    },
    query,
  );
}

const handlerOf = (host) =>
  host.handler({
    authorize: (request) =>
      request.headers.get('authorization') === 'Bearer ann' ? { tenant: 'ann' } : null,
  });

/** What a stream says until something is in it. */
async function readUntil(response, word) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let told = '';
  while (!told.includes(word)) {
    const { done, value } = await reader.read();
    if (done) break;
    told += value;
  }
  await reader.cancel();
  return told;
}

const later = (look) => new Promise((resolve) => setTimeout(resolve, 5)).then(look);

/** Everything within one request: a worker may not wait in one for what happens in another. */
async function scenario() {
  const host = makeHost();
  const handler = handlerOf(host);
  const headers = { authorization: 'Bearer ann', 'content-type': 'application/json' };
  const get = (path) => handler(new Request(`http://host${path}`, { headers }));
  const post = (path, body) =>
    handler(new Request(`http://host${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  const stranger = await handler(new Request('http://host/sessions'));
  const parts = [{ type: 'text', text: 'Pay 5.' }];
  const first = await post('/chat', { id: 'chat', messages: [{ id: 'm1', role: 'user', parts }] });
  const asked = await readUntil(first, '[DONE]');
  const messages = await (await get('/chat/chat/messages')).json();
  const call = messages[1].parts.find(({ type }) => type === 'dynamic-tool');
  const answered = { ...call, state: 'approval-responded', approval: { ...call.approval, approved: true } };
  const second = await post('/chat', { id: 'chat', messages: [{ ...messages[1], parts: [answered] }] });
  const rest = await readUntil(second, '[DONE]');
  const events = await readUntil(await get('/sessions/chat/events'), '"done"');
  let readers = 1;
  // Not every runtime passes a cancel on at once; if it never does, the test does not end.
  while (readers > 0) ({ readers } = await later(() => host.stats()));
  await host.close();
  const closed = await post('/sessions/chat/messages', { prompt: 'Hi.' });
  return {
    stranger: stranger.status,
    problem: stranger.headers.get('content-type'),
    asked: asked.includes('tool-approval-request'),
    rest: rest.includes('It is paid.'),
    events: (events.match(/^id: /gm) ?? []).length > 5,
    readers,
    closed: closed.status,
  };
}

let served;

export default {
  async fetch(request) {
    if (new URL(request.url).pathname === '/scenario') return Response.json(await scenario());
    // One host for all requests, where that is possible.
    served ??= makeHost();
    if (new URL(request.url).pathname === '/readers') return Response.json((await served.stats()).readers);
    return handlerOf(served)(request);
  },
};
