/** The server behind the inspector's page: what it sends, in which order, and within which bounds (R57). */
import { appendFile, mkdtemp, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Inspector, type InspectorControl, startInspector } from '../../src/inspector/inspector.js';
import { LIMITS } from '../../src/protocol/base/limits.js';
import { readTape } from '../../src/testing/index.js';
import { waitUntil } from '../support/real-cli.js';
import { temporaryDirectory } from '../support/temporary.js';
import { addressOf, FeedReader, frameLine, headLine, pageHeaders, post } from './support/feed-reader.js';

temporaryDirectory();

const open = (control?: InspectorControl): Promise<Inspector> =>
  startInspector({ title: 'shop.mjs', source: 'program', control });

describe('the feed', () => {
  it('says who it is, sends what was there, and then what happens, in order (R57)', async () => {
    await using inspector = await open();
    const run = inspector.addRun('first');
    run.push(headLine() + frameLine(1) + frameLine(2));
    inspector.program({ state: 'running' });
    await using page = await FeedReader.open(inspector.url);
    await page.caughtUp();
    run.push(frameLine(3));
    await page.until('frame 3', ({ frames }) => frames.call(page).length === 3);
    inspector.program({ state: 'ended', code: 0, signal: null });
    await page.until('the end', ({ feeds }) => feeds('program').length === 2);
    expect(page.lines.map((line) => ('feed' in line ? line.feed : 'line'))).toEqual([
      'hello',
      'run',
      ...['line', 'line', 'line'],
      'program',
      'caught-up',
      'line',
      'program',
    ]);
    expect(page.lines[0]).toMatchObject({ title: 'shop.mjs', source: 'program', control: false });
    expect(page.frames(1).map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  it('sends lines as they stand in the tape: nothing is parsed, nothing is lost, empty lines are', async () => {
    await using inspector = await open();
    const odd = '{"kind":"frame", "n":1,"t":1.50,"direction":"<","frame":{"text":"größer \\u0041 🙂"}}\n';
    inspector.addRun('odd').push(`${headLine()}\n\n${odd}\n`);
    inspector.addRun('blank at first').push(`\n${headLine()}`);
    await using page = await FeedReader.open(inspector.url);
    await page.caughtUp();
    expect(page.text).toContain(`{"run":1,"line":${odd.trimEnd()}}\n`);
    expect([page.tape(1).length, page.tape(2).length]).toEqual([2, 1]);
  });

  it('shows questions that are still open, and not those that are over (R57)', async () => {
    await using inspector = await open();
    inspector.question({ id: 'a', tool: 'Bash', input: {} });
    inspector.question({ id: 'b', tool: 'Bash', input: { token: 'x' } });
    inspector.answered('a', 'terminal', 'allowed');
    await using page = await FeedReader.open(inspector.url);
    await page.caughtUp();
    inspector.answered('b', 'page', 'denied');
    inspector.answered('b', 'terminal', 'allowed');
    inspector.question({ id: 'c', tool: 'Bash', input: {} });
    await page.until('the last question', ({ feeds }) => feeds('question').length === 2);
    expect(page.feeds('question').map(({ question }) => question.id)).toEqual(['b', 'c']);
    expect(page.feeds('answered')).toEqual([{ feed: 'answered', id: 'b', by: 'page', answer: 'denied' }]);
  });

  it('passes on 5,000 live frames, one at a time, in order and without loss, to two pages (inspector check 3)', async () => {
    await using inspector = await open();
    const run = inspector.addRun('busy');
    run.push(headLine());
    await using first = await FeedReader.open(inspector.url);
    await first.caughtUp();
    for (let n = 1; n <= 5_000; n += 1) {
      run.push(frameLine(n, { type: 'stream_event', text: 'é'.repeat(n % 200) }));
      if (n % 50 === 0) await nextTurn();
    }
    await using second = await FeedReader.open(inspector.url);
    for (const page of [first, second]) {
      await page.until('5,000 frames', () => page.frames().length >= 5_000);
      expect(page.frames().every(({ n }, index) => n === index + 1)).toBe(true);
      expect(page.frames()).toHaveLength(5_000);
    }
  });

  it('sends 100,000 frames of a file, also those that are written meanwhile (inspector check 2)', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'long-')), 'long.tape');
    const frame = { type: 'stream_event', text: 'x'.repeat(100) };
    const lines = Array.from({ length: 100_000 }, (_, index) => frameLine(index + 1, frame));
    await writeFile(file, headLine() + lines.join(''));
    await using inspector = await startInspector({ title: 'long', source: 'tape' });
    const feed = inspector.addFile('long.tape', file);
    await feed.grown();
    await using page = await FeedReader.open(inspector.url);
    await appendFile(file, frameLine(100_001).slice(0, 20));
    await feed.grown();
    await appendFile(file, frameLine(100_001).slice(20));
    await feed.grown();
    await page.until('all of it', () => page.frames().length === 100_001);
    expect(page.frames().every(({ n }, index) => n === index + 1)).toBe(true);
  });

  it('says that a file cannot be read further, and goes on with the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lost-'));
    await writeFile(join(folder, 'b.tape'), headLine());
    await using inspector = await open();
    await inspector.addFile('a.tape', join(folder, 'a.tape')).grown();
    await inspector.addFile('b.tape', join(folder, 'b.tape')).grown();
    await using page = await FeedReader.open(inspector.url);
    await page.caughtUp();
    expect(page.feeds('broken')).toEqual([
      { feed: 'broken', run: 1, message: expect.stringContaining('no such file') },
    ]);
    expect(page.tape(2)).toHaveLength(1);
  });
});

describe('bounds', () => {
  it('a page that does not read is cut off with a clear last line, can come again, and holds up nobody (R57)', async () => {
    await using inspector = await open();
    const address = addressOf(inspector.url);
    const run = inspector.addRun('much');
    run.push(headLine());
    const slow = await new Promise<import('node:http').IncomingMessage>((resolve) => {
      request(`${address.origin}/api/feed`, { headers: pageHeaders(address) }, resolve).end();
    });
    slow.pause();
    await using other = await FeedReader.open(inspector.url);
    await other.caughtUp();
    for (let n = 1; n <= 64; n += 1) run.push(frameLine(n, { text: 'x'.repeat(500_000) }));
    await other.until('all frames', () => other.frames().length === 64);
    for (let count = 0; count <= LIMITS.maxQueuedFeedLines; count += 1) {
      inspector.program({ state: 'running' });
      if (count % 100 === 0)
        await other.until('the others', () => other.feeds('program').length >= count - 100);
    }
    let text = '';
    slow.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    slow.resume();
    await waitUntil(() => slow.readableEnded || slow.destroyed, { what: 'the end of the slow page' });
    const last = text.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ feed: 'cut', message: expect.stringContaining('opened again') });
    await using again = await FeedReader.open(inspector.url);
    await again.caughtUp();
    expect(again.frames()).toHaveLength(64);
    expect(other.isOver).toBe(false);
  });

  it('only so many pages can be open', async () => {
    await using inspector = await open();
    const pages: FeedReader[] = [];
    for (let count = 0; count < LIMITS.maxInspectorPages; count += 1) {
      pages.push(await FeedReader.open(inspector.url));
    }
    await expect(FeedReader.open(inspector.url)).rejects.toThrow(/503: .*Close one of them/);
    await Promise.all(pages.map((page) => page[Symbol.asyncDispose]()));
    await waitUntil(
      () =>
        FeedReader.open(inspector.url)
          .then((page) => page[Symbol.asyncDispose]())
          .then(
            () => true,
            () => false,
          ),
      { what: 'a free place' },
    );
  });

  it('runs that have ended make room for newer ones, and that is said', async () => {
    await using inspector = await open();
    await using page = await FeedReader.open(inspector.url);
    inspector.addRun('still runs').push(headLine());
    for (let count = 0; count < LIMITS.maxInspectedRuns; count += 1) {
      const run = inspector.addRun(`run ${count}`);
      run.push(headLine());
      run.end();
    }
    await page.until('a word', ({ feeds }) => feeds('broken').length > 0);
    expect(page.feeds('broken')).toEqual([
      { feed: 'broken', run: 2, message: expect.stringContaining('made room') },
    ]);
    await using later = await FeedReader.open(inspector.url);
    await later.caughtUp();
    expect(later.feeds('run')).toHaveLength(LIMITS.maxInspectedRuns);
    expect(later.feeds('run')[0]).toMatchObject({ name: 'still runs' });
  });

  it('a body that is too long, or not what it should be, is refused with a sentence', async () => {
    await using inspector = await open({ answer: () => true });
    const address = addressOf(inspector.url);
    const send = (body: string, type = 'application/json') =>
      fetch(`${address.origin}/api/answer`, {
        method: 'POST',
        headers: { ...pageHeaders(address), 'content-type': type },
        body,
      });
    expect((await send(JSON.stringify('x'.repeat(LIMITS.maxBodyBytes)))).status).toBe(413);
    // Without saying how long it is.
    const parts = (async function* () {
      for (let sent = 0; sent <= LIMITS.maxBodyBytes; sent += 1024 * 1024)
        yield Buffer.alloc(1024 * 1024, ' ');
    })();
    const headers = { ...pageHeaders(address), 'content-type': 'application/json' };
    const endless = { method: 'POST', headers, body: parts, duplex: 'half' } as unknown as RequestInit;
    const refused = await fetch(`${address.origin}/api/answer`, endless).then(
      ({ status }) => status,
      () => 'cut off',
    );
    expect([413, 'cut off']).toContain(refused);
    expect((await send('{')).status).toBe(400);
    expect((await send('[]')).status).toBe(400);
    expect((await send('{"id":"a","answer":"perhaps"}')).status).toBe(400);
    expect((await send('{"id":"a","answer":"yes"}', 'text/plain')).status).toBe(415);
    expect((await send('{"id":"a","answer":"yes"}')).status).toBe(200);
  });
});

describe('spans of agents', () => {
  const span = (session: string, name: string, at: number) => ({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'user.email', value: { stringValue: 'somebody' } }] },
        scopeSpans: [
          {
            spans: [
              {
                name,
                traceId: 'aa',
                spanId: name,
                startTimeUnixNano: `${Date.UTC(2026, 10, 18) + at}500000`,
                endTimeUnixNano: `${Date.UTC(2026, 10, 18) + at + 2}000000`,
                attributes: [
                  { key: 'session.id', value: { stringValue: session } },
                  { key: 'user.id', value: { stringValue: 'somebody' } },
                  { key: 'tokens', value: { intValue: '12' } },
                ],
                status: { code: 2, message: 'failed' },
              },
            ],
          },
        ],
      },
    ],
  });

  const report = ({ otlp }: Inspector, body: unknown, path = '/v1/traces') =>
    fetch(otlp.endpoint + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tenon-token': otlp.token },
      body: JSON.stringify(body),
    });

  it('are joined to the run of their session, also when they come first, with times of its tape (R57)', async () => {
    await using inspector = await open();
    await using page = await FeedReader.open(inspector.url);
    expect(await (await report(inspector, span('s-2', 'early', 5))).json()).toEqual({});
    inspector.addRun('one').push(headLine() + frameLine(1, { session_id: 's-1' }));
    inspector.addRun('two').push(headLine() + frameLine(1, { session_id: 's-2' }));
    await report(inspector, span('s-2', 'late', 7));
    const spans = (run: number) => page.tape(run).filter((line) => 'kind' in line && line.kind === 'span');
    await page.until('two spans', () => spans(2).length === 2);
    expect(spans(1)).toEqual([]);
    expect(spans(2)[0]).toMatchObject({
      span: {
        name: 'early',
        start: 5.5,
        end: 7,
        attributes: { 'session.id': 's-2', tokens: 12 },
        error: 'failed',
      },
    });
    expect(page.text).not.toContain('somebody');
  });

  it('are in the tape that is exported, which can be read (R56)', async () => {
    await using inspector = await open();
    const address = addressOf(inspector.url);
    const end = {
      kind: 'end',
      t: 2,
      agent: null,
      totals: { sent: 0, received: 1, requests: 0, results: 0 },
    };
    inspector
      .addRun('one')
      .push(`${headLine()}${frameLine(1, { session_id: 's-1' })}${JSON.stringify(end)}\n`);
    await report(inspector, span('s-1', 'its', 5));
    const file = join(await mkdtemp(join(tmpdir(), 'exported-')), 'one.tape');
    const response = await fetch(`${address.origin}/api/tape?run=1`, { headers: pageHeaders(address) });
    await writeFile(file, await response.text());
    const tape = readTape(file);
    expect(tape.lines.map(({ kind }) => kind)).toEqual(['frame', 'span', 'end']);
    expect(tape.end).toBeDefined();
    const missing = await fetch(`${address.origin}/api/tape?run=7`, { headers: pageHeaders(address) });
    expect(missing.status).toBe(404);
  });

  it('that are malformed or too many are refused and counted; logs and metrics are dropped', async () => {
    await using inspector = await open();
    const body = { resourceSpans: [{ scopeSpans: [{ spans: [{ name: 'x' }, null, 3] }] }] };
    expect(await (await report(inspector, body)).json()).toMatchObject({
      partialSuccess: { rejectedSpans: 3 },
    });
    const early = span('nobody', 'x', 1);
    const [one] = early.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    const many = Array.from({ length: LIMITS.maxEarlySpans + 5 }, () => one);
    const all = { resourceSpans: [{ scopeSpans: [{ spans: many }] }] };
    expect(await (await report(inspector, all)).json()).toMatchObject({
      partialSuccess: { rejectedSpans: 5 },
    });
    expect((await report(inspector, { resourceLogs: [] }, '/v1/logs')).status).toBe(200);
    expect((await report(inspector, { resourceMetrics: [] }, '/v1/metrics')).status).toBe(200);
  });
});

describe('control', () => {
  it('answers, calls, prompts and interrupts; the first answer wins (inspector check 5)', async () => {
    const seen: unknown[] = [];
    const answers: string[] = [];
    await using inspector = await open({
      answer: (id, answer) => answers.push(`${id} ${answer}`) === 1,
      call: async (body) => {
        seen.push(body);
        return { content: [{ type: 'text', text: 'eight' }] };
      },
      prompt: (text) => seen.push(text),
      interrupt: async () => void seen.push('interrupted'),
    });
    const address = addressOf(inspector.url);
    expect((await post(address, '/api/answer', { id: 'q', answer: 'yes' })).status).toBe(200);
    expect((await post(address, '/api/answer', { id: 'q', answer: 'no' })).status).toBe(409);
    const called = await post(address, '/api/call', { server: 'shop', tool: 'stock', arguments: { a: 1 } });
    expect(await called.json()).toEqual({ content: [{ type: 'text', text: 'eight' }] });
    expect((await post(address, '/api/prompt', { text: 'Go.' })).status).toBe(202);
    expect((await post(address, '/api/interrupt', {})).status).toBe(200);
    expect(seen).toEqual([{ server: 'shop', tool: 'stock', arguments: { a: 1 } }, 'Go.', 'interrupted']);
  });

  it('a call that fails is told in words; one that nobody waits for any more is aborted', async () => {
    const signals: AbortSignal[] = [];
    await using inspector = await open({
      answer: () => true,
      call: ({ tool }, signal) => {
        signals.push(signal);
        if (tool === 'bad') throw new Error('There is no tool "bad".');
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const address = addressOf(inspector.url);
    const failed = await post(address, '/api/call', { server: 'shop', tool: 'bad', arguments: {} });
    expect([failed.status, await failed.json()]).toEqual([422, { error: 'There is no tool "bad".' }]);
    const enough = new AbortController();
    const slow = fetch(`${address.origin}/api/call`, {
      method: 'POST',
      headers: { ...pageHeaders(address), 'content-type': 'application/json' },
      body: JSON.stringify({ server: 'shop', tool: 'slow', arguments: {} }),
      signal: enough.signal,
    });
    await waitUntil(() => signals.length === 2, { what: 'the call' });
    enough.abort();
    await expect(slow).rejects.toThrow();
    await waitUntil(() => signals[1]?.aborted === true, { what: 'the abort' });
    const refused = await post(address, '/api/prompt', { text: 'Go.' });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { error: expect.stringContaining('own questions') },
    ]);
  });
});

it('when it is closed pages have had everything, are told so, and the port is free', async () => {
  const inspector = await open();
  const page = await FeedReader.open(inspector.url);
  await page.caughtUp();
  const run = inspector.addRun('last');
  run.push(headLine() + frameLine(1));
  await inspector.close();
  await page.until('its end', ({ isOver }) => isOver);
  expect(page.frames()).toHaveLength(1);
  expect(page.lines.at(-1)).toEqual({ feed: 'cut', message: 'The inspector has been closed.' });
  const { port } = new URL(inspector.url);
  await using next = await startInspector({ title: 'next', source: 'tape', port: Number(port) });
  expect(new URL(next.url).port).toBe(port);
  await expect(startInspector({ title: 'x', source: 'tape', port: Number(port) })).rejects.toThrow(
    /cannot listen on port \d+ of 127\.0\.0\.1/,
  );
});
