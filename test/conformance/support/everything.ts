/** `@modelcontextprotocol/server-everything`, and what there is to ask it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export const program: string = fileURLToPath(
  new URL(
    '../../reference/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
    import.meta.url,
  ),
);

/** The environment of the server in all its guises: one of its tools returns it. */
export const environment: Record<string, string> = { PATH: process.env.PATH ?? '', GREETING: 'hello' };

/** Every tool, and arguments for it. */
export const calls: readonly [tool: string, args: Record<string, unknown>][] = [
  ['echo', { message: 'Grüße 🎉' }],
  ['echo', {}],
  ['get-annotated-message', { messageType: 'error', includeImage: true }],
  ['get-annotated-message', { messageType: 'debug' }],
  ['get-env', {}],
  ['get-resource-links', { count: 3 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
  ['get-structured-content', { location: 'New York' }],
  ['get-sum', { a: 15, b: 27 }],
  ['get-tiny-image', {}],
  [
    'gzip-file-as-resource',
    { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' },
  ],
  [
    'gzip-file-as-resource',
    { name: 'b.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resourceLink' },
  ],
  ['toggle-simulated-logging', {}],
  ['toggle-simulated-logging', {}],
  ['toggle-subscriber-updates', {}],
  ['toggle-subscriber-updates', {}],
  ['trigger-long-running-operation', { duration: 0.15, steps: 3 }],
  ['get-roots-list', {}],
  ['trigger-elicitation-request', {}],
  ['trigger-elicitation-request-async', {}],
  ['trigger-url-elicitation', { url: 'https://example.com/form', elicitationId: 'one' }],
  ['trigger-url-elicitation', { url: 'https://example.com/form', errorPath: true }],
  ['trigger-sampling-request', { prompt: 'Hello', maxTokens: 5 }],
  ['trigger-sampling-request-async', { prompt: 'Hello' }],
  ['simulate-research-query', { topic: 'python' }],
  ['no-such-tool', {}],
];

/** Every prompt, and arguments for it. */
export const prompts: readonly [prompt: string, args: Record<string, string>][] = [
  ['simple-prompt', {}],
  ['args-prompt', { city: 'Paris', state: 'Texas' }],
  ['args-prompt', {}],
  ['completable-prompt', { department: 'Engineering', name: 'Alice' }],
  ['resource-prompt', { resourceType: 'Text', resourceId: '1' }],
  ['no-such-prompt', {}],
];

/** What is in no list. */
export const others: readonly [method: string, params: Record<string, unknown>][] = [
  ['ping', {}],
  ['logging/setLevel', { level: 'debug' }],
  ['logging/setLevel', { level: 'shout' }],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'demo://resource/dynamic/text/1' }],
  ['resources/read', { uri: 'demo://resource/dynamic/blob/2' }],
  ['resources/read', { uri: 'demo://nowhere' }],
  ['resources/subscribe', { uri: 'demo://resource/dynamic/text/1' }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'name', value: 'A' },
      context: { arguments: { department: 'Engineering' } },
    },
  ],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
      argument: { name: 'resourceId', value: '7' },
    },
  ],
  ['no/such/method', {}],
];

/** Starts the server on a free port for the time of a test. */
export async function serveEverything(
  kind: 'streamableHttp' | 'sse' = 'streamableHttp',
): Promise<AsyncDisposable & { url: string }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, kind], {
    env: { ...environment, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exit = once(child, 'exit');
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text;
    if (/listening|running on port/.test(said)) break;
  }
  child.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Without what differs from run to run. */
export function normalise(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll(/\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, '<time>')
    .replaceAll(/(PORT\\":\s*\\")\d+/g, '$1<port>')
    // Of which level it logs is the server's whim.
    .replaceAll(/"level":"\w+","data":"[^"]*level.message[^"]*"/g, '"level":"<any>"')
    // Tasks have ids without dashes.
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>');
  return JSON.parse(text, (key, part) => {
    if (key === 'blob' && isTimed(part)) return '<timed>';
    return key === 'text' && isEnvironment(part) ? sorted(part) : part;
  });
}

function isEnvironment(text: unknown): text is string {
  return typeof text === 'string' && text.startsWith('{') && text.includes('"GREETING"');
}

/** In which order the variables of a process are is no business of anybody; ours carry a mark to be found by. */
function sorted(environment: string): string {
  const { TENON_PROCESS: _, ...variables } = JSON.parse(environment);
  const entries = Object.entries(variables).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(entries));
}

function isTimed(blob: unknown): boolean {
  return typeof blob === 'string' && /\d:\d\d:\d\d/.test(Buffer.from(blob, 'base64').toString());
}

/** As text, whatever the order of the keys: the libraries change it. */
export function canonical(value: object): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
