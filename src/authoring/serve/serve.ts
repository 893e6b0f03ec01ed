/**
 * Serving, loaded when something is served: most programs serve nothing, and `node:http` would be a fifth of what the
 * import of the package costs.
 */
import { TenonError } from '../../protocol/errors.js';
import type { ServableServer } from './servable.js';
import type { HttpServing, ServeHttpOptions } from './serve-http.js';
import type { ServeStdioOptions, StdioServing } from './serve-stdio.js';

/** Serves the server to any number of MCP clients over HTTP. There is no login: whoever reaches the port may use it. */
export async function serveHttp(server: ServableServer, options?: ServeHttpOptions): Promise<HttpServing> {
  const serving = await import('./serve-http.js');
  await requireLibrary('serveHttp');
  return serving.serveHttp(server, options);
}

/**
 * Serves the server to the program that started this one, over its stdin and stdout. Nothing else may write to stdout
 * then: `console.log` would, `console.error` does not.
 */
export async function serveStdio(server: ServableServer, options?: ServeStdioOptions): Promise<StdioServing> {
  const serving = await import('./serve-stdio.js');
  await requireLibrary('serveStdio');
  return serving.serveStdio(server, options);
}

/** It is an optional dependency, because only serving needs it: installed unless somebody leaves such packages out. */
async function requireLibrary(wanting: string): Promise<void> {
  try {
    await import('@modelcontextprotocol/server');
  } catch (error) {
    throw new TenonError(
      'INVALID_OPTION',
      `${wanting}() needs the package "@modelcontextprotocol/server", which was left out of this installation. ` +
        'Install it: npm install @modelcontextprotocol/server',
      { cause: error },
    );
  }
}
