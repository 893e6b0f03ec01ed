import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { redactorOf } from '../observe/redactor.js';
import { wait } from '../protocol/base/clock.js';
import { messageOf } from '../protocol/base/errors.js';
import { hostEnvironment, hostVariable } from '../protocol/base/host-process.js';
import { LIMITS } from '../protocol/base/limits.js';
import { type GuardSettings, refusalOf } from './http/guard.js';
import { checkHost, checkPlace, listenOn } from './http/listen.js';
import { packageVersion } from './http/page-files.js';
import { Refusal, respondJson } from './http/respond.js';
import { ROUTES, type Site } from './http/routes.js';
import { newToken } from './http/token.js';
import type { Inspector, InspectorOptions } from './inspector-types.js';
import { Feed } from './runs/feed.js';
import { SpanDesk } from './spans/span-desk.js';

export type { Inspector, InspectorControl, InspectorOptions } from './inspector-types.js';

/** Starts the server behind the page. Rejects with an `OptionError` if it may not listen there. */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  const { title, source, control, host = '127.0.0.1', port = 0 } = options;
  checkPlace(hostVariable('NODE_ENV'), options.force === true);
  checkHost(host, options.allowRemote === true);
  const redactor = redactorOf([], hostEnvironment());
  const spans = new SpanDesk(redactor);
  const hello = {
    feed: 'hello',
    tenon: packageVersion(),
    title,
    source,
    control: control !== undefined,
  } as const;
  const feed = new Feed(hello, spans, redactor);
  const site: Site = { feed, spans, control, redactor, streams: new Set() };
  const [pageToken, agentToken] = [newToken(), newToken()];
  const guard = { hosts: new Set<string>() as ReadonlySet<string>, pageToken, agentToken };
  const listening = await listenOn(
    host,
    port,
    (request, response) => void answer(request, response, site, guard),
  );
  guard.hosts = listening.hosts;
  const { server, origin, localOrigin } = listening;
  if (options.keepsAlive === false) server.unref().on('connection', (socket) => socket.unref());
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= shutDown(server, site);
    return closing;
  };
  return {
    url: `${origin}/#token=${pageToken}`,
    otlp: { endpoint: localOrigin, token: agentToken },
    addRun: (name) => feed.addRun(name),
    addFile: (name, path) => feed.addFile(name, path),
    program: (state) => feed.program(state),
    question: (question) => feed.question(question),
    answered: (id, by, words) => feed.answered(id, by, words),
    playground: (state) => feed.playground(state),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Never rejects. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  site: Site,
  guard: GuardSettings,
): Promise<void> {
  try {
    // What a request names as its host is checked, and not used.
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://inspector');
    const route = ROUTES.get(pathname);
    // A stranger is not told which routes there are.
    const refusal = refusalOf(request, route?.admission ?? 'page', guard);
    if (refusal !== undefined) throw new Refusal(403, refusal);
    if (route === undefined) throw new Refusal(404, 'There is nothing here.');
    if (request.method !== route.method) throw new Refusal(405, `This takes only ${route.method}.`);
    await route.handle({ request, response, query }, site);
  } catch (error) {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // The rest of its body would only be read to be thrown away.
    if (!request.complete) response.shouldKeepAlive = false;
    respondJson(response, { error: messageOf(error) }, error instanceof Refusal ? error.status : 500);
  }
}

async function shutDown(server: Server, { streams }: Site): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  for (const stream of streams) stream.finish('The inspector has been closed.');
  server.closeIdleConnections();
  const enough = new AbortController();
  const { signal } = enough;
  await Promise.race([
    Promise.all([...streams].map((stream) => stream.closed)),
    wait(LIMITS.closeGraceMs, { signal, keepsAlive: false }).catch(() => {}),
  ]);
  enough.abort();
  server.closeAllConnections();
  await closed;
}
