/**
 * Serving, loaded when something is served: most programs serve nothing, and `node:http` would be a fifth of what the
 * import of the package costs.
 */
import type { ServableServer } from './servable.js';
import type { HttpServing, ServeHttpOptions } from './serve-http.js';
import type { ServeStdioOptions, StdioServing } from './serve-stdio.js';

/** Serves the server to any number of MCP clients over HTTP. There is no login: whoever reaches the port may use it. */
export async function serveHttp(server: ServableServer, options?: ServeHttpOptions): Promise<HttpServing> {
  const serving = await import('./serve-http.js');
  return serving.serveHttp(server, options);
}

/**
 * Serves the server to the program that started this one, over its stdin and stdout. Nothing else may write to stdout
 * then: `console.log` would, `console.error` does not.
 */
export async function serveStdio(server: ServableServer, options?: ServeStdioOptions): Promise<StdioServing> {
  const serving = await import('./serve-stdio.js');
  return serving.serveStdio(server, options);
}
