/**
 * Loads the code for serving when something is served: most programs serve nothing, and `node:http` would be a fifth of
 * the cost of importing the package.
 */
import { TenonError } from '../../protocol/base/errors.js';
import type { ServableServer } from './servable.js';
import type { HttpServing, ServeHttpOptions } from './serve-http.js';
import type { ServeStdioOptions, StdioServing } from './serve-stdio.js';

/** Serves the server to any number of MCP clients over HTTP. There is no login: anyone who reaches the port can use it. */
export async function serveHttp(server: ServableServer, options?: ServeHttpOptions): Promise<HttpServing> {
  const serving = await import('./serve-http.js');
  await requireLibrary();
  return serving.serveHttp(server, options);
}

/**
 * Serves the server to the program that started this one, over stdin and stdout. Nothing else may write to stdout, so use
 * `console.error` instead of `console.log`.
 */
export async function serveStdio(server: ServableServer, options?: ServeStdioOptions): Promise<StdioServing> {
  const serving = await import('./serve-stdio.js');
  return serving.serveStdio(server, options);
}

/** An optional dependency, because only serving over HTTP needs it: installed unless optional packages are left out. */
async function requireLibrary(): Promise<void> {
  try {
    await import('@modelcontextprotocol/server');
  } catch (error) {
    throw new TenonError(
      'PACKAGE_NOT_FOUND',
      `serveHttp() needs the package "@modelcontextprotocol/server", which was left out of this installation. ` +
        'Install it: npm install @modelcontextprotocol/server',
      { cause: error },
    );
  }
}
