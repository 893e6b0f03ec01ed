/**
 * The nine security rules of the inspector: what listens on this machine is for one page and one agent, and for nobody
 * else (R57). What a foreign page can do is tried in a real Chromium.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { listenOn } from '../../src/inspector/http/listen.js';
import { ROUTES } from '../../src/inspector/http/routes.js';
import { isToken, newToken } from '../../src/inspector/http/token.js';
import { type Inspector, startInspector } from '../../src/inspector/inspector.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { describeInChromium, launchChromium } from './support/chromium.js';
import { addressOf, FeedReader, frameLine, headLine, pageHeaders } from './support/feed-reader.js';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types lit-html";

const SHELL = ['/', '/page.js', '/page.css'];
const PAGE_ROUTES = ['/api/feed', '/api/tape', '/api/answer', '/api/call', '/api/prompt', '/api/interrupt'];
const AGENT_ROUTES = ['/v1/traces', '/v1/logs', '/v1/metrics'];
const EVERYTHING = [...SHELL, ...PAGE_ROUTES, ...AGENT_ROUTES];

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Unlike `fetch`, it sends whatever it is told to. The feed, which stays open, is read no further than its head. */
function ask(
  origin: string,
  path: string,
  headers: Record<string, string>,
  method?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const verb = method ?? ROUTES.get(path)?.method ?? 'GET';
    const asked = request(origin + path, { method: verb, headers, agent: false }, (response) => {
      let text = '';
      const done = (): void => {
        asked.destroy();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      };
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (path === '/api/feed' && response.statusCode === 200) done();
      });
      response.on('end', done);
    });
    asked.on('error', reject);
    asked.end(verb === 'POST' ? '{}' : undefined);
  });
}

/** What our page, or an agent, sends with a request to the route. */
function rightHeaders(inspector: Inspector, path: string): Record<string, string> {
  if (SHELL.includes(path)) return {};
  const json = { 'content-type': 'application/json' };
  if (AGENT_ROUTES.includes(path)) return { 'x-tenon-token': inspector.otlp.token, ...json };
  return { ...pageHeaders(addressOf(inspector.url)), ...json };
}

const open = (): Promise<Inspector> =>
  startInspector({ title: 'shop.mjs', source: 'program', control: { answer: () => true } });

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('rule 1: it can be reached from this machine only', () => {
  it('by the address 127.0.0.1, at a port that nobody chose', async () => {
    await using inspector = await open();
    const { hostname, port } = new URL(inspector.url);
    expect(hostname).toBe('127.0.0.1');
    expect(Number(port)).toBeGreaterThan(1023);
    // Another address of this machine: whoever listens on all of them answers there, too.
    const socket = connect(Number(port), '127.0.0.2');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it.each(['0.0.0.0', '::', '192.168.1.7', 'localhost', 'example.com', ''])(
    'the host "%s" is refused, and the remedy named',
    async (host) => {
      const started = startInspector({ title: 'x', source: 'tape', host });
      await expect(started).rejects.toMatchObject({ code: 'INVALID_OPTION', option: 'host', value: host });
    },
  );

  it('another address is served only if that was said', async () => {
    await using inspector = await startInspector({
      title: 'x',
      source: 'tape',
      host: '127.0.0.2',
      allowRemote: true,
    });
    await using page = await FeedReader.open(inspector.url);
    await page.caughtUp();
    expect(new URL(inspector.url).hostname).toBe('127.0.0.2');
    const named = startInspector({ title: 'x', source: 'tape', host: 'localhost', allowRemote: true });
    await expect(named).rejects.toThrow(/is a name/);
  });
});

it('rule 2: a foreign Host is refused on every route, with the right token, too (inspector check 8)', async () => {
  await using inspector = await open();
  const { origin } = addressOf(inspector.url);
  const { port } = new URL(origin);
  for (const path of EVERYTHING) {
    const right = rightHeaders(inspector, path);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${Number(port) + 1}`,
    ]) {
      const { status, text } = await ask(origin, path, { ...right, host, origin: `http://${host}` });
      expect([path, host, status, text]).toEqual([path, host, 403, expect.stringContaining('host name')]);
    }
    const named = await ask(origin, path, {
      ...right,
      host: `localhost:${port}`,
      ...(right.origin === undefined ? {} : { origin: `http://localhost:${port}` }),
    });
    expect([path, named.status]).not.toEqual([path, 403]);
  }
});

describe('rule 3: only our page', () => {
  it('a foreign Origin, no Origin, or another site are refused on everything but the shell (inspector check 8)', async () => {
    await using inspector = await open();
    const { origin } = addressOf(inspector.url);
    const { port } = new URL(origin);
    const other = `http://127.0.0.1:${Number(port) + 1}`;
    for (const path of PAGE_ROUTES) {
      const { origin: ours, ...rest } = rightHeaders(inspector, path);
      const wrong: Record<string, string>[] = [
        { ...rest, origin: 'https://evil.example' },
        { ...rest, origin: 'null' },
        { ...rest, origin: other },
        { ...rest, origin: `http://localhost:${port}` },
        { ...rest, origin: origin.replace('http:', 'https:') },
        rest,
        ...['cross-site', 'same-site', 'none'].flatMap((site) => [
          { ...rest, 'sec-fetch-site': site },
          { ...rest, origin, 'sec-fetch-site': site },
        ]),
      ];
      for (const headers of wrong) {
        const { status } = await ask(origin, path, headers);
        expect([path, headers, status]).toEqual([path, headers, 403]);
      }
      expect((await ask(origin, path, { ...rest, origin: ours ?? '' })).status).not.toBe(403);
    }
    // Browsers send no Origin with what they get from the same one.
    const { origin: _, ...rest } = rightHeaders(inspector, '/api/feed');
    expect((await ask(origin, '/api/feed', { ...rest, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('a page may not report spans, whatever it knows', async () => {
    await using inspector = await open();
    const { origin } = addressOf(inspector.url);
    for (const path of AGENT_ROUTES) {
      const right = rightHeaders(inspector, path);
      expect((await ask(origin, path, { ...right, origin })).status).toBe(403);
      expect((await ask(origin, path, { ...right, 'sec-fetch-site': 'same-origin' })).status).toBe(403);
      expect((await ask(origin, path, right)).status).toBe(200);
    }
  });

  it('no answer has a CORS header, not even to a preflight', async () => {
    await using inspector = await open();
    const { origin } = addressOf(inspector.url);
    for (const path of EVERYTHING) {
      const right = rightHeaders(inspector, path);
      const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const answers = [await ask(origin, path, right), await ask(origin, path, preflight, 'OPTIONS')];
      for (const { headers } of answers) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
      expect(answers[1]?.status).not.toBe(200);
    }
  });
});

describe('rule 4: a token of 256 bits', () => {
  it('is new each time, stands in the fragment, and is needed on everything but the shell (inspector check 8)', async () => {
    await using inspector = await open();
    await using another = await open();
    const { origin, token } = addressOf(inspector.url);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(
      new Set([token, addressOf(another.url).token, inspector.otlp.token, another.otlp.token]).size,
    ).toBe(4);
    expect(new URL(inspector.url).search).toBe('');
    for (const path of [...PAGE_ROUTES, ...AGENT_ROUTES, '/no/such/route']) {
      const { authorization: _, 'x-tenon-token': __, ...rest } = rightHeaders(inspector, path);
      const wrong: Record<string, string>[] = [
        rest,
        { ...rest, authorization: 'Bearer ' },
        { ...rest, authorization: `Bearer ${newToken()}` },
        { ...rest, authorization: `Bearer ${token.slice(0, -1)}` },
        { ...rest, authorization: token },
        { ...rest, cookie: `token=${token}` },
        // Each has its own.
        AGENT_ROUTES.includes(path)
          ? { ...rest, 'x-tenon-token': token }
          : { ...rest, authorization: `Bearer ${inspector.otlp.token}` },
      ];
      for (const headers of wrong) {
        const { status } = await ask(origin, path, headers);
        expect([path, headers, status]).toEqual([path, headers, 403]);
      }
      expect((await ask(origin, `${path}?token=${token}`, rest)).status).toBe(403);
    }
  });

  it('is compared whole', () => {
    const token = newToken();
    expect(isToken(token, token)).toBe(true);
    for (const wrong of [undefined, '', token.slice(1), `${token}a`, newToken()]) {
      expect(isToken(wrong, token)).toBe(false);
    }
  });

  it('is in no answer, and in nothing that is printed', async () => {
    const printed = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
    await using inspector = await open();
    const { origin, token } = addressOf(inspector.url);
    for (const path of [...EVERYTHING, '/no/such/route']) {
      const right = rightHeaders(inspector, path);
      for (const headers of [right, { ...right, host: 'evil.example' }, { ...right, origin: 'null' }]) {
        const answer = await ask(origin, path, headers);
        expect(JSON.stringify(answer)).not.toContain(token);
        expect(JSON.stringify(answer)).not.toContain(inspector.otlp.token);
      }
    }
    const said = JSON.stringify(printed.flatMap((spy) => spy.mock.calls.map(([text]) => String(text))));
    expect(said).not.toContain(token);
    for (const spy of printed) spy.mockRestore();
  });
});

it('rule 5: there are these routes and no others; none takes a path, and none starts anything', async () => {
  expect([...ROUTES.keys()].sort()).toEqual([...EVERYTHING].sort());
  await using inspector = await open();
  const address = addressOf(inspector.url);
  const paths = [
    '/../package.json',
    '/%2e%2e/package.json',
    '/page.js/../../package.json',
    '/page.js/',
    '//etc/passwd',
  ];
  for (const path of [
    ...paths,
    '/index.html',
    '/api',
    '/api/feed/',
    '/api/start',
    '/api/connect?command=id',
  ]) {
    const { status, text } = await ask(address.origin, path, pageHeaders(address));
    expect([path, status]).toEqual([path, 404]);
    expect(text).toBe('{"error":"There is nothing here."}');
  }
  // A route that takes something else than it is asked with.
  expect((await ask(address.origin, '/api/answer', pageHeaders(address), 'GET')).status).toBe(405);
  expect((await ask(address.origin, '/api/feed', pageHeaders(address), 'POST')).status).toBe(405);
  expect((await ask(address.origin, '/', {}, 'POST')).status).toBe(405);
});

it('rule 6: every answer, also a refusal, has the policy and the other headers, exactly', async () => {
  await using inspector = await open();
  const { origin } = addressOf(inspector.url);
  for (const path of [...EVERYTHING, '/no/such/route']) {
    for (const headers of [rightHeaders(inspector, path), { host: 'evil.example' }]) {
      const answer = await ask(origin, path, headers);
      expect([path, answer.headers]).toEqual([
        path,
        expect.objectContaining({
          'content-security-policy': CSP,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
        }),
      ]);
    }
  }
});

it('rule 7: who may only look cannot answer, call, prompt or interrupt (inspector check 6)', async () => {
  await using inspector = await startInspector({ title: 'x', source: 'program' });
  const { origin } = addressOf(inspector.url);
  inspector.question({ id: 'q', tool: 'Bash', input: {} });
  for (const path of ['/api/answer', '/api/call', '/api/prompt', '/api/interrupt']) {
    const { status, text } = await ask(origin, path, rightHeaders(inspector, path));
    expect([path, status, text]).toEqual([path, 403, expect.stringContaining('--inspect=control')]);
  }
});

it('rule 8: requests are bounded in size, in time and in number', async () => {
  const { server, port } = await listenOn('127.0.0.1', 0, (_, response) => response.end());
  expect([server.requestTimeout, server.headersTimeout]).toEqual([
    LIMITS.inspectorRequestMs,
    LIMITS.inspectorRequestMs,
  ]);
  expect(server.maxConnections).toBe(LIMITS.maxInspectorConnections);
  const long = await ask(`http://127.0.0.1:${port}`, '/', { 'x-long': 'x'.repeat(20_000) });
  expect(long.status).toBe(431);
  server.close();
});

describe('rule 9: not where customers are', () => {
  it('is refused with NODE_ENV=production, unless forced', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    await expect(startInspector({ title: 'x', source: 'program' })).rejects.toThrow(/production.*--force/s);
    await using inspector = await startInspector({ title: 'x', source: 'program', force: true });
    expect(inspector.url).toContain('127.0.0.1');
  });
});

it('secrets of this process are in no response, whoever reported them (inspector check 11)', async () => {
  const secret = 'planted-7f3c9a1d';
  vi.stubEnv('SHOP_API_KEY', secret);
  await using inspector = await startInspector({
    title: 'x',
    source: 'program',
    control: {
      answer: () => true,
      call: async ({ tool }) => {
        if (tool === 'bad') throw new Error(`refused: ${secret}`);
        return { content: [{ type: 'text', text: `the key is ${secret}` }] };
      },
    },
  });
  const { origin } = addressOf(inspector.url);
  await using page = await FeedReader.open(inspector.url);
  inspector.addRun('one').push(headLine() + frameLine(1, { session_id: 's-1' }));
  inspector.question({ id: 'q', tool: 'Bash', input: { command: `curl -H ${secret}` } });
  const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = {
    name: secret,
    traceId: 'a',
    spanId: 'b',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
    attributes: [
      attribute('session.id', 's-1'),
      attribute('input', secret),
      attribute('other', `sk-ant-${'x1'.repeat(20)}`),
    ],
  };
  const send = async (path: string, body: unknown): Promise<string> => {
    const headers = rightHeaders(inspector, path);
    return (await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
  };
  await send('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const results = [
    await send('/api/call', { server: 's', tool: 'good', arguments: {} }),
    await send('/api/call', { server: 's', tool: 'bad', arguments: {} }),
  ];
  await page.until('the span', () => page.tape().length === 3);
  await page.until('the question', ({ feeds }) => feeds('question').length === 1);
  const tape = await ask(origin, '/api/tape?run=1', rightHeaders(inspector, '/api/tape'));
  expect(tape.text).toContain('"kind":"span"');
  for (const text of [page.text, tape.text, ...results]) {
    expect(text).toContain('<redacted>');
    expect(text).not.toContain(secret);
    expect(text).not.toContain('x1x1');
  }
});

describeInChromium('a page on another port, in Chromium', () => {
  let browser: Browser;
  let foreign: Server;
  let foreignOrigin: string;

  beforeAll(async () => {
    browser = await launchChromium();
    const html = await readFile(new URL('./support/foreign-page.html', import.meta.url));
    foreign = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end(html);
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    foreignOrigin = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    foreign?.close();
    foreign?.closeAllConnections();
  });

  /** The foreign page, and an inspector that tells which answers it got. */
  async function setUp() {
    const answers: string[] = [];
    const inspector = await startInspector({
      title: 'x',
      source: 'program',
      control: { answer: (id) => answers.push(id) > 0 },
    });
    const page = await browser.newPage();
    await page.goto(foreignOrigin);
    return {
      ...{ answers, inspector, page },
      [Symbol.asyncDispose]: async () => {
        await page.close();
        await inspector.close();
      },
    };
  }

  it('can neither fetch nor post nor embed, although it knows the token (inspector check 9)', async () => {
    await using its = await setUp();
    const { origin, token } = addressOf(its.inspector.url);
    expect(await its.page.evaluate(`attack('${origin}', '${token}')`)).toEqual([]);
    expect(its.answers).toEqual([]);
  });

  it('can neither frame the page nor submit a form to it (inspector check 9)', async () => {
    await using its = await setUp();
    const { page, inspector } = its;
    const { origin } = addressOf(inspector.url);
    const responses: [string, number][] = [];
    page.on('response', (response) => {
      const { pathname, origin: from } = new URL(response.url());
      if (from === origin) responses.push([pathname, response.status()]);
    });
    await page.evaluate(`frame('${inspector.url}')`);
    // Chromium shows a page of its own in place of what may not be framed.
    await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
    await page.evaluate(`submitTo('${origin}/api/answer')`);
    await expect.poll(() => responses.length).toBe(2);
    expect(responses).toEqual([
      ['/', 403],
      ['/api/answer', 403],
    ]);
    expect(its.answers).toEqual([]);
  });

  it('cannot hold on to a window that it opens', async () => {
    await using its = await setUp();
    const { page, inspector } = its;
    const popup = page.waitForEvent('popup');
    await page.evaluate(`openWindow('${inspector.url}')`);
    expect(await (await popup).evaluate('window.opener === null')).toBe(true);
    await expect.poll(() => page.evaluate('opened.closed')).toBe(true);
  });
});
