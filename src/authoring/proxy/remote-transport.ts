import {
  type OAuthClientProvider,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { McpHttpServerConfig, McpSSEServerConfig } from '../../protocol/mcp.js';
import { RemoteFetch } from './remote-fetch.js';
import { verdictOfHttp } from './upstream-failure.js';
import type { UpstreamAuth, UpstreamTransport, UpstreamTransportEvents } from './upstream-transport.js';

/** How often a broken stream is opened again before the server counts as lost, and when. A server may say otherwise when. */
const STREAM = {
  maxRetries: 4,
  initialReconnectionDelay: 250,
  reconnectionDelayGrowFactor: 2,
  maxReconnectionDelay: 5_000,
};

/** A server behind a URL, by the transports of the MCP library. */
export function makeRemoteTransport(
  config: McpHttpServerConfig | McpSSEServerConfig,
  auth: UpstreamAuth,
  events: UpstreamTransportEvents,
): UpstreamTransport {
  const url = new URL(config.url);
  const seen = new RemoteFetch(
    url,
    headersOf(config, auth),
    { secrets: (values) => events.secrets(values), streamLost: (reason) => events.lost(reason) },
    config.type === 'http',
  );
  const options = {
    fetch: seen.fetch,
    ...(auth.provider === undefined ? {} : { authProvider: auth.provider as OAuthClientProvider }),
  };
  const made = config.type === 'http' ? streamableHttp(url, options, events) : serverSentEvents(url, options);
  auth.finishWith?.((callback) => made.library.finishAuth(callback));
  return { ...made.upstream, challenge: () => seen.challenge };
}

interface Made {
  upstream: UpstreamTransport;
  library: StreamableHTTPClientTransport | SSEClientTransport;
}

interface LibraryOptions {
  fetch: RemoteFetch['fetch'];
  authProvider?: OAuthClientProvider;
}

function streamableHttp(url: URL, options: LibraryOptions, events: UpstreamTransportEvents): Made {
  const timers = new Timers();
  const library = new StreamableHTTPClientTransport(url, {
    ...options,
    reconnectionOptions: STREAM,
    reconnectionScheduler: (reconnect, delayMs, attempt) => {
      // Not at once, whatever the server says: one that ends each stream would be asked all the time.
      if (attempt < STREAM.maxRetries - 1) return timers.set(reconnect, Math.max(delayMs, 100));
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
      // A stream that breaks is opened again by the library; what that shows, `RemoteFetch` sees.
      errorEndsConnection: () => false,
      ending: () => 'was closed',
      leave: () => library.terminateSession(),
    },
  };
}

function serverSentEvents(url: URL, options: LibraryOptions): Made {
  const library = new SSEClientTransport(url, options);
  return {
    library,
    upstream: {
      transport: library as UpstreamTransport['transport'],
      verdict: (error) => verdictOfHttp(error, true),
      // The event source would connect again by itself, to a session that knows of no handshake.
      errorEndsConnection: (error) => error instanceof SseError,
      ending: () => 'was closed',
    },
  };
}

function headersOf(
  config: McpHttpServerConfig | McpSSEServerConfig,
  { headers: more = {} }: UpstreamAuth,
): NonNullable<UpstreamAuth['headers']> {
  const { headers = {} } = config;
  if (typeof more !== 'function') return { ...headers, ...more };
  return async () => ({ ...headers, ...(await more()) });
}

/** The library remembers only the last of the timers that it has set; each of them would hold the program open. */
class Timers {
  readonly #open = new Set<NodeJS.Timeout>();

  set(run: () => void, delayMs: number): () => void {
    const timer = setTimeout(() => {
      this.#open.delete(timer);
      run();
    }, delayMs);
    this.#open.add(timer);
    return () => {
      clearTimeout(timer);
      this.#open.delete(timer);
    };
  }

  clear(): void {
    for (const timer of this.#open) clearTimeout(timer);
    this.#open.clear();
  }
}
