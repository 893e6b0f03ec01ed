import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Script } from '../script/reader.js';
import type { WaitForRequest } from '../script/recorder.js';
import type { ScriptedRequest } from '../script/request.js';
import { type OtherRequest, Routes, type ScriptedMessagesApiOptions } from './routes.js';

/** A running scripted Messages API. */
export interface ScriptedMessagesApi extends AsyncDisposable {
  /** Where it listens: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The requests of the conversation, in order of arrival. */
  readonly requests: readonly ScriptedRequest[];
  /** The client's side requests, such as titles and model checks. */
  readonly sideRequests: readonly ScriptedRequest[];
  /** Everything that was not a `POST /v1/messages`. */
  readonly otherRequests: readonly OtherRequest[];
  /** The environment that points a Claude Code CLI to this API and keeps it away from every other host. */
  env(): Record<string, string>;
  /**
   * Resolves with the request with this index, or the first that matches, as soon as it arrives. Rejects if
   * it does not arrive within `timeout` (milliseconds, default 15 s) or the API is closed.
   */
  readonly waitForRequest: WaitForRequest;
  /**
   * Throws `UnconsumedStepsError` if steps are left, `UnexpectedRequestError` if there were more requests
   * than steps, and another `ScriptError` if the script itself failed. A good last line of a test.
   */
  assertDone(): void;
  /** Stops listening and closes all connections. Resolves promptly even if requests hang. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts a Messages API on the loopback interface that answers according to the script, so that a real Claude
 * Code CLI, or any other client of that API, runs offline and the same way each time. Rejects with a
 * `ScriptError` if the script cannot be played.
 *
 * @example
 * ```ts
 * import { query } from 'tenon';
 * import { scriptedMessagesApi, text, toolUse } from 'tenon/testing';
 *
 * await using api = await scriptedMessagesApi([toolUse('mcp__calc__add', { a: 15, b: 27 }), text('It is 42.')]);
 * for await (const message of query({ prompt: 'What is 15 + 27?', options: { env: api.env() } })) console.log(message);
 * console.log(api.requests[1]?.toolResults); // what the model saw
 * api.assertDone();
 * ```
 */
export async function scriptedMessagesApi(
  script: Script,
  options: ScriptedMessagesApiOptions = {},
): Promise<ScriptedMessagesApi> {
  const routes = new Routes(script, options);
  const server = createServer((incoming, response) => {
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    // A socket that breaks while we write means that the client disconnected; it is not our error.
    response.on('error', () => disconnected.abort());
    void routes.handle(incoming, response, disconnected.signal);
  });
  // A CLI keeps its connection open while a tool runs. Closing an idle connection would race with the next
  // request.
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
