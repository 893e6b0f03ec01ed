/** Server objects of the MCP libraries hold one connection; all conversations share it (R10, pain 15, wish 1). */
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import {
  type ElicitationRequest,
  type McpServerInstance,
  type McpTransport,
  TenonError,
} from '../../src/index.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { foreignServers } from '../support/foreign-servers.js';
import { waitUntil } from '../support/real-cli.js';
import { ServerConversation } from '../support/server-conversation.js';

failOnTrouble();

describe.each(foreignServers)('%s', (_kind, make) => {
  it('serves tools, resources and prompts', async () => {
    const talk = await ServerConversation.with(make().instance);
    const { tools } = await talk.request<{ tools: { name: string }[] }>('tools/list');
    expect(tools.map(({ name }) => name)).toEqual(['add', 'wait', 'report', 'ask', 'askPlainly']);
    expect(await talk.call('add', { a: 15, b: 27 })).toBe('42');
    expect(await talk.request('resources/list')).toMatchObject({ resources: [{ uri: 'note://one' }] });
    expect(await talk.request('resources/read', { uri: 'note://one' })).toMatchObject({
      contents: [{ text: 'A note' }],
    });
    expect(await talk.request('prompts/list')).toMatchObject({ prompts: [{ name: 'greet' }] });
    expect(await talk.request('prompts/get', { name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Greet Ada' } }],
    });
    talk.close();
  });

  it('answers a call of an unknown tool with a failed result', async () => {
    const talk = await ServerConversation.with(make().instance);
    const result = await talk.request<object>('tools/call', { name: 'none', arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(/none.*not found/) }],
    });
    talk.close();
  });

  it('serves 100 conversations at once, each with its own answers and reports', async () => {
    const { instance } = make();
    const all = Array.from({ length: 100 }, () => new ServerConversation(instance));
    const answers = await Promise.all(
      all.map(async (talk, index) => {
        await talk.initialize();
        const calls = [
          talk.call('add', { a: index, b: 1000 }),
          // The same token in every conversation.
          talk.call('report', { text: `report ${index}` }, { progressToken: 7 }),
        ];
        return Promise.all(calls);
      }),
    );
    expect(answers).toEqual(all.map((_talk, index) => [String(1000 + index), `report ${index}`]));
    for (const [index, talk] of all.entries()) {
      const progress = await talk.heard('notifications/progress');
      expect(progress.params).toEqual({ progressToken: 7, progress: 1, message: `report ${index}` });
      const log = await talk.heard('notifications/message');
      expect(log.params).toMatchObject({ level: 'info', data: `report ${index}` });
      expect(talk.told).toHaveLength(2);
    }
    for (const talk of all) talk.close();
  });

  it('serves 100 conversations one after another', async () => {
    const { instance } = make();
    for (let index = 0; index < 100; index += 1) {
      const talk = await ServerConversation.with(instance);
      expect(await talk.call('add', { a: index, b: 1 })).toBe(String(index + 1));
      talk.close();
    }
  });

  it('can be taken up again in the moment in which the last conversation leaves', async () => {
    const { instance } = make();
    const first = await ServerConversation.with(instance);
    first.close();
    const next = new ServerConversation(instance);
    await next.initialize();
    expect(await next.call('add', { a: 1, b: 2 })).toBe('3');
    next.close();
  });

  it('hears a cancellation where the call runs, and nowhere else', async () => {
    const { instance, waiting } = make();
    const [one, other] = [await ServerConversation.with(instance), await ServerConversation.with(instance)];
    const stop = new AbortController();
    const args = (name: string) => ({ name: 'wait', arguments: { name } });
    // The same id in both conversations.
    const calls = [
      one.exchange('tools/call', args('one'), { id: 5, signal: stop.signal }),
      other.exchange('tools/call', args('other'), { id: 5 }),
    ];
    await waitUntil(() => waiting.size === 2, { what: 'both calls' });
    stop.abort();
    expect(await calls[0]).toMatchObject({ id: 5, error: { code: -32800 } });
    await waitUntil(() => waiting.get('one') === true, { what: 'the cancellation of the first call' });
    expect(waiting.get('other')).toBe(false);

    await other.notify('notifications/cancelled', { requestId: 5, reason: 'AbortError: remote-cancel' });
    expect(await calls[1]).toMatchObject({ id: 5, error: { code: -32800 } });
    await waitUntil(() => waiting.get('other') === true, { what: 'the cancellation of the second call' });
    one.close();
    other.close();
  });

  it.each(['with its request', 'by a notification'])(
    'never hears of a call that was cancelled %s while it was being connected; the call is answered at once (R16)',
    async (how) => {
      const { instance, waiting } = make();
      let connect = (): void => {};
      const mayConnect = new Promise<void>((resolve) => {
        connect = resolve;
      });
      const slow: McpServerInstance = {
        connect: async (transport) => {
          await mayConnect;
          await instance.connect(transport);
        },
        close: async () => {},
      };
      const talk = new ServerConversation(slow);
      const stop = new AbortController();
      const request = { name: 'wait', arguments: { name: 'cancelled' } };
      const call = talk.exchange('tools/call', request, { id: 5, signal: stop.signal });
      if (how === 'with its request') stop.abort();
      else
        await talk.notify('notifications/cancelled', { requestId: 5, reason: 'AbortError: remote-cancel' });
      expect(await call).toMatchObject({ id: 5, error: { code: -32800 } });
      connect();
      await talk.initialize();
      expect(await talk.call('add', { a: 1, b: 2 })).toBe('3');
      expect([...waiting.keys()]).toEqual([]);
      talk.close();
    },
  );

  it.each(['ask', 'askPlainly'])(
    'asks the person of the conversation whose call it serves (%s)',
    async (tool) => {
      const { instance } = make();
      const asked: ElicitationRequest[] = [];
      const talks = await Promise.all(
        ['Ada', 'Bob', 'Eve'].map((name) =>
          ServerConversation.with(instance, {
            onElicitation: async (request) => {
              asked.push(request);
              return { action: 'accept', content: { name } };
            },
          }),
        ),
      );
      const answers = await Promise.all(talks.map((talk) => talk.call(tool)));
      expect(answers.map((answer) => JSON.parse(answer).content)).toEqual([
        { name: 'Ada' },
        { name: 'Bob' },
        { name: 'Eve' },
      ]);
      expect(asked).toHaveLength(3);
      expect(asked[0]).toMatchObject({ serverName: 'server', message: 'What is your name?' });
      for (const talk of talks) talk.close();
    },
  );

  it('tells all conversations that its tools have changed', async () => {
    const { instance, changeTools } = make();
    const talks = await Promise.all([1, 2, 3].map(() => ServerConversation.with(instance)));
    await changeTools();
    await Promise.all(talks.map((talk) => talk.heard('notifications/tools/list_changed')));
    for (const talk of talks) talk.close();
  });

  it('goes on for the others when one conversation ends in the middle of a call', async () => {
    const { instance, waiting } = make();
    const [leaving, staying] = [
      await ServerConversation.with(instance),
      await ServerConversation.with(instance),
    ];
    const call = leaving.exchange('tools/call', { name: 'wait', arguments: { name: 'leaving' } });
    await waitUntil(() => waiting.has('leaving'), { what: 'the call' });
    leaving.close();
    expect(await call).toMatchObject({ error: { code: -32800, message: 'The conversation has ended.' } });
    await waitUntil(() => waiting.get('leaving') === true, { what: 'its cancellation' });
    expect(await staying.call('add', { a: 2, b: 2 })).toBe('4');
    staying.close();
  });

  it('stays the property of its owner: open while in use, free for another connection afterwards', async () => {
    const { instance } = make();
    const talk = await ServerConversation.with(instance);
    let closes = 0;
    const { close } = instance;
    instance.close = () => {
      closes += 1;
      return close.call(instance);
    };
    talk.close();
    // What follows a conversation's end is done in microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    expect(closes).toBe(0);

    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await instance.connect(theirs as McpTransport);
    const answer = new Promise((resolve) => {
      ours.onmessage = resolve;
    });
    await ours.start();
    await ours.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(await answer).toMatchObject({ id: 1, result: {} });
    await instance.close();
  });

  it('is refused while its owner has connected it elsewhere, with words that say what to do', async () => {
    const { instance } = make();
    const [, theirs] = InMemoryTransport.createLinkedPair();
    await instance.connect(theirs as McpTransport);
    const talk = new ServerConversation(instance);
    const refusal = await talk.initialize().catch((error: unknown) => error);
    expect(TenonError.is(refusal) && refusal.code).toBe('SERVER_IN_USE');
    expect(String(refusal)).toMatch(
      /"server".*Give this query an object of its own, or .*createSdkMcpServer\(\)/,
    );
    talk.close();
    await instance.close();
  });

  it('that its owner closes in the middle fails the open call and every later one, at once', async () => {
    const { instance, waiting } = make();
    const talk = await ServerConversation.with(instance);
    const call = talk.exchange('tools/call', { name: 'wait', arguments: { name: 'open' } });
    await waitUntil(() => waiting.has('open'), { what: 'the call' });
    await instance.close();
    expect(await call).toMatchObject({ error: { message: 'The MCP server "server" was closed.' } });
    expect(await talk.exchange('tools/list')).toMatchObject({
      error: { message: 'The MCP server was closed.' },
    });
    talk.close();
  });
});

it('a server object that throws on a message does not take the host down', async () => {
  let throws = (): void => {};
  const thrown = new Promise<void>((resolve) => {
    throws = resolve;
  });
  const talk = new ServerConversation({
    connect: async (transport) => {
      transport.onmessage = () => {
        throws();
        throw new Error('I do not like messages');
      };
      await transport.start();
    },
    close: async () => {},
  });
  const call = talk.exchange('ping', {}, { id: 1 });
  await thrown;
  // Longer than the moment in which a rejection that nobody handles is reported.
  await new Promise((resolve) => setImmediate(resolve));
  talk.close();
  expect(await call).toMatchObject({ id: 1, error: { message: 'The conversation has ended.' } });
});
