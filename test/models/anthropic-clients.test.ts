/** `anthropic()` with ready clients, without a key, and where nobody answers (R42). */
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSdkMcpServer, query, tool } from '../../src/index.js';
import { type AnthropicOptions, anthropic } from '../../src/models/anthropic/anthropic.js';
import { clock, useClock } from '../../src/protocol/base/clock.js';
import { embedded, ModelError } from '../../src/runtime/index.js';
import { apiError, scriptedMessagesApi, text } from '../../src/testing/index.js';
import { AnthropicBedrock } from '../providers/node_modules/@anthropic-ai/bedrock-sdk/index.mjs';
import { AnthropicFoundry } from '../providers/node_modules/@anthropic-ai/foundry-sdk/index.mjs';
import { AnthropicVertex } from '../providers/node_modules/@anthropic-ai/vertex-sdk/index.mjs';
import type { Loose } from '../runtime/support.js';
import { sandbox } from '../support/real-cli.js';
import { anything } from './ai-sdk/support.js';
import { type Step, wireServer } from './ai-sdk/wire-server.js';

async function ask(options: AnthropicOptions, more: object = {}): Promise<Loose[]> {
  const add = tool('add', 'Adds', anything, () => 42);
  const messages: Loose[] = [];
  const run = query({
    prompt: 'Go.',
    options: {
      runtime: embedded({ model: anthropic(options) }),
      mcpServers: { calc: createSdkMcpServer({ name: 'calc', tools: [add] }) },
      allowedTools: ['mcp__calc'],
      throwOnErrorResult: false,
      ...more,
    },
  });
  for await (const message of run) messages.push(message as unknown as Loose);
  return messages;
}

const PLATFORMS = [
  {
    platform: 'Bedrock',
    model: 'anthropic.claude-opus-5-5-v1:0',
    path: '/model/anthropic.claude-opus-5-5-v1:0/invoke-with-response-stream',
    client: (baseURL: string) =>
      new AnthropicBedrock({
        baseURL,
        awsRegion: 'us-east-1',
        awsAccessKey: 'access',
        awsSecretKey: 'secret',
      }),
    headers: { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=access/) },
    // The platform has the model in its path, and a version of its own in the body.
    body: { anthropic_version: expect.any(String) },
  },
  {
    platform: 'Vertex',
    model: 'claude-opus-5-5@20261101',
    path: '/projects/p/locations/us-east5/publishers/anthropic/models/claude-opus-5-5@20261101:streamRawPredict',
    client: (baseURL: string) =>
      new AnthropicVertex({
        baseURL,
        region: 'us-east5',
        projectId: 'p',
        // In place of Google's own, which would ask Google.
        authClient: {
          getRequestHeaders: async () => new Headers({ authorization: 'Bearer token' }),
        } as never,
      }),
    headers: { authorization: 'Bearer token' },
    body: { anthropic_version: expect.any(String) },
  },
  {
    platform: 'Foundry',
    model: 'claude-opus-5-5',
    path: '/anthropic/v1/messages',
    client: (url: string) => new AnthropicFoundry({ baseURL: `${url}/anthropic/`, apiKey: 'key' }),
    headers: { 'x-api-key': 'key' },
    body: { model: 'claude-opus-5-5' },
  },
  {
    platform: 'Foundry with Entra',
    model: 'a-deployment',
    path: '/anthropic/v1/messages',
    client: (url: string) =>
      new AnthropicFoundry({ baseURL: `${url}/anthropic/`, azureADTokenProvider: async () => 'token' }),
    headers: { authorization: 'Bearer token' },
    body: { model: 'a-deployment' },
  },
];

describe.each(PLATFORMS)(
  'anthropic({ client }) on $platform (R42)',
  ({ client, model, path, headers, body }) => {
    const call = { id: 'call_1', name: 'mcp__calc__add', input: { a: 15 } };

    it('calls a tool and answers, with the vendor’s own client', async () => {
      const thinking = { text: 'Hm.', signature: 'signed' };
      await using server = await wireServer([
        { thinking, calls: [call] },
        { text: ['It is ', '42.'], usage: { fresh: 5, read: 90, written: 7, output: 3 } },
      ]);
      const messages = await ask({ client: client(server.url), model });
      expect(messages.at(-1)).toMatchObject({
        is_error: false,
        result: 'It is 42.',
        usage: {
          input_tokens: 5,
          cache_read_input_tokens: 90,
          cache_creation_input_tokens: 7,
          output_tokens: 3,
        },
      });
      const [first, second] = server.requests;
      expect(first?.path).toBe(path);
      expect(first?.headers).toMatchObject(headers);
      expect(first?.body).toMatchObject({ ...body, messages: [{ role: 'user' }] });
      expect(JSON.stringify(second?.body.messages)).toContain('"signature":"signed"');
    });

    it('tries again after a 429, and passes on the words of a 400', async () => {
      const words = 'prompt is too long: 210000 tokens > 200000 maximum';
      const steps: Step[] = [
        { status: 429, headers: { 'retry-after': '0.02' }, body: { message: 'Too many tokens.' } },
        { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: words } } },
      ];
      await using server = await wireServer(steps);
      const messages = await ask({ client: client(server.url), model });
      expect(messages.filter(({ subtype }) => subtype === 'api_retry')).toMatchObject([
        {
          attempt: 1,
          error_status: 429,
          retry_delay_ms: 20,
          reason: expect.stringContaining('Too many tokens.'),
        },
      ]);
      expect(messages.at(-1)).toMatchObject({ api_error_status: 400, result: `API Error: 400 ${words}` });
      expect(server.requests).toHaveLength(2);
    });

    it('does not know the short names of Anthropic’s own API', () => {
      expect(anthropic({ client: client('http://127.0.0.1:9') }).resolve?.('opus')).toBe('opus');
    });
  },
);

describe('anthropic() (R42)', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('fails before any request without a key, and names the variable', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', '');
    vi.stubEnv('ANTHROPIC_BASE_URL', '');
    const fetched = vi.spyOn(globalThis, 'fetch');
    const messages = await ask({});
    // No API has answered, so it is no failure of one, whose subtype would be `success`.
    expect(messages.at(-1)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      errors: [expect.stringContaining('ANTHROPIC_API_KEY')],
      failure: { kind: 'authentication', retryable: false },
    });
    expect(messages.at(-1)).not.toHaveProperty('api_error_status');
    expect(messages.filter(({ subtype }) => subtype === 'api_retry')).toEqual([]);
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  it('fails in the same way on the command line', async () => {
    await using box = sandbox();
    const program = fileURLToPath(new URL('../../dist/commands/bin.js', import.meta.url));
    const { PATH, HOME = box.cwd } = process.env;
    const args = [program, 'run', '--runtime', 'embedded', 'Go.'];
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: box.cwd,
      env: { PATH, HOME },
      encoding: 'utf8',
    });
    expect(status).not.toBe(0);
    expect(stderr).toContain('ANTHROPIC_API_KEY');
  });

  it('gives up on an API that cannot be reached after four retries and less than ten seconds of waiting', async () => {
    const free = createServer();
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
    const { port } = free.address() as { port: number };
    await new Promise((resolve) => free.close(resolve));
    // What is waited for passes at once; everything else has its own time.
    const waits = new Set<number>();
    const real = clock;
    const restore = useClock({
      ...real,
      setTimeout: (callback, delay) => real.setTimeout(callback, waits.has(delay) ? 0 : delay),
    });
    const retries: { delayMs: number; reason?: string | undefined }[] = [];
    try {
      const model = anthropic({ apiKey: 'test', baseURL: `http://127.0.0.1:${port}` });
      const read = async () => {
        const request = { model: 'm', max_tokens: 1, system: [], messages: [], tools: [] };
        const events = model.stream(request, {
          signal: new AbortController().signal,
          onRetry: (retry) => {
            waits.add(retry.delayMs);
            retries.push(retry);
          },
          warn: () => {},
          sessionId: 's',
        });
        for await (const _ of events);
      };
      const error = await read().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ModelError);
      expect((error as Error).message).toContain('ECONNREFUSED');
    } finally {
      restore();
    }
    expect(retries).toHaveLength(4);
    for (const { reason } of retries) expect(reason).toContain('ECONNREFUSED');
    expect(retries.reduce((sum, { delayMs }) => sum + delayMs, 0)).toBeLessThan(10_000);
  });

  it.each([
    ['opus', 'claude-opus-5-5'],
    ['sonnet', 'claude-sonnet-5-5'],
    ['haiku', 'claude-haiku-5-5'],
    ['fable', 'claude-fable-5-2'],
  ])('sends the full name for %s', async (alias, name) => {
    await using api = await scriptedMessagesApi([text('Hello.')]);
    await ask({ apiKey: 'test', baseURL: api.url }, { model: alias });
    expect(api.requests[0]?.body).toMatchObject({ model: name });
  });

  it('tries again when the stream begins with an error of an overloaded API', async () => {
    await using server = await wireServer([
      {
        first:
          'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      },
      { text: ['Hello.'] },
    ]);
    const messages = await ask({ apiKey: 'test', baseURL: server.url });
    expect(messages.filter(({ subtype }) => subtype === 'api_retry')).toMatchObject([
      { error_status: 529, error: 'overloaded', reason: 'Overloaded' },
    ]);
    expect(messages.at(-1)).toMatchObject({ is_error: false, result: 'Hello.' });
  });

  it('refuses a key or a URL beside a client, and a client that is none', async () => {
    const client = { messages: { create: () => Promise.reject(new Error('Never.')) } };
    for (const beside of [{ apiKey: 'k' }, { authToken: 't' }, { baseURL: 'http://127.0.0.1' }]) {
      expect(() => anthropic({ client, ...beside })).toThrow(/has no effect beside a client/);
    }
    expect(() => anthropic({ client: {} as never })).toThrow(/messages\.create/);
  });

  it('says which kind of failure an API reports', async () => {
    await using api = await scriptedMessagesApi([apiError(401, 'authentication_error', 'invalid x-api-key')]);
    const messages = await ask({ apiKey: 'wrong', baseURL: api.url });
    expect(messages.at(-1)).toMatchObject({ failure: { kind: 'authentication', status: 401 } });
  });
});
