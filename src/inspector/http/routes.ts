import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Redactor } from '../../observe/redactor.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { InspectorControl } from '../inspector-types.js';
import type { Feed } from '../runs/feed.js';
import { FeedStream } from '../runs/feed-stream.js';
import { tapeText } from '../runs/tape-text.js';
import { otlpSpans } from '../spans/otlp-spans.js';
import type { SpanDesk } from '../spans/span-desk.js';
import { answer, call, interrupt, prompt } from './control-routes.js';
import type { Admission } from './guard.js';
import { PAGE_FILES, type PagePath, pageFile } from './page-files.js';
import { HEADERS, jsonBody, Refusal, respond, respondJson } from './respond.js';

export interface Site {
  readonly feed: Feed;
  readonly spans: SpanDesk;
  readonly control: InspectorControl | undefined;
  readonly redactor: Redactor;
  /** The pages that are open. */
  readonly streams: Set<FeedStream>;
}

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly admission: Admission;
  handle(exchange: Exchange, site: Site): Promise<void>;
}

/** Everything that can be asked for. None of it starts a process, reads a path or takes a command that a page gives. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...(Object.keys(PAGE_FILES) as PagePath[]).map((path) => [path, shell(path)] as const),
  ['/api/feed', { method: 'GET', admission: 'page', handle: feed }],
  ['/api/tape', { method: 'GET', admission: 'page', handle: tape }],
  ['/api/answer', { method: 'POST', admission: 'page', handle: answer }],
  ['/api/call', { method: 'POST', admission: 'page', handle: call }],
  ['/api/prompt', { method: 'POST', admission: 'page', handle: prompt }],
  ['/api/interrupt', { method: 'POST', admission: 'page', handle: interrupt }],
  ['/v1/traces', { method: 'POST', admission: 'agent', handle: traces }],
  // An agent that is told to report spans may report these as well.
  ['/v1/logs', { method: 'POST', admission: 'agent', handle: ignored }],
  ['/v1/metrics', { method: 'POST', admission: 'agent', handle: ignored }],
]);

function shell(path: PagePath): Route {
  return {
    method: 'GET',
    admission: 'shell',
    handle: async ({ response }) => respond(response, 200, PAGE_FILES[path].type, await pageFile(path)),
  };
}

async function feed({ response }: Exchange, site: Site): Promise<void> {
  if (site.streams.size >= LIMITS.maxInspectorPages) {
    throw new Refusal(503, `${LIMITS.maxInspectorPages} pages are open already. Close one of them.`);
  }
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson' });
  const stream = new FeedStream(site.feed, response);
  site.streams.add(stream);
  try {
    await stream.send();
  } finally {
    site.streams.delete(stream);
  }
}

async function tape({ response, query }: Exchange, { feed }: Site): Promise<void> {
  const run = [...feed.runs].find(({ number }) => String(number) === query.get('run'));
  if (run === undefined) throw new Refusal(404, 'There is no such run.');
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson' });
  response.on('error', () => {});
  for await (const part of tapeText(run)) {
    if (response.destroyed) return;
    if (!response.write(part)) await new Promise<void>((resolve) => onceFree(response, resolve));
  }
  response.end();
}

function onceFree(response: ServerResponse, then: () => void): void {
  const free = (): void => {
    response.removeListener('drain', free).removeListener('close', free);
    then();
  };
  response.on('drain', free).on('close', free);
}

async function traces({ request, response }: Exchange, { spans, feed }: Site): Promise<void> {
  const { spans: reported, malformed } = otlpSpans(await jsonBody(request));
  const rejectedSpans = malformed + spans.report(reported);
  feed.runsChanged();
  const errorMessage = 'Some are not well-formed, or more than can be kept.';
  respondJson(response, rejectedSpans === 0 ? {} : { partialSuccess: { rejectedSpans, errorMessage } });
}

async function ignored({ request, response }: Exchange): Promise<void> {
  if (!isRecord(await jsonBody(request))) throw new Refusal(400, 'The body is not an object.');
  respondJson(response, {});
}
