/** Chat pages on a host, with the real client of the AI SDK (R67). Its hook in a real browser: chat-page.test.ts. */
import { describe, expect, it, vi } from 'vitest';
import type { Host } from '../../../src/host/index.js';
import { OptionError } from '../../../src/index.js';
import { embedded } from '../../../src/runtime/index.js';
import {
  blocks,
  hang,
  type Script,
  scriptedModel,
  text,
  thinking,
  toolUse,
  toolUses,
} from '../../../src/testing/index.js';
import { hosted, isDone, REF, shared, shop, until } from '../support/host.js';
import { type Chat, chatOf, comparable, LINES, loaded, words } from './support/chat-packages.js';
import { eventsOf, gate, held, post, type Received, readUntil, served } from './support/served.js';

const pay = (amount: number) => toolUse('mcp__shop__pay', { amount });
const PAY = 'mcp__shop__pay';

const settled = (chat: Chat, status = 'ready') => vi.waitFor(() => expect(chat.status).toBe(status));
const isWaiting = (host: Host) =>
  vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('waiting'));
const isIdle = (host: Host) => vi.waitFor(async () => expect((await host.session(REF))?.state).toBe('idle'));

/** The question that a message asks. */
function asked(chat: Chat, amount: number): string {
  const part = chat.messages
    .flatMap(({ parts }) => parts)
    .find((each) => each.type === 'dynamic-tool' && JSON.stringify(each.input) === `{"amount":${amount}}`);
  if (part?.type !== 'dynamic-tool' || part.state !== 'approval-requested')
    throw new Error(`not asked: ${JSON.stringify(part)}`);
  return part.approval.id;
}

describe.each(LINES)('a chat page with $name (R67)', (line) => {
  it('shows text, thoughts and calls as they come, and the same when it is loaded again', async () => {
    const answer = blocks([
      thinking(['Let me ', 'see.']),
      text(['I will ', 'pay.']),
      toolUse(PAY, { amount: 5 }, { chunks: 3 }),
    ]);
    const { host } = hosted(
      [answer, text(['Paid', '.']), text('You are welcome.')],
      shop(),
      {},
      { allowedTools: [PAY] },
    );
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    await chat.sendMessage({ text: 'Pay 5.' });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(words(chat.lastMessage)).toEqual([
      'reasoning: Let me see.',
      'text: I will pay.',
      `${PAY} {"amount":5} output-available "Paid 5."`,
      'text: Paid.',
    ]);
    await chat.sendMessage({ text: 'Thanks.' });
    const messages = await loaded(server.origin);
    expect(await line.ai.safeValidateUIMessages({ messages })).toMatchObject({ success: true });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(messages.map(words)).toEqual(chat.messages.map(words));
    for (const index of [1, 3]) expect(comparable(messages[index])).toEqual(comparable(chat.messages[index]));
    expect(chat.messages[1]?.metadata).toMatchObject({ outcome: 'answered' });
  });

  it('asks for a permission, and the call is made when the page has granted it', async () => {
    const { server: shopServer, effects } = shop();
    const { host } = hosted([pay(5), text('Paid.')], { server: shopServer });
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    await chat.sendMessage({ text: 'Pay 5.' });
    expect([chat.status, effects]).toEqual(['ready', []]);
    await chat.addToolApprovalResponse({ id: asked(chat, 5), approved: true });
    await vi.waitFor(() => expect(words(chat.lastMessage)).toContain('text: Paid.'));
    await settled(chat);
    expect(effects).toEqual(['paid 5']);
    expect(words(chat.lastMessage)).toEqual([
      `${PAY} {"amount":5} output-available "Paid 5."`,
      'data-approval',
      'text: Paid.',
    ]);
    expect(chat.messages).toHaveLength(2);
    const messages = await loaded(server.origin);
    expect(await line.ai.safeValidateUIMessages({ messages })).toMatchObject({ success: true });
    expect(comparable(messages.at(-1))).toEqual(comparable(chat.lastMessage));
  });

  it('denies, and the model is told why', async () => {
    const { server: shopServer, effects } = shop();
    const { host, model } = hosted([pay(5), text('Then not.')], { server: shopServer });
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    await chat.sendMessage({ text: 'Pay 5.' });
    await chat.addToolApprovalResponse({ id: asked(chat, 5), approved: false, reason: 'Too much.' });
    await vi.waitFor(() => expect(words(chat.lastMessage)).toContain('text: Then not.'));
    await settled(chat);
    expect(effects).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('Too much.');
    expect(words(chat.lastMessage)[0]).toBe(`${PAY} {"amount":5} output-denied`);
    const messages = await loaded(server.origin);
    expect(await line.ai.safeValidateUIMessages({ messages })).toMatchObject({ success: true });
    expect(messages.at(-1)?.parts.find(({ type }) => type === 'dynamic-tool')).toMatchObject({
      state: 'output-denied',
      approval: { approved: false, reason: 'Too much.' },
    });
  });

  it('answers the questions of several calls, which ask together or one after another', async () => {
    const calls = toolUses([1, 2].map((amount) => ({ name: PAY, input: { amount } })));
    for (const concurrency of ['parallel', 'serial'] as const) {
      const { server: shopServer, effects } = shop({ concurrency });
      const { host } = hosted([calls, text('Both.')], { server: shopServer });
      await using _ = host;
      await using server = await served(host);
      const chat = chatOf(line, server.origin);
      await chat.sendMessage({ text: 'Pay both.' });
      expect(chat.status, concurrency).toBe('ready');
      const messages = await loaded(server.origin);
      expect(await line.ai.safeValidateUIMessages({ messages })).toMatchObject({ success: true });
      for (const amount of [1, 2]) {
        await vi.waitFor(() => asked(chat, amount));
        await settled(chat);
        await chat.addToolApprovalResponse({ id: asked(chat, amount), approved: true });
      }
      await vi.waitFor(() => expect(words(chat.lastMessage)).toContain('text: Both.'));
      expect(effects).toEqual(['paid 1', 'paid 2']);
      expect(words(chat.lastMessage).filter((word) => word.startsWith('mcp'))).toEqual([
        `${PAY} {"amount":1} output-available "Paid 1."`,
        `${PAY} {"amount":2} output-available "Paid 2."`,
      ]);
    }
  });

  it('that is loaded while something is asked can answer it', async () => {
    const { server: shopServer, effects } = shop({ concurrency: 'serial' });
    const calls = toolUses([1, 2].map((amount) => ({ name: PAY, input: { amount } })));
    const { host } = hosted([calls, text('Both.')], { server: shopServer });
    await using _ = host;
    await using server = await served(host);
    await host.send(REF, 'Pay both.');
    await isWaiting(host);
    for (const amount of [1, 2]) {
      // Loaded anew for each.
      const chat = chatOf(line, server.origin, { messages: await vi.waitFor(() => loaded(server.origin)) });
      const id = await vi.waitFor(async () => {
        chat.messages = await loaded(server.origin);
        return asked(chat, amount);
      });
      void chat.addToolApprovalResponse({ id, approved: true });
      await vi.waitFor(() => expect(effects).toContain(`paid ${amount}`));
    }
    await isIdle(host);
    expect(words((await loaded(server.origin)).at(-1))).toContain('text: Both.');
  });

  it('that is loaded in the middle of an answer reads it from its beginning, and then what comes', async () => {
    const { opened, open } = gate();
    const model = held(
      scriptedModel([text('Old.'), text(['First ', 'this, ', 'then ', 'that.'])]),
      'then',
      opened,
    );
    const { host } = hosted([], shop(), { events: { batchMs: 1 } }, { runtime: embedded({ model }) });
    await using _ = host;
    await using server = await served(host);
    const old = chatOf(line, server.origin);
    await old.sendMessage({ text: 'Before.' });
    void old.sendMessage({ text: 'What?' });
    await vi.waitFor(() => expect(words(old.lastMessage)).toEqual(['text: First this, ']));
    const chat = chatOf(line, server.origin, { messages: await loaded(server.origin) });
    // All that was told is there already.
    expect(chat.messages.map(words)).toEqual(old.messages.map(words));
    const reading = chat.resumeStream();
    await vi.waitFor(() => expect(chat.status).toBe('streaming'));
    open();
    await reading;
    expect(words(chat.lastMessage)).toEqual(['text: First this, then that.']);
    expect(chat.messages).toHaveLength(4);
    await settled(old);
    expect(comparable(chat.lastMessage)).toEqual(comparable(old.lastMessage));
    // And nothing when there is nothing.
    await chat.resumeStream();
    expect([chat.status, chat.messages.length]).toEqual(['ready', 4]);
    expect((await fetch(`${server.origin}/chat/user-7/stream`)).status).toBe(204);
    expect((await fetch(`${server.origin}/chat/nobody/stream`)).status).toBe(204);
    expect(await loaded(server.origin, 'nobody')).toEqual([]);
  });

  it('stops, which others see too; leaving alone stops nothing', async () => {
    const { opened, open } = gate();
    const model = held(
      scriptedModel([text(['First ', 'this, ', 'then ', 'that.']), text('Again.')]),
      'then',
      opened,
    );
    const { host } = hosted([], shop(), { events: { batchMs: 1 } }, { runtime: embedded({ model }) });
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    void chat.sendMessage({ text: 'What?' });
    await vi.waitFor(() => expect(words(chat.lastMessage)).toEqual(['text: First this, ']));
    await chat.stop();
    await vi.waitFor(async () => expect((await host.stats()).readers).toBe(0));
    expect((await host.session(REF))?.state).toBe('running');
    const other = chatOf(line, server.origin, { messages: await loaded(server.origin) });
    const reading = other.resumeStream();
    await vi.waitFor(() => expect(other.status).toBe('streaming'));
    expect((await post(`${server.origin}/chat/user-7/stop`)).status).toBe(202);
    await reading;
    expect(other.lastMessage?.metadata).toMatchObject({ outcome: 'interrupted' });
    expect(other.status).toBe('ready');
    open();
    await chat.sendMessage({ text: 'Again?' });
    expect(words(chat.lastMessage)).toEqual(['text: Again.']);
    // What the agent says of the interrupt in the user's name is no prompt.
    const messages = await loaded(server.origin);
    expect(messages.map(words)).toEqual([
      ['text: What?'],
      ['text: First this, '],
      ['text: Again?'],
      ['text: Again.'],
    ]);
  });

  it('is told in our words that a turn has failed', async () => {
    const { host } = hosted(
      [toolUse(PAY, { amount: 1 }), text('No.')],
      shop(),
      {},
      { maxTurns: 1, allowedTools: [PAY] },
    );
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    await chat.sendMessage({ text: 'Pay 1.' });
    expect([chat.status, chat.error?.message]).toEqual([
      'error',
      'The agent has reached its limit of steps for one answer.',
    ]);
    expect(chat.lastMessage?.metadata).toMatchObject({ outcome: 'failed' });
    expect((await loaded(server.origin)).at(-1)?.metadata).toMatchObject({ outcome: 'failed' });
  });

  it('cannot have what was said undone', async () => {
    const { host } = hosted([text('One.')], shop());
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    await chat.sendMessage({ text: 'One?' });
    const [first] = chat.messages;
    await chat.regenerate();
    expect(chat.error?.message).toContain('Send a new message instead');
    await chat.sendMessage({ text: 'Two?', messageId: first?.id ?? '' });
    expect(chat.error?.message).toContain('cannot be changed');
    expect((await host.stats()).turns.answered).toBe(1);
  });

  it('cannot say something else while something is asked, and can answer it afterwards', async () => {
    const { server: shopServer, effects } = shop();
    const { host } = hosted([pay(5), text('Paid.')], { server: shopServer });
    await using _ = host;
    await using server = await served(host);
    const chat = chatOf(line, server.origin);
    await chat.sendMessage({ text: 'Pay 5.' });
    const id = asked(chat, 5);
    await chat.sendMessage({ text: 'Well?' });
    expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringContaining('Answer it')]);
    chat.messages = chat.messages.slice(0, 2);
    await chat.addToolApprovalResponse({ id, approved: true });
    await vi.waitFor(() => expect(words(chat.lastMessage)).toContain('text: Paid.'));
    expect(effects).toEqual(['paid 5']);
  });

  it('that waits behind a turn is let go when that asks something: it could not answer otherwise', async () => {
    const { opened, open } = gate();
    const model = held(
      scriptedModel([blocks([text(['Well, ', 'then ', '…']), pay(5)]), text('Paid.'), text('Later.')]),
      'then',
      opened,
    );
    const { host } = hosted([], shop(), { events: { batchMs: 1 } }, { runtime: embedded({ model }) });
    await using _ = host;
    await using server = await served(host);
    await host.send(REF, 'Pay 5.');
    await vi.waitFor(async () => expect((await host.session(REF))?.event).toBeGreaterThan(3));
    const chat = chatOf(line, server.origin, { messages: await loaded(server.origin) });
    const sending = chat.sendMessage({ text: 'And then?' });
    await vi.waitFor(async () => expect((await host.session(REF))?.inbox).toBe(2));
    open();
    await sending;
    expect([chat.status, words(chat.lastMessage)]).toEqual(['ready', ['data-queued']]);
    const again = chatOf(line, server.origin, { messages: await loaded(server.origin) });
    await again.addToolApprovalResponse({ id: asked(again, 5), approved: true });
    await isIdle(host);
    expect((await loaded(server.origin)).map(words).at(-1)).toEqual(['text: Later.']);
  });
});

describe('a chat page', () => {
  const message = (id: string, parts: unknown[], role = 'user') => ({ id, role, parts });
  const words = [{ type: 'text', text: 'Hi.' }];

  it('gets the stream of its message again if it sends the message again: one turn', async () => {
    const { host, model } = hosted([text('Hello.')], shop());
    await using _ = host;
    await using server = await served(host);
    const send = () => post(`${server.origin}/chat`, { id: 'user-7', messages: [message('m1', words)] });
    const first = await send();
    expect(first.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const isFinish = ({ type }: { type: string }) => type === 'finish';
    const chunks = await readUntil(first, isFinish);
    expect(await readUntil(await send(), isFinish)).toEqual(chunks);
    // Pages that keep only the newest message send it alone.
    const alone = await post(`${server.origin}/chat`, { id: 'user-7', message: message('m1', words) });
    expect(await readUntil(alone, isFinish)).toEqual(chunks);
    expect(model.requests).toHaveLength(1);
  });

  it('may send pictures, documents and texts', async () => {
    const { host, model } = hosted([text('Nice.')], shop());
    await using _ = host;
    await using server = await served(host);
    const url = (type: string, data: string) => `data:${type};base64,${Buffer.from(data).toString('base64')}`;
    const parts = [
      { type: 'file', mediaType: 'image/png', url: url('image/png', 'png') },
      { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' },
      { type: 'file', mediaType: 'application/pdf', url: url('application/pdf', 'pdf'), filename: 'a.pdf' },
      { type: 'file', mediaType: 'text/csv', url: url('text/csv', 'ü;1'), filename: 'a.csv' },
      { type: 'text', text: 'Look.' },
      { type: 'step-start' },
    ];
    const response = await post(`${server.origin}/chat`, { id: 'user-7', messages: [message('m1', parts)] });
    await readUntil(response, ({ type }) => type === 'finish');
    expect(model.requests[0]?.messages.at(-1)?.content).toMatchObject([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cG5n' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ü;1' }, title: 'a.csv' },
      { type: 'text', text: 'Look.' },
    ]);
    const messages = await loaded(server.origin);
    expect(await LINES[0]?.ai.safeValidateUIMessages({ messages })).toMatchObject({ success: true });
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(['file', 'file', 'file', 'file', 'text']);
  });

  it('is refused what makes no sense', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    await using server = await served(host);
    const file = (url: unknown, mediaType: unknown = 'image/png') => [{ type: 'file', mediaType, url }];
    const responded = { type: 'dynamic-tool', state: 'approval-responded' };
    const wrong: unknown[] = [
      {},
      { id: 7, messages: [message('m', words)] },
      { id: 's' },
      { id: 's', messages: [] },
      { id: 's', messages: [7] },
      { id: 's', messages: [message('m', [])] },
      { id: 's', messages: [message('m', words, 'system')] },
      { id: 's', messages: [message('m', words, 'assistant')] },
      {
        id: 's',
        messages: [message('m', [{ ...responded, approval: { id: '', approved: true } }], 'assistant')],
      },
      { id: 's', messages: [message('m'.repeat(300), words)] },
      { id: 's', messages: [message('m', file('file:///etc/passwd'))] },
      { id: 's', messages: [message('m', file('data:image/svg+xml;base64,AAAA', 'image/svg+xml'))] },
      { id: 's', messages: [message('m', file('https://example.com/a.zip', 'application/zip'))] },
      { id: 's', messages: [message('m', file(7))] },
      {
        id: 's',
        messages: [
          message(
            'm',
            Array.from({ length: 101 }, (_, index) => ({
              ...responded,
              approval: { id: `a${index}`, approved: true },
            })),
            'assistant',
          ),
        ],
      },
    ];
    for (const body of wrong) {
      const response = await post(`${server.origin}/chat`, body);
      expect(response.status, JSON.stringify(body).slice(0, 200)).toBe(400);
    }
    const gone = {
      id: 's',
      messages: [message('m', [{ ...responded, approval: { id: 'a', approved: true } }], 'assistant')],
    };
    expect((await post(`${server.origin}/chat`, gone)).status).toBe(409);
    expect(await host.sessions()).toEqual([]);
  });

  it('sees questions that it cannot approve as data, answers them apart, and reads on meanwhile', async () => {
    const options = ['Red', 'Blue'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which?', header: 'Colour', multiSelect: false, options }];
    const script = [toolUse('AskUserQuestion', { questions }), text('Red it is.')];
    const { host } = hosted(script, shop(), {}, { tools: ['AskUserQuestion'] });
    await using _ = host;
    await using server = await served(host);
    const response = await post(`${server.origin}/chat`, { id: 'user-7', messages: [message('m1', words)] });
    const told: Received['data'][] = [];
    for await (const { data } of eventsOf(response)) {
      told.push(data);
      if (data.type !== 'data-approval' || data.data.state !== 'pending') continue;
      const { approval } = data.data;
      expect(approval).toMatchObject({ kind: 'question', input: { questions } });
      // Put away in the meantime, with the page still reading.
      await isWaiting(host);
      const answer = { answers: { 'Which?': 'Red' } };
      expect((await post(`${server.origin}/approvals/${approval.id}`, answer)).status).toBe(200);
    }
    expect(told.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
    const states = told.filter(({ type }) => type === 'data-approval').map(({ data }) => data.state);
    expect(states).toEqual(['pending', 'answered']);
    expect(JSON.stringify(told)).toContain('Red it is.');
  });

  it('is told nothing twice when a turn was begun anew elsewhere (R62)', async () => {
    const storage = shared();
    const { server: shopServer } = shop({}, () => new Promise(() => {}));
    const open = (script: Script) =>
      hosted(script, { server: shopServer }, { storage, approvals: { holdMs: 20 } }, { allowedTools: [PAY] })
        .host;
    {
      const first = open([blocks([text('I will pay.'), pay(5)])]);
      await first.send(REF, 'Pay 5.');
      await until(first, REF, ({ type }) => type === 'assistant');
      await vi.waitFor(async () => expect(JSON.stringify(await first.messages(REF))).toContain('toolu_'));
      await first.close();
    }
    const second = open([hang()]);
    await using _ = second;
    await using server = await served(second);
    const response = await fetch(`${server.origin}/chat/user-7/stream`);
    const told = await readUntil(
      response,
      ({ type }) => type === 'tool-output-error' || type === 'tool-output-available',
    );
    const texts = told.filter(({ data }) => data.type === 'text-delta').map(({ data }) => data.delta);
    expect(texts).toEqual(['I will pay.']);
    const [, answer] = await loaded(server.origin);
    expect(answer?.parts.filter(({ type }) => type === 'text')).toHaveLength(1);
    expect(answer?.parts.filter(({ type }) => type === 'dynamic-tool')).toHaveLength(1);
  });

  it('that is stopped until somebody looks at it is told so, and goes on afterwards', async () => {
    let isBroken = true;
    const { server: shopServer } = shop();
    const { host } = hosted(
      [],
      { server: shopServer },
      {
        options: () => {
          if (isBroken) throw new OptionError('model', 'x', 'password "hunter2"');
          return { runtime: embedded({ model: scriptedModel([text('Hello.')]) }) };
        },
        onProblem: () => {},
      },
    );
    await using _ = host;
    await using server = await served(host);
    const response = await post(`${server.origin}/chat`, { id: 'user-7', messages: [message('m1', words)] });
    const told = await readUntil(response, ({ type }) => type === 'finish');
    expect(told.map(({ data }) => data.type)).toEqual([
      'start',
      'data-parked',
      'message-metadata',
      'error',
      'finish',
    ]);
    expect((await loaded(server.origin)).at(-1)?.parts.map(({ type }) => type)).toEqual(['data-parked']);
    const session = await (await fetch(`${server.origin}/sessions/user-7`)).text();
    const events = await readUntil(
      await fetch(`${server.origin}/sessions/user-7/events`),
      (data) => data.message.subtype === 'parked',
    );
    expect(JSON.stringify([told, session, events])).not.toContain('hunter2');
    isBroken = false;
    await host.unpark(REF);
    await isIdle(host);
    const parts = (await loaded(server.origin)).at(-1)?.parts.filter(({ type }) => type !== 'step-start');
    expect(parts).toEqual([{ type: 'text', text: 'Hello.', state: 'done' }]);
  });

  it('has the newest messages of a long conversation, and from the transcript what is no longer kept', async () => {
    const storage = shared();
    const { host } = hosted([text('One.'), text('Two.'), text('Three.')], shop(), { storage });
    await using _ = host;
    await using server = await served(host);
    for (const prompt of ['1?', '2?', '3?']) {
      await host.send(REF, prompt);
      await isIdle(host);
      await vi.waitFor(async () => expect((await host.session(REF))?.inbox).toBe(0));
    }
    const all = await loaded(server.origin);
    const texts = (messages: typeof all) =>
      messages.map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
    expect(texts(all)).toEqual(['1?', 'One.', '2?', 'Two.', '3?', 'Three.']);
    const newest = (await (
      await fetch(`${server.origin}/chat/user-7/messages?limit=2`)
    ).json()) as typeof all;
    expect(newest).toEqual(all.slice(-2));
    // The second turn loses its beginning, the first everything.
    const events = await until(
      host,
      REF,
      (event) => isDone(event) && 'prompt' in event && event.prompt === all[4]?.id,
    );
    const second =
      events.find(({ message: each }) => each.type === 'user' && each.uuid === all[2]?.id)?.id ?? 0;
    await storage.sweep({ events: { maxCount: events.length - second - 1 } });
    expect(texts(await loaded(server.origin))).toEqual(texts(all));
    await storage.sweep({ events: { maxCount: 1 } });
    expect(texts(await loaded(server.origin))).toEqual(texts(all));
  });
});
