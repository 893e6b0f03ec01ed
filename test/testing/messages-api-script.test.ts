import { describe, expect, it } from 'vitest';
import {
  delay,
  hang,
  ScriptError,
  type ScriptedMessagesApi,
  scriptedMessagesApi,
  text,
  toolUse,
  UnconsumedStepsError,
  UnexpectedRequestError,
} from '../../src/testing/index.js';
import { ask, askAsCli, user } from '../support/messages-client.js';

describe('scripts', () => {
  it('gives a function the request with its helpers', async () => {
    await using api = await scriptedMessagesApi(async (request, index) =>
      request.toolResults.length > 0 ? text('Done') : toolUse('add', { index, said: request.lastUserText }),
    );
    const opening = user([
      { type: 'text', text: '<system-reminder>\nbe kind\n</system-reminder>' },
      { type: 'text', text: 'What is 1 + 2?' },
    ]);
    const first = await ask(api, { messages: [opening, { role: 'system', content: 'late rule' }] });
    expect(await first.json()).toMatchObject({ content: [{ input: { index: 0, said: 'What is 1 + 2?' } }] });
    const result = { type: 'tool_result', tool_use_id: 'toolu_0001', content: '3' };
    const messages = [
      opening,
      { role: 'assistant', content: [] },
      user([result, { type: 'text', text: 'Tool loaded.' }]),
    ];
    const tools = [{ name: 'add' }, { name: 'sub' }];
    const second = await ask(api, { messages, tools, system: [{ type: 'text', text: 'You add.' }] });
    expect(await second.json()).toMatchObject({ content: [{ text: 'Done' }] });
    expect(api.requests[0]).toMatchObject({ index: 0, system: 'late rule', toolNames: [], toolResults: [] });
    expect(api.requests[1]).toMatchObject({
      index: 1,
      lastUserText: 'What is 1 + 2?',
      system: 'You add.',
      toolNames: ['add', 'sub'],
      toolResults: [result],
    });
    api.assertDone();
  });

  it('records requests that cannot be changed afterwards', async () => {
    await using api = await scriptedMessagesApi([text('Hello')]);
    await ask(api, { metadata: { nested: [1] } }, { headers: { 'x-api-key': 'test', accept: 'text/html' } });
    const request = api.requests[0]!;
    expect(request.headers).toMatchObject({ 'x-api-key': 'test' });
    expect(request.headers).not.toHaveProperty('accept');
    expect(Object.isFrozen(request) && Object.isFrozen(request.body.messages[0])).toBe(true);
    expect(Object.isFrozen((request.body.metadata as { nested: number[] }).nested)).toBe(true);
  });

  it('refuses a request beyond the script with a 400 that names it', async () => {
    await using api = await scriptedMessagesApi([text('Hello')]);
    await ask(api);
    const response = await ask(api, { messages: [user('and now?')] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        message:
          'scripted API: no step left for request 2 (last user text "and now?"; the script has 1 step)',
      },
    });
    expect(() => api.assertDone()).toThrow(UnexpectedRequestError);
    expect(() => api.assertDone()).toThrow(
      'scripted API: no step left for request 2 (last user text "and now?"; the script has 1 step)',
    );
  });

  it('names the steps that nobody asked for', async () => {
    await using api = await scriptedMessagesApi([text('Hello'), toolUse('add'), delay(5, hang())]);
    await ask(api);
    expect(() => api.assertDone()).toThrow(UnconsumedStepsError);
    expect(() => api.assertDone()).toThrow(
      '2 steps of the script were never used: #2 call of add; #3 delay 5 ms, then hang',
    );
  });

  it('turns a script that throws or returns nothing into a 400 and a finding', async () => {
    await using api = await scriptedMessagesApi((_, index) => {
      if (index === 0) throw new RangeError('my mistake');
      return undefined as never;
    });
    expect(await (await ask(api)).json()).toMatchObject({
      error: { message: expect.stringContaining('my mistake') },
    });
    expect(await (await ask(api)).json()).toMatchObject({
      error: { message: expect.stringContaining("return a step such as text('…')") },
    });
    expect(() => api.assertDone()).toThrow(ScriptError);
    expect(() => api.assertDone()).toThrow('threw: my mistake');
  });

  it('waits for a request by index or by predicate, and says so when it does not come', async () => {
    await using api = await scriptedMessagesApi([text('one'), text('two')]);
    const byPredicate = api.waitForRequest((request) => request.lastUserText === 'second');
    const byIndex = api.waitForRequest(1);
    await ask(api);
    await ask(api, { messages: [user('second')] });
    expect(await byPredicate).toBe(api.requests[1]);
    expect(await byIndex).toBe(api.requests[1]);
    expect(await api.waitForRequest(0)).toBe(api.requests[0]);
    await expect(api.waitForRequest(2, { timeout: 20 })).rejects.toThrow(
      'scripted API: request 3 did not arrive (waited 20 ms; 2 arrived)',
    );
    const forever = api.waitForRequest(2);
    await Promise.all([expect(forever).rejects.toThrow('the API was closed'), api.close()]);
    await expect(api.waitForRequest(2)).rejects.toThrow('the API is closed');
  });
});

describe('other requests', () => {
  const title = { tools: [], output_config: { format: { type: 'json_schema' } } };
  it.each([
    ['a check of a model', { max_tokens: 1 }],
    ['a question to a small model', { model: 'claude-haiku-4-5', tools: [] }],
    ['a warm-up of a subagent', { tools: [], messages: [user('Warmup')] }],
    ['a session title', title],
  ])('answers %s of the CLI without taking a step', async (_, body) => {
    await using api = await scriptedMessagesApi([text('Hello')]);
    expect(await (await askAsCli(api, body)).json()).toMatchObject({
      id: 'msg_side_0001',
      content: [{ text: 'ok' }],
    });
    expect(await (await askAsCli(api, {})).json()).toMatchObject({
      id: 'msg_0001',
      content: [{ text: 'Hello' }],
    });
    expect([api.requests.length, api.sideRequests.length]).toEqual([1, 1]);
    api.assertDone();
  });

  it.each([
    ['with tools', { model: 'claude-haiku-4-5', max_tokens: 100, tools: [{ name: 'Read' }] }],
    ['without tools', { tools: [] }],
    ['without tools on a small model that thinks', { model: 'claude-haiku-5-5', tools: [], thinking: {} }],
  ])('takes a request of the CLI %s for one of the conversation', async (_, body) => {
    await using api = await scriptedMessagesApi([text('Hello')]);
    await askAsCli(api, body);
    expect(api.requests).toHaveLength(1);
  });

  it('lets the test decide what is a side request and what it gets', async () => {
    await using api = await scriptedMessagesApi([text('Hello')], {
      isSideRequest: (request) => request.lastUserText.startsWith('aside'),
      sideAnswer: (request) => text(`re: ${request.lastUserText}`),
    });
    const aside = await ask(api, { messages: [user('aside, please')] });
    expect(await aside.json()).toMatchObject({ content: [{ text: 're: aside, please' }] });
    expect(await (await askAsCli(api, title)).json()).toMatchObject({ content: [{ text: 'Hello' }] });
  });

  it('counts a token for each four characters, or as the test says', async () => {
    const body = JSON.stringify({ system: 'abc', messages: [user('x'.repeat(38))] });
    const count = (api: ScriptedMessagesApi) =>
      fetch(`${api.url}/v1/messages/count_tokens?beta=true`, { method: 'POST', body }).then((response) =>
        response.json(),
      );
    await using plain = await scriptedMessagesApi([]);
    expect(await count(plain)).toEqual({ input_tokens: 11 });
    await using own = await scriptedMessagesApi([], {
      countTokens: (request) => request.body.messages.length,
    });
    expect(await count(own)).toEqual({ input_tokens: 1 });
    expect(own.otherRequests).toMatchObject([{ path: '/v1/messages/count_tokens?beta=true', status: 200 }]);
    own.assertDone();
  });

  it('answers 404 to unknown paths, 200 to HEAD, 400 to a bad body, and records them', async () => {
    await using api = await scriptedMessagesApi([]);
    const unknown = await fetch(`${api.url}/v1/models`);
    expect(await unknown.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    await fetch(`${api.url}/`, { method: 'HEAD' });
    await ask(api, {}, { body: 'no json' });
    await ask(api, { messages: undefined });
    expect(api.otherRequests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      'GET /v1/models 404',
      'HEAD / 200',
      'POST /v1/messages?beta=true 400',
      'POST /v1/messages?beta=true 400',
    ]);
    api.assertDone();
  });
});
