import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ScriptedRequest } from './request.js';
import { type OtherRequest, Routes, type ScriptedMessagesApiOptions } from './routes.js';
import type { Script } from './script.js';

/** A running scripted Messages API. */
export interface ScriptedMessagesApi extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The requests of the conversation, in the order of their arrival. */
  readonly requests: readonly ScriptedRequest[];
  /** The client's asides, such as titles and checks of a model. */
  readonly sideRequests: readonly ScriptedRequest[];
  /** Everything that was not a `POST /v1/messages`. */
  readonly otherRequests: readonly OtherRequest[];
  /** The environment that points a Claude Code CLI here and keeps it off every other host. */
  env(): Record<string, string>;
  /**
   * The request with this index, or the first that fits, as soon as it is there. Rejects when it does not come within
   * `timeout` (milliseconds, default 15 s) or the API is closed.
   */
  waitForRequest(
    wanted: number | ((request: ScriptedRequest) => boolean),
    options?: { readonly timeout?: number },
  ): Promise<ScriptedRequest>;
  /**
   * Throws `UnconsumedStepsError` when steps are left, `UnexpectedRequestError` when more requests came than steps, and
   * another `ScriptedApiError` when the script itself failed. A good last line of a test.
   */
  assertDone(): void;
  /** Stops listening and destroys what is open. Resolves soon, also when requests hang; may be called again. */
  close(): Promise<void>;
}

/**
 * Starts a Messages API on the loopback interface that answers what the script says, so that a real Claude Code CLI, or
 * any other client of that API, runs offline and the same way each time.
 *
 * @example
 * ```ts
 * import { query } from 'tenon';
 * import { scriptedMessagesApi, text, toolUse } from 'tenon/testing';
 *
 * await using api = await scriptedMessagesApi([toolUse('mcp__calc__add', { a: 15, b: 27 }), text('It is 42.')]);
 * for await (const message of query({ prompt: 'What is 15 + 27?', options: { env: api.env() } })) console.log(message);
 * console.log(api.requests[1]?.toolResults); // what the model got to see
 * api.assertDone();
 * ```
 */
export async function scriptedMessagesApi(
  script: Script,
  options: ScriptedMessagesApiOptions = {},
): Promise<ScriptedMessagesApi> {
  const routes = new Routes(script, options);
  const server = createServer((incoming, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // A socket that breaks while we write is the client's departure, not an error of ours.
    response.on('error', () => gone.abort());
    void routes.handle(incoming, response, gone.signal);
  });
  // A CLI keeps its connection while a tool runs. Closing an idle one would race with the next request on it.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise<void>((resolve) => {
      routes.recorder.close();
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closed;
  };

  return {
    url,
    requests: routes.recorder.requests,
    sideRequests: routes.sideRequests,
    otherRequests: routes.otherRequests,
    env: () => environment(url),
    waitForRequest: (wanted, { timeout } = {}) => routes.recorder.waitFor(wanted, timeout),
    assertDone: () => routes.reader.assertDone(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function environment(url: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'test',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
  };
}
