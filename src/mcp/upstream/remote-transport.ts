import {
  type OAuthClientProvider,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { clock, type Timer } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { AddressGuard } from '../auth/address-guard.js';
import type { McpHttpServerConfig, McpSSEServerConfig } from '../types.js';
import { RemoteFetch } from './remote-fetch.js';
import { ENDLESS_MESSAGE, verdictOfHttp } from './upstream-failure.js';
import type { UpstreamAuth, UpstreamTransport, UpstreamTransportEvents } from './upstream-transport.js';

/** How often and when a broken stream is reopened before the server counts as lost. A server may set other delays. */
const STREAM = {
  maxRetries: LIMITS.mcpStreamRetries,
  initialReconnectionDelay: LIMITS.mcpStreamRetryMs,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: LIMITS.mcpStreamRetryMaxMs,
};

/** A server behind a URL, reached with the transports of the MCP library. */
export function makeRemoteTransport(
  config: McpHttpServerConfig | McpSSEServerConfig,
  auth: UpstreamAuth,
  events: UpstreamTransportEvents,
): UpstreamTransport {
  const url = new URL(config.url);
  const guard = new AddressGuard(url);
  const remote = new RemoteFetch(
    url,
    headersOf(config, auth),
    {
      secrets: (values) => events.secrets(values),
      streamLost: (reason) => events.lost(reason),
      misled: (reason) => events.lost(`was given up: ${reason}`),
      endless: () => events.lost(ENDLESS_MESSAGE),
    },
    guard,
    config.type === 'http',
  );
  const options = {
    fetch: remote.fetch,
    ...(auth.provider === undefined
      ? {}
      : { authProvider: guard.guarded(auth.provider as OAuthClientProvider) }),
  };
  const connection =
    config.type === 'http' ? streamableHttp(url, options, events) : serverSentEvents(url, options);
  auth.finishWith?.((callback) => connection.library.finishAuth(callback));
  return { ...connection.upstream, challenge: () => remote.challenge };
}

interface RemoteConnection {
  upstream: UpstreamTransport;
  library: StreamableHTTPClientTransport | SSEClientTransport;
}

interface LibraryOptions {
  fetch: RemoteFetch['fetch'];
  authProvider?: OAuthClientProvider;
}

function streamableHttp(
  url: URL,
  options: LibraryOptions,
  events: UpstreamTransportEvents,
): RemoteConnection {
  const timers = new Timers();
  const library = new StreamableHTTPClientTransport(url, {
    ...options,
    reconnectionOptions: STREAM,
    reconnectionScheduler: (reconnect, delayMs, attempt) => {
      // Never immediately, whatever the server says: one that ends every stream would be hammered.
      if (attempt < STREAM.maxRetries - 1)
        return timers.set(reconnect, Math.max(delayMs, LIMITS.mcpStreamRetryMinMs));
      events.lost('ends each stream that is opened to it');
      return () => {};
    },
  });
  const close = library.close.bind(library);
  library.close = async () => {
    timers.clear();
    await close();
  };
  return {
    library,
    upstream: {
      transport: library as UpstreamTransport['transport'],
      verdict: (error) => verdictOfHttp(error, library.sessionId !== undefined),
      // The library reopens a broken stream, and `RemoteFetch` sees what comes of it.
      errorEndsConnection: () => false,
      ending: () => 'was closed',
      leave: () => library.terminateSession(),
    },
  };
}

function serverSentEvents(url: URL, options: LibraryOptions): RemoteConnection {
  const library = new SSEClientTransport(url, options);
  return {
    library,
    upstream: {
      transport: library as UpstreamTransport['transport'],
      verdict: (error) => verdictOfHttp(error, true),
      // The event source would reconnect on its own, to a session that has not shaken hands.
      errorEndsConnection: (error) => error instanceof SseError,
      ending: () => 'was closed',
    },
  };
}

function headersOf(
  config: McpHttpServerConfig | McpSSEServerConfig,
  { headers: extra = {} }: UpstreamAuth,
): NonNullable<UpstreamAuth['headers']> {
  const { headers = {} } = config;
  if (typeof extra !== 'function') return { ...headers, ...extra };
  return async () => ({ ...headers, ...(await extra()) });
}

/** The library keeps track of its latest timer only, and every one of them would keep the program running. */
class Timers {
  readonly #open = new Set<Timer>();

  set(run: () => void, delayMs: number): () => void {
    const timer = clock.setTimeout(() => {
      this.#open.delete(timer);
      run();
    }, delayMs);
    this.#open.add(timer);
    return () => {
      clock.clearTimeout(timer);
      this.#open.delete(timer);
    };
  }

  clear(): void {
    for (const timer of this.#open) clock.clearTimeout(timer);
    this.#open.clear();
  }
}
