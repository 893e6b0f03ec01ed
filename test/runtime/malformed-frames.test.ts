/**
 * Whatever a host sends, the runtime lives on: every request is answered once, every message has its result, and a call
 * whose answer is not one fails (R14). In memory, and over the streams of a program.
 */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import {
  type Frame,
  isControlRequest,
  memoryTransportPair,
  ProcessTransport,
  type Transport,
} from '../../src/protocol/index.js';
import { StreamTransport } from '../../src/protocol/transport/stream-transport.js';
import { parseFlags, serveRuntime } from '../../src/runtime/index.js';
import { type ScriptedRequest, scriptedModel, toolUse } from '../../src/testing/index.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { HOST_ANSWERS, HOST_FRAMES, mutated } from '../support/mutated-frames.js';
import fc from '../support/property.js';

failOnTrouble();

type Json = Record<string, unknown>;
type Answers = (subtype: string, request: Json) => unknown;

const WAYS: readonly [name: string, open: () => [host: Transport, agent: Transport]][] = [
  ['memory', memoryTransportPair],
  ['streams', overStreams],
];

function overStreams(): [Transport, Transport] {
  const [toAgent, toHost] = [new PassThrough(), new PassThrough()];
  const child = {
    stdin: toAgent,
    stdout: toHost,
    stderr: null,
    pid: undefined,
    kill: () => true,
    once: () => {},
  };
  return [new ProcessTransport(child), new StreamTransport(toAgent, toHost)];
}

/** The host's end, and what it has heard. */
class HandHost {
  readonly lines: Json[] = [];
  /** The runtime's answers, by the id of the request. */
  readonly answers = new Map<unknown, Json[]>();
  readonly finished: Promise<number>;
  readonly model = scriptedModel(callAndSay);
  readonly stderr: string[] = [];
  readonly #transport: Transport;
  readonly #waiting = new Set<() => void>();

  constructor(open: () => [Transport, Transport], answer: Answers = () => ({}), flags: string[] = []) {
    const [host, agent] = open();
    this.#transport = host;
    const started = serveRuntime(
      agent,
      { model: this.model, mcpConnectTimeoutMs: 60_000 },
      {
        flags: parseFlags(['--permission-prompt-tool=stdio', ...flags], JSON.parse),
        isChecked: true,
        cwd: process.cwd(),
        env: {},
        reportsState: true,
        onStderr: (text) => this.stderr.push(text),
      },
    );
    this.finished = started.finished;
    host.start({
      frame: (frame) => this.#heard(frame, answer),
      noise: () => {},
      dropped: () => {},
      stderr: () => {},
      end: () => {},
    });
  }

  send(frame: unknown): void {
    this.#transport.send(frame as Frame);
  }

  /** Resolves when the message has been read and everything is done. */
  say(content: unknown, uuid: string): Promise<void> {
    this.send({ type: 'user', message: { role: 'user', content }, uuid });
    return this.until(() => {
      const isRead = this.lines.some((line) => line.command_uuid === uuid && line.state === 'completed');
      const { state } = this.lines.findLast(({ subtype }) => subtype === 'session_state_changed') ?? {};
      return isRead && state === 'idle';
    });
  }

  async ask(request: Json, request_id = `ask_${this.answers.size}`): Promise<Json> {
    this.send({ type: 'control_request', request_id, request });
    await this.until(() => this.answers.has(request_id));
    return this.answers.get(request_id)?.[0] ?? {};
  }

  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  async leave(): Promise<number> {
    this.#transport.endInput();
    return this.finished;
  }

  get results(): Json[] {
    return this.lines.filter(({ type }) => type === 'result');
  }

  #heard(frame: Frame, answer: Answers): void {
    if (isControlRequest(frame)) {
      const { request_id, request } = frame;
      const response = answer(request.subtype, request);
      this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    } else if (frame.type === 'control_response') {
      const response = frame.response as Json;
      const { request_id } = response;
      this.answers.set(request_id, [...(this.answers.get(request_id) ?? []), response]);
    } else this.lines.push(frame as Json);
    for (const wake of [...this.#waiting]) wake();
  }
}

/** Calls the tool of the host's server once, if it is offered, and then says so. */
function callAndSay({ messages, toolNames }: ScriptedRequest) {
  const hasCalled = JSON.stringify(messages.at(-1)).includes('tool_result');
  return hasCalled || !toolNames.includes('mcp__s__echo') ? 'Said.' : toolUse('mcp__s__echo', {});
}

const introduction = {
  subtype: 'initialize',
  sdkMcpServers: ['s'],
  hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] },
  sdkMcpServerManifests: {
    s: {
      initializeResult: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      },
      toolsListResult: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    },
  },
};

const allowing: Answers = (subtype, { message }) => {
  if (subtype === 'can_use_tool') return { behavior: 'allow' };
  if (subtype !== 'mcp_message') return {};
  const { id } = message as Json;
  return { mcp_response: { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'echoed' }] } } };
};

describe.each(WAYS)('over %s', (_, open) => {
  it.each<[name: string, answer: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['no `mcp_response`', {}],
    ['an `mcp_response` of null', { mcp_response: null }],
    ['an `mcp_response` that is a text', { mcp_response: 'text' }],
    ['an `mcp_response` for another request', { mcp_response: { jsonrpc: '2.0', id: 99, result: {} } }],
    ['an acknowledgement', { mcp_response: { jsonrpc: '2.0', result: {} } }],
    ['neither a result nor an error', { mcp_response: { jsonrpc: '2.0', id: 2 } }],
    ['a result that is a text', { mcp_response: { jsonrpc: '2.0', id: 2, result: 'text' } }],
    ['an error that is null', { mcp_response: { jsonrpc: '2.0', id: 2, error: null } }],
    [
      'an error with an odd message',
      { mcp_response: { jsonrpc: '2.0', id: 2, error: { message: { toString: 1 } } } },
    ],
    ['content that is a text', { mcp_response: { jsonrpc: '2.0', id: 2, result: { content: 'text' } } }],
    ['blocks that are none', { mcp_response: { jsonrpc: '2.0', id: 2, result: { content: [null, 7] } } }],
    [
      'a text that is none',
      { mcp_response: { jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 7 }] } } },
    ],
  ])('a call that the host answers with %s fails, and the turn and the end come', async (_name, answer) => {
    const host = new HandHost(open, (subtype, request) =>
      subtype === 'mcp_message' ? answer : allowing(subtype, request),
    );
    await host.ask(introduction);
    await host.say('Go.', 'u1');
    const [result] = host.lines.flatMap(({ type, message }) =>
      type === 'user' ? ((message as Json).content as Json[]) : [],
    );
    expect(result).toMatchObject({ type: 'tool_result', is_error: true });
    expect(host.results).toMatchObject([{ subtype: 'success', result: 'Said.' }]);
    expect(await host.leave()).toBe(0);
  });

  it.each<[name: string, content: unknown, problem: RegExp]>([
    [
      'content that is a number',
      7,
      /`message\.content` must be a string or a list of content blocks; it is a number/,
    ],
    ['content that is an object', { text: 'x' }, /it is an object/],
    ['blocks that are none', [null], /`message\.content\[0\]` is not a content block/],
    ['a text that is none', [{ type: 'text', text: { toString: 1 } }], /content\[0\]/],
  ])(
    'a user message with %s has a failed result, and the next one is answered',
    async (_name, content, problem) => {
      const host = new HandHost(open);
      await host.say(content, 'u1');
      await host.say('Go.', 'u2');
      expect(host.results).toMatchObject([
        { subtype: 'error_during_execution', is_error: true, errors: [expect.stringMatching(problem)] },
        { subtype: 'success', result: 'Said.' },
      ]);
      // The model never sees it, neither then nor later.
      expect(host.model.requests).toHaveLength(1);
      expect(host.model.requests[0]?.messages).toHaveLength(1);
      expect(await host.leave()).toBe(0);
    },
  );

  it('a user message whose id is an object is answered', async () => {
    const host = new HandHost(open, undefined, ['--replay-user-messages']);
    host.send({ type: 'user', message: { role: 'user', content: 'Go.' }, uuid: { toString: 1 } });
    host.send({ type: 'user', message: 'text', uuid: 'u2' });
    await host.say('Go.', 'u3');
    expect(host.results.map(({ subtype }) => subtype)).toEqual([
      'success',
      'error_during_execution',
      'success',
    ]);
    expect(await host.leave()).toBe(0);
  });

  it.each<[name: string, request: unknown]>([
    ['without a subtype', {}],
    ['whose subtype is a number', { subtype: 7 }],
    ['that is a text', 'initialize'],
    ['that is missing', undefined],
  ])('a control request %s is answered with an error', async (_name, request) => {
    const host = new HandHost(open);
    expect(await host.ask(request as Json)).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_request',
    });
    expect(await host.leave()).toBe(0);
  });

  it.each<[name: string, fields: Json, field: RegExp]>([
    [
      'a limit that is an object',
      { sdkMcpServerConfigs: { s: { timeout: { toString: 1 } } } },
      /sdkMcpServerConfigs/,
    ],
    ['policies that are no list', { sdkMcpServerConfigs: { s: { tools: 7 } } }, /sdkMcpServerConfigs/],
    [
      'a matcher that is an object',
      { hooks: { PreToolUse: [{ matcher: { toString: 1 }, hookCallbackIds: [] }] } },
      /hooks/,
    ],
    [
      'a hook timeout that is a text',
      { hooks: { PreToolUse: [{ timeout: 'x', hookCallbackIds: [] }] } },
      /hooks/,
    ],
  ])('`initialize` with %s is refused by name', async (_name, fields, field) => {
    const host = new HandHost(open);
    const answer = await host.ask({ ...introduction, ...fields });
    expect(answer).toMatchObject({
      subtype: 'error',
      error_code: 'invalid_request',
      error: expect.stringMatching(field),
    });
    expect(await host.leave()).toBe(0);
  });

  it.each<[name: string, listed: unknown]>([
    ['tools that are no list', { tools: 7 }],
    ['a nameless tool', { tools: [{ inputSchema: {} }] }],
    ['a name that is an object', { tools: [{ name: { toString: 1 }, inputSchema: {} }] }],
    ['a schema that is a text', { tools: [{ name: 'echo', inputSchema: 'text' }] }],
  ])(
    'a manifest with %s is none: the server is asked, and fails if it says the same',
    async (_name, listed) => {
      const { initializeResult } = introduction.sdkMcpServerManifests.s;
      const said: unknown[] = [];
      const host = new HandHost(open, (_subtype, { message }) => {
        const { id, method } = message as Json;
        said.push(method);
        return {
          mcp_response: { jsonrpc: '2.0', id, result: method === 'tools/list' ? listed : initializeResult },
        };
      });
      const manifest = { initializeResult, toolsListResult: listed };
      await host.ask({ ...introduction, hooks: {}, sdkMcpServerManifests: { s: manifest } });
      await host.say('Go.', 'u1');
      expect(said).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
      const { response } = (await host.ask({ subtype: 'mcp_status' })) as { response: Json };
      expect(response.mcpServers).toMatchObject([
        { status: 'failed', error: expect.stringContaining('tools') },
      ]);
      expect(await host.leave()).toBe(0);
    },
  );

  it('a frame that belongs to nothing is a warning', async () => {
    const host = new HandHost(open);
    host.send({ type: 'control_response', response: 'text' });
    await host.say('Go.', 'u1');
    const warnings = host.lines.filter(({ level }) => level === 'warning');
    expect(warnings).toMatchObject([
      { subtype: 'informational', content: expect.stringContaining('which request it belongs to') },
    ]);
    expect(host.stderr.join('')).toContain('which request it belongs to');
    expect(await host.leave()).toBe(0);
  });
});

const FRAMES_EACH = 30;
const CONVERSATIONS = 350;

describe.each(WAYS)('over %s', (_, open) => {
  it(`${FRAMES_EACH * CONVERSATIONS} mutated frames, and as many answers: all requests are answered, and the end comes`, async () => {
    const frames = fc.array(mutated(HOST_FRAMES), { minLength: FRAMES_EACH, maxLength: FRAMES_EACH });
    const said = Object.fromEntries(
      Object.entries(HOST_ANSWERS).map(([subtype, given]) => [
        subtype,
        fc.array(mutated(given), { minLength: 3, maxLength: 10 }),
      ]),
    );
    await fc.assert(
      fc.asyncProperty(frames, fc.record(said), async (given, answers) => {
        const count = new Map<string, number>();
        const host = new HandHost(open, (subtype, request) => {
          const at = count.get(subtype) ?? 0;
          count.set(subtype, at + 1);
          const list = answers[subtype] ?? [];
          return addressed(list[at % Math.max(1, list.length)] ?? {}, request);
        });
        const sent = given.map(
          (frame, index): Json => (frame.request_id === 'r' ? { ...frame, request_id: `r${index}` } : frame),
        );
        const withdrawn = new Set(
          sent.flatMap(({ type, request_id }) => (type === 'control_cancel_request' ? [request_id] : [])),
        );
        const owed = sent.filter(
          ({ type, request_id }) =>
            type === 'control_request' && typeof request_id === 'string' && !withdrawn.has(request_id),
        );
        await host.ask(introduction, 'introduction');
        for (const frame of sent) host.send(frame);
        await host.until(() => owed.every(({ request_id }) => host.answers.has(request_id)));
        for (const { request_id } of owed) {
          const asked = owed.filter((frame) => frame.request_id === request_id);
          expect(host.answers.get(request_id)?.length).toBeLessThanOrEqual(asked.length);
        }
        const before = host.results.length;
        await host.say('The last.', 'last');
        expect(host.results.length).toBeGreaterThan(before);
        await host.leave();
      }),
      { numRuns: CONVERSATIONS },
    );
  });
});

/** Most answers name the request that they answer. */
function addressed(answer: Json, { message }: Json): Json {
  const response = answer.mcp_response as Json | undefined;
  if (response?.id !== 0) return answer;
  return { ...answer, mcp_response: { ...response, id: (message as Json).id } };
}
