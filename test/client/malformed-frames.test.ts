/**
 * Whatever an agent sends, the host lives on: nothing is thrown into it, every request is answered, every message is
 * delivered or reported, and the loop ends (R14, pain 27). In all three transports.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  ControlError,
  createSdkMcpServer,
  type Options,
  type Query,
  query,
  ResultError,
  TenonError,
  tool,
} from '../../src/index.js';
import { isControlRequest, type Transport } from '../../src/protocol/index.js';
import { InMemorySessionStore } from '../../src/runtime/index.js';
import { failOnTrouble } from '../support/fake-cli.js';
import { type AgentEnd, asProcess, inMemory } from '../support/hand-agent.js';
import { AGENT_FRAMES, mutated } from '../support/mutated-frames.js';
import fc from '../support/property.js';

failOnTrouble();

type Json = Record<string, unknown>;
type Way = readonly [name: string, open: () => AgentEnd, options: (transport: Transport) => Options];

const WITH_STORE: Way = [
  "the user's own transport, with a store",
  inMemory,
  (transport) => ({ transport: () => transport, sessionStore: new InMemorySessionStore() }),
];
const TRANSPORTS: readonly Way[] = [
  ['a process', asProcess, (transport) => ({ transport: () => transport })],
  ['the memory of an embedded runtime', inMemory, (transport) => ({ runtime: { open: () => transport } })],
  WITH_STORE,
];

/** Everything that an agent can ask of a host. */
function hostSide(): Options {
  const echo = tool('echo', 'Echoes', { text: z.string() }, ({ text }) => text);
  const foreign = new McpServer({ name: 'foreign', version: '1.0.0' });
  foreign.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return {
    mcpServers: {
      s: createSdkMcpServer({ name: 's', tools: [echo] }),
      foreign: { type: 'sdk', name: 'foreign', instance: foreign },
    },
    canUseTool: async () => ({ behavior: 'allow' }),
    hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
    onElicitation: async () => ({ action: 'decline' }),
    onFrame: () => {},
    stderr: () => {},
  };
}

interface Played {
  messages: Json[];
  error: unknown;
  /** The host's answers to the agent's requests. */
  answers: Json[];
}

/** An agent that greets properly, writes these frames, waits for the answers that it is owed, and leaves. */
async function play(
  frames: readonly unknown[],
  [, open, optionsOf]: Way,
  meanwhile: (running: Query) => void = () => {},
): Promise<Played> {
  const agent = open();
  const answers: Json[] = [];
  // As text: ids that are objects are not the same object on the other side of a pipe.
  const owed = new Set(frames.filter(isOwedAnAnswer).map(idOf));
  const withdrawn = new Set(frames.filter(isWithdrawal).map(idOf));
  const leaveIfDone = (): void => {
    const answered = new Set(answers.map(idOf));
    if ([...owed].every((id) => answered.has(id) || withdrawn.has(id))) agent.leave();
  };
  agent.onFrame((frame) => {
    if (isControlRequest(frame)) {
      const { request_id, request } = frame;
      if (request.subtype !== 'initialize') return;
      agent.write({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
    } else if (frame.type === 'control_response') {
      answers.push(frame.response as Json);
      leaveIfDone();
    } else {
      for (const each of frames) agent.write(each);
      leaveIfDone();
    }
  });
  const messages: Json[] = [];
  let error: unknown;
  try {
    const running = query({ prompt: 'Go.', options: { ...hostSide(), ...optionsOf(agent.transport) } });
    meanwhile(running);
    for await (const message of running) messages.push(message as unknown as Json);
  } catch (thrown) {
    error = thrown;
  }
  return { messages, error, answers };
}

/** Every request is, whatever its id. */
function isOwedAnAnswer(frame: unknown): frame is Json {
  return (frame as Json | null)?.type === 'control_request';
}

function idOf({ request_id }: Json): string | undefined {
  return JSON.stringify(request_id);
}

function isWithdrawal(frame: unknown): frame is Json {
  return (frame as Json | null)?.type === 'control_cancel_request';
}

const fine = { type: 'result', subtype: 'success', is_error: false, result: 'fine', session_id: 's' };
const unprintable = { toString: 1 };
const failed = (fields: Json): Json => ({
  type: 'result',
  subtype: 'error_during_execution',
  is_error: true,
  ...fields,
});
const reports = (messages: readonly Json[]): Json[] => messages.filter(({ tag }) => tag === 'frame_dropped');

describe.each(TRANSPORTS)('through %s', (...way) => {
  it.each<[name: string, frame: Json, failure: Json]>([
    ['`errors` that is a text', failed({ errors: 'text' }), { kind: 'execution', message: 'text' }],
    [
      '`errors` of things',
      failed({ errors: [unprintable, 7, null] }),
      { message: '{"toString":1}; 7; null' },
    ],
    ['`errors` that is a number', failed({ errors: 7 }), { message: 'error_during_execution' }],
    ['a `terminal_reason` that is a number', failed({ terminal_reason: 7, errors: ['x'] }), { message: 'x' }],
    ['a `subtype` that is an object', failed({ subtype: unprintable }), { kind: 'unknown' }],
    ['a `result` that is an object', { ...fine, is_error: true, result: unprintable }, { kind: 'unknown' }],
  ])('a failed result with %s is delivered, and thrown as what it is', async (_, frame, failure) => {
    const { messages, error } = await play([frame], way);
    expect(messages).toMatchObject([{ ...frame, failure }]);
    expect(error).toBeInstanceOf(ResultError);
    expect((error as ResultError).failure).toMatchObject(failure);
  });

  it.each<[name: string, frame: Json]>([
    [
      'a block whose text is an object',
      { type: 'user', message: { content: [{ text: unprintable }, null] } },
    ],
    ['a message that is a text', { type: 'user', message: 'text' }],
    ['a `task_id` that is an object', { type: 'system', subtype: 'task_notification', task_id: unprintable }],
    [
      'odd `tasks`',
      {
        type: 'system',
        subtype: 'background_tasks_changed',
        tasks: [unprintable, null, 7, { task_id: unprintable }],
      },
    ],
    ['`rate_limit_info` that is null', { type: 'rate_limit_event', rate_limit_info: null }],
    ['a `type` that is an object', { type: unprintable }],
  ])('%s is delivered, and what follows too', async (_, frame) => {
    const { messages, error } = await play([frame, fine], way);
    expect(error).toBeUndefined();
    expect(messages).toMatchObject([frame, fine]);
  });

  it.each<[name: string, response: Json, problem: RegExp]>([
    [
      'an `error` that is an object',
      { subtype: 'error', error: unprintable },
      /refused the control request "mcp_status"/,
    ],
    ['an `error_code` that is an object', { subtype: 'error', error: 'no', error_code: unprintable }, /^no$/],
    ['no subtype', {}, /neither a success nor an error/],
  ])('a control response with %s rejects its request', async (_, response, problem) => {
    let status: Promise<unknown> = Promise.resolve();
    // `initialize` is the first request, this is the second.
    const answer = { type: 'control_response', response: { ...response, request_id: 'tenon_2' } };
    const { error } = await play([answer, fine], way, (running) => {
      status = running.mcpServerStatus().catch((refusal: unknown) => refusal);
    });
    expect(error).toBeUndefined();
    expect(await status).toBeInstanceOf(ControlError);
    expect(await status).toMatchObject({ message: expect.stringMatching(problem), errorCode: undefined });
  });

  it.each<[name: string, request: unknown]>([
    ['without a subtype', {}],
    ['whose subtype is a number', { subtype: 7 }],
    ['whose subtype is an object', { subtype: unprintable }],
    ['that is a text', 'can_use_tool'],
    ['that is missing', undefined],
  ])('a control request %s is answered with an error', async (_, request) => {
    const { answers, error } = await play(
      [{ type: 'control_request', request_id: 'odd', request }, fine],
      way,
    );
    expect(error).toBeUndefined();
    expect(answers).toEqual([
      {
        subtype: 'error',
        request_id: 'odd',
        error: expect.stringContaining('subtype'),
        error_code: 'invalid_request',
      },
    ]);
  });

  it.each<[name: string, frame: Json, problem: string]>([
    [
      'a response',
      { type: 'control_response', response: { subtype: 'success' } },
      'which request it belongs to',
    ],
    [
      'a response that is a text',
      { type: 'control_response', response: 'success' },
      'which request it belongs to',
    ],
    [
      'a withdrawal',
      { type: 'control_cancel_request', request_id: unprintable },
      'which request it belongs to',
    ],
  ])('%s that belongs to nothing is reported to the consumer', async (_, frame, problem) => {
    const { messages, error } = await play([frame, fine], way);
    expect(error).toBeUndefined();
    expect(reports(messages)).toMatchObject([
      { type: 'system', subtype: 'informational', level: 'warning', dropped: { reason: 'malformed' } },
    ]);
    expect(reports(messages)[0]?.content).toContain(problem);
    expect(reports(messages)[0]?.content).toContain(JSON.stringify(frame).slice(0, 20));
    expect(messages.at(-1)).toMatchObject(fine);
  });
});

describe('in memory', () => {
  it.each([null, 7, 'text', [], undefined])(
    '%j in place of a frame is reported to the consumer',
    async (value) => {
      for (const way of TRANSPORTS.slice(1)) {
        const { messages, error } = await play([value, fine], way);
        expect(error).toBeUndefined();
        expect(reports(messages)).toMatchObject([{ content: expect.stringContaining('must be an object') }]);
        expect(messages.at(-1)).toMatchObject(fine);
      }
    },
  );

  it('a frozen result, and one with a member that throws, end the loop all the same', async () => {
    const trap = {
      type: 'result',
      get subtype(): string {
        throw new Error('from a getter');
      },
    };
    for (const way of TRANSPORTS.slice(1)) {
      const { messages, error } = await play([trap, Object.freeze({ ...fine })], way);
      expect(error).toBeUndefined();
      expect(reports(messages)).toMatchObject([{ content: expect.stringContaining('from a getter') }]);
      expect(messages.at(-1)).toMatchObject({ ...fine, final: true });
    }
  });
});

it('a report shows no secret, not even the beginning of one', async () => {
  const secret = 'open-sesame-0123456789';
  const mcpServers = { out: { command: 'none', env: { TOKEN: secret } } };
  const [name, open, optionsOf] = TRANSPORTS[0] as Way;
  const way: Way = [name, open, (transport) => ({ ...optionsOf(transport), mcpServers })];
  for (const padding of ['', 'x'.repeat(150)]) {
    const frame = { type: 'control_response', response: padding + secret };
    const { messages } = await play([frame, fine], way);
    expect(reports(messages)).toHaveLength(1);
    expect(JSON.stringify(messages)).not.toContain(secret.slice(0, 5));
  }
});

describe('lines for a store', () => {
  it.each<[name: string, frame: Json]>([
    ['`filePath` that is an object', { filePath: unprintable, entries: [{ type: 'user' }] }],
    ['`filePath` that is no transcript', { filePath: '/etc/passwd', entries: [{ type: 'user' }] }],
    ['no entries', { filePath: '/p/projects/key/id.jsonl' }],
    ['entries that are no objects', { filePath: '/p/projects/key/id.jsonl', entries: [7] }],
  ])('with %s are reported to the consumer', async (_, fields) => {
    const { messages, error } = await play([{ type: 'transcript_mirror', ...fields }, fine], WITH_STORE);
    expect(error).toBeUndefined();
    expect(reports(messages)).toMatchObject([{ content: expect.stringContaining('transcript_mirror') }]);
    expect(messages.at(-1)).toMatchObject(fine);
  });
});

const FRAMES_EACH = 50;
const CONVERSATIONS = 250;

/** What reaches the consumer. */
function isMessage({ type, sdk_host_only }: Json): boolean {
  if (typeof type === 'string' && type.startsWith('control_')) return false;
  return type !== 'keep_alive' && type !== 'transcript_mirror' && sdk_host_only !== true;
}

describe.each(TRANSPORTS)('through %s', (...way) => {
  it(`${FRAMES_EACH * CONVERSATIONS} mutated frames are delivered in order, answered once, or reported`, async () => {
    const frames = fc.array(mutated(AGENT_FRAMES), { minLength: FRAMES_EACH, maxLength: FRAMES_EACH });
    await fc.assert(
      fc.asyncProperty(frames, async (given) => {
        const sent = given.map((frame, marker): Json => {
          const id = frame.request_id === 'r' ? { request_id: `r${marker}` } : {};
          return { ...frame, ...id, marker };
        });
        const { messages, error, answers } = await play(sent, way);
        if (error !== undefined) expect(error).toBeInstanceOf(TenonError);
        for (const id of answers.map(idOf)) {
          const asked = sent.filter((frame) => isOwedAnAnswer(frame) && idOf(frame) === id);
          const answered = answers.filter((answer) => idOf(answer) === id);
          expect(answered.length).toBeLessThanOrEqual(asked.length);
        }
        const isMarked = ({ type, marker }: Json) => marker !== undefined && type !== 'transcript_mirror';
        const delivered = messages.filter(isMarked).map(({ marker }) => marker);
        expect(delivered).toEqual(sent.filter(isMessage).map(({ marker }) => marker));
      }),
      { numRuns: CONVERSATIONS },
    );
  });
});
