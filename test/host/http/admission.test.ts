/** Who may ask for what over HTTP, and what the others are told (R67, R70). */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  type HandlerOptions,
  type HostProblem,
  memoryStorage,
  StorageError,
} from '../../../src/host/index.js';
import { OptionError, TenonError } from '../../../src/index.js';
import { hang, text, toolUse } from '../../../src/testing/index.js';
import { hosted, isDone, shop, until } from '../support/host.js';
import { post, served } from './support/served.js';

const SECRET = 'hunter2';

interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
}

/** Checks the form of a problem, and that it says nothing that it should not. */
async function problemIn(response: Response): Promise<ProblemBody> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const body = await response.text();
  expect(body).not.toContain(SECRET);
  const problem = JSON.parse(body) as ProblemBody;
  expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'detail']);
  expect(problem.status).toBe(response.status);
  expect(problem.detail.length).toBeGreaterThan(10);
  return problem;
}

describe('authorize', () => {
  it('is required', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    expect(() => host.handler({} as HandlerOptions)).toThrow(OptionError);
    expect(() => host.handler(undefined as unknown as HandlerOptions)).toThrow(/`authorize`.*missing/);
  });

  it.each([
    ['basePath', 'agent'],
    ['origins', ['*']],
    ['origins', ['https://example.com/']],
    ['maxBodyBytes', 0],
    ['slowReaderMs', 0],
  ])('is not all: %s cannot be %j', async (option, value) => {
    const { host } = hosted([], shop());
    await using _ = host;
    const options = { authorize: () => null, [option]: value } as unknown as HandlerOptions;
    expect(() => host.handler(options)).toThrow(option);
  });

  it('comes before anything is read, and is told what is wanted', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    const authorize = vi.fn<HandlerOptions['authorize']>(() => null);
    await using server = await served(host, { authorize });
    const { origin } = server;
    const wanted = async (method: string, path: string) => {
      authorize.mockClear();
      // Neither JSON nor of the right type: nobody looks at it.
      const response = await fetch(`${origin}${path}`, {
        method,
        ...(method === 'POST' ? { body: '{' } : {}),
      });
      await problemIn(response);
      expect(response.status).toBe(401);
      return authorize.mock.calls.map(([, each]) => each);
    };
    expect(await wanted('POST', '/sessions/s/messages')).toEqual([{ action: 'send', session: 's' }]);
    expect(await wanted('GET', '/sessions/s/events')).toEqual([{ action: 'read', session: 's' }]);
    expect(await wanted('GET', '/sessions/s')).toEqual([{ action: 'read', session: 's' }]);
    expect(await wanted('GET', '/sessions')).toEqual([{ action: 'read' }]);
    expect(await wanted('POST', '/sessions/s/interrupt')).toEqual([{ action: 'interrupt', session: 's' }]);
    expect(await wanted('GET', '/approvals')).toEqual([{ action: 'approvals' }]);
    expect(await wanted('POST', '/approvals/a')).toEqual([{ action: 'answer' }]);
    expect(await wanted('POST', '/chat')).toEqual([{ action: 'send' }]);
    expect(await wanted('GET', '/chat/s/stream')).toEqual([{ action: 'read', session: 's' }]);
    expect(await wanted('GET', '/chat/s/messages')).toEqual([{ action: 'read', session: 's' }]);
    expect(await wanted('POST', '/chat/s/stop')).toEqual([{ action: 'interrupt', session: 's' }]);
  });

  it('is asked again by a chat page’s message, which names its conversation in the body', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    const authorize = vi.fn<HandlerOptions['authorize']>((_, { session }) =>
      session === undefined ? { tenant: 'acme' } : null,
    );
    await using server = await served(host, { authorize });
    const parts = [{ type: 'text', text: 'Hi.' }];
    const message = await post(`${server.origin}/chat`, {
      id: 'theirs',
      messages: [{ id: 'm', role: 'user', parts }],
    });
    expect(message.status).toBe(401);
    const approved = {
      type: 'dynamic-tool',
      state: 'approval-responded',
      approval: { id: 'a', approved: true },
    };
    const answer = { id: 'theirs', messages: [{ id: 'm', role: 'assistant', parts: [approved] }] };
    expect((await post(`${server.origin}/chat`, answer)).status).toBe(401);
    expect(authorize.mock.calls.map(([, each]) => each)).toEqual([
      { action: 'send' },
      { action: 'send', session: 'theirs' },
      { action: 'send' },
      { action: 'answer', session: 'theirs' },
    ]);
    expect(await host.sessions()).toEqual([]);
  });

  it('that throws, or returns nonsense, is an error of the program: 500 without a word of it, and a report', async () => {
    const problems: HostProblem[] = [];
    const { host } = hosted([], shop(), { onProblem: (problem) => problems.push(problem) });
    await using _ = host;
    const error = new Error(`cannot connect to postgres://root:${SECRET}@db`);
    const answers = [
      () => Promise.reject(error),
      () => ({ tenant: `\u0000${SECRET}` }),
      () => ({}) as { tenant: string },
      () => ({ tenant: 'acme', session: '' }),
    ];
    for (const authorize of answers) {
      await using server = await served(host, { authorize });
      const response = await fetch(`${server.origin}/sessions`);
      expect((await problemIn(response)).status).toBe(500);
    }
    expect(problems.map(({ error: each }) => each)).toEqual([
      error,
      ...Array(3).fill(expect.any(OptionError)),
    ]);
    expect(problems[0]?.during).toContain('HTTP');
  });

  it('may let somebody have one conversation: the others are not there', async () => {
    const { host } = hosted([toolUse('mcp__shop__pay', { amount: 5 }), text('Hi.')], shop());
    await using _ = host;
    await host.send({ tenant: 'acme', session: 'theirs' }, 'Pay 5.');
    await vi.waitFor(async () => expect(await host.pendingApprovals()).toHaveLength(1));
    const [approval] = await host.pendingApprovals();
    await using server = await served(host, { authorize: () => ({ tenant: 'acme', session: 'mine' }) });
    const { origin } = server;
    const get = async (path: string) => (await fetch(`${origin}${path}`)).status;
    expect(await get('/sessions/theirs')).toBe(404);
    expect(await get('/sessions/theirs/events')).toBe(404);
    expect(await get('/approvals?session=theirs')).toBe(404);
    expect(await get('/chat/theirs/messages')).toBe(404);
    expect(await get('/chat/theirs/stream')).toBe(404);
    const send = async (path: string, body: unknown) => (await post(`${origin}${path}`, body)).status;
    expect(await send('/sessions/theirs/messages', { prompt: 'Hi.' })).toBe(404);
    expect(await send('/sessions/theirs/interrupt', {})).toBe(404);
    expect(await send('/chat/theirs/stop', {})).toBe(404);
    expect(await send(`/approvals/${approval?.id}`, { behavior: 'allow' })).toBe(404);
    const parts = [{ type: 'text', text: 'Hi.' }];
    expect(await send('/chat', { id: 'theirs', messages: [{ id: 'm', role: 'user', parts }] })).toBe(404);
    const list = async (path: string) => (await fetch(`${origin}${path}`)).json();
    expect(await list('/sessions')).toEqual({ sessions: [] });
    expect(await list('/approvals')).toEqual({ approvals: [] });
    expect(await send('/sessions/mine/messages', { prompt: 'Hi.' })).toBe(202);
    await until(host, { tenant: 'acme', session: 'mine' }, isDone);
    expect(await list('/sessions')).toMatchObject({ sessions: [{ session: 'mine' }] });
    expect(await list('/sessions?state=parked')).toEqual({ sessions: [] });
    expect(await get('/sessions/mine')).toBe(200);
  });
});

describe('pages of other origins', () => {
  const change = { prompt: 'Hi.' };

  it('may change nothing, unless they are listed', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    const authorize = vi.fn<HandlerOptions['authorize']>(() => ({ tenant: 'acme' }));
    await using server = await served(host, { authorize, origins: ['https://chat.example.com'] });
    const url = `${server.origin}/sessions/s/messages`;
    const from = (origin: string, more: Record<string, string> = {}) =>
      post(url, change, { origin, ...more });
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      'https://chat.example.com.evil.example',
    ]) {
      const response = await from(origin, { 'sec-fetch-site': 'cross-site' });
      expect((await problemIn(response)).status, origin).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect(authorize).not.toHaveBeenCalled();
    const listed = await from('https://chat.example.com');
    expect(listed.status).toBe(202);
    expect(listed.headers.get('access-control-allow-origin')).toBe('https://chat.example.com');
    expect(listed.headers.get('vary')).toBe('Origin');
    // The same page, directly and behind a proxy that speaks TLS or has another name.
    expect((await from(server.origin)).status).toBe(202);
    expect((await from(server.origin.replace('http:', 'https:'))).status).toBe(202);
    expect((await from('https://app.example.com', { 'sec-fetch-site': 'same-origin' })).status).toBe(202);
    // A program, which has no origin.
    expect((await post(url, change)).status).toBe(202);
  });

  it('are told in advance if they are listed, whatever their headers', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    const authorize = vi.fn<HandlerOptions['authorize']>(() => null);
    await using server = await served(host, { authorize, origins: ['https://chat.example.com'] });
    const ask = (origin: string) =>
      fetch(`${server.origin}/chat`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-mine',
        },
      });
    const listed = await ask('https://chat.example.com');
    expect(listed.status).toBe(204);
    expect(Object.fromEntries(listed.headers)).toMatchObject({
      'access-control-allow-origin': 'https://chat.example.com',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type,x-mine',
      'access-control-max-age': '600',
    });
    const other = await ask('https://evil.example');
    expect((await problemIn(other)).status).toBe(403);
    expect(other.headers.get('access-control-allow-methods')).toBeNull();
    expect(authorize).not.toHaveBeenCalled();
  });
});

describe('requests', () => {
  it('for what is not there are 404, and with the wrong method 405', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    await using server = await served(host, { basePath: '/agent' });
    for (const path of [
      '/',
      '/agent',
      '/agent/',
      '/agent/x',
      '/agents/sessions',
      '/agent/sessions/a/b',
      '/agent/approvals/a/b',
    ]) {
      const response = await fetch(`${server.origin}${path}`);
      expect((await problemIn(response)).status, path).toBe(404);
    }
    const response = await fetch(`${server.origin}/agent/sessions/s/events`, { method: 'DELETE' });
    expect((await problemIn(response)).status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, OPTIONS');
    expect((await fetch(`${server.origin}/agent/chat`)).headers.get('allow')).toBe('POST, OPTIONS');
  });

  it('must be JSON, of a bounded size, and an object', async () => {
    const { host } = hosted([text('Hi.')], shop());
    await using _ = host;
    await using server = await served(host, { maxBodyBytes: 100 });
    const url = `${server.origin}/sessions/user-7/messages`;
    const status = async (response: Response) => (await problemIn(response)).status;
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'text/plain; application/json',
    ]) {
      expect(await status(await post(url, '{"prompt":"Hi."}', { 'content-type': type })), type).toBe(415);
    }
    expect(await status(await fetch(url, { method: 'POST' }))).toBe(415);
    for (const body of ['{', '[]', '"x"', 'null', '7'])
      expect(await status(await post(url, body)), body).toBe(400);
    const invalid = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(await status(invalid)).toBe(400);
    expect(await status(await post(url, { prompt: 'x'.repeat(100) }))).toBe(413);
    expect(
      (await post(url, { prompt: 'Hi.' }, { 'content-type': 'application/json; charset=utf-8' })).status,
    ).toBe(202);
  });

  it('that say nothing of their length are read no further than the limit', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    await using server = await served(host, { maxBodyBytes: 1000 });
    let sent = 0;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${server.origin}/sessions/user-7/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      const more = (): void => {
        sent += 10;
        if (!request.destroyed) request.write('"aaaaaaaa"', () => setImmediate(more));
      };
      request.on('error', reject);
      request.on('response', (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      more();
    });
    expect(status).toBe(413);
    // It was answered while it was still being sent.
    expect(sent).toBeGreaterThan(1000);
  });

  it('whose path names another host stay here', async () => {
    const { host } = hosted([], shop());
    await using _ = host;
    await using server = await served(host);
    const ask = (line: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(server.port, '127.0.0.1', () => {
          socket.write(`${line} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`);
        });
        let answer = '';
        socket.on('data', (part) => {
          answer += part;
        });
        socket.on('error', reject).on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
      });
    expect(await ask('GET //evil.example/sessions')).toBe('HTTP/1.1 404 Not Found');
    expect(await ask('GET /sessions')).toBe('HTTP/1.1 200 OK');
    expect(await ask('OPTIONS *')).toBe('HTTP/1.1 400 Bad Request');
  });
});

describe('what does not work', () => {
  it('because too much waits is 429, with the time to wait in whole seconds', async () => {
    const { host } = hosted([hang()], shop(), { limits: { queuedPerSession: 1 } });
    await using _ = host;
    await using server = await served(host);
    const url = `${server.origin}/sessions/user-7/messages`;
    expect((await post(url, { prompt: 'One.' })).status).toBe(202);
    const refused = await post(url, { prompt: 'Two.' });
    expect((await problemIn(refused)).status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('because too many read is 429 before the stream begins', async () => {
    const { host } = hosted([], shop(), { limits: { readers: 1 } });
    await using _ = host;
    await using server = await served(host);
    const url = `${server.origin}/sessions/user-7/events`;
    const first = await fetch(url);
    expect(first.status).toBe(200);
    const second = await fetch(url);
    expect((await problemIn(second)).status).toBe(429);
    expect(second.headers.get('retry-after')).not.toBeNull();
    await first.body?.cancel();
    await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200));
  });

  it('because the host is closed is 503, to be tried again', async () => {
    const { host } = hosted([], shop());
    await using server = await served(host);
    await host.close();
    for (const response of [
      await post(`${server.origin}/sessions/s/messages`, { prompt: 'Hi.' }),
      await post(`${server.origin}/sessions/s/interrupt`),
      await fetch(`${server.origin}/sessions/s`),
      await fetch(`${server.origin}/sessions/s/events`),
      await fetch(`${server.origin}/chat/s/messages`),
    ]) {
      expect((await problemIn(response)).status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    }
  });

  it('because the storage is away, or for any other reason, is told without a word of its error, and reported', async () => {
    const problems: HostProblem[] = [];
    const errors: Error[] = [];
    const memory = memoryStorage();
    const failing = <Value>(): Promise<Value> => Promise.reject(errors.at(-1));
    const storage = {
      ...memory,
      sessions: { ...memory.sessions, get: failing, list: failing },
    } as typeof memory;
    const { host } = hosted([], shop(), { storage, onProblem: (problem) => problems.push(problem) });
    await using _ = host;
    await using server = await served(host);
    const statusWith = async (error: Error) => {
      errors.push(error);
      const response = await fetch(`${server.origin}/sessions/s/events`);
      const { status } = await problemIn(response);
      expect((await problemIn(await fetch(`${server.origin}/sessions`))).status).toBe(status);
      expect(problems.splice(0).map((problem) => problem.error)).toEqual([error, error]);
      return status;
    };
    const text = `connect ECONNREFUSED postgres://root:${SECRET}@db`;
    expect(await statusWith(new StorageError(text, { isTransient: true }))).toBe(503);
    expect(await statusWith(new TenonError('WAKE_FAILED', text))).toBe(500);
    expect(await statusWith(new TypeError(text))).toBe(500);
  });
});
