/**
 * A worker as users write it, run under each runtime: `POST /<scenario>` with the addresses of servers, what happened
 * as JSON. It is bundled into one file, with the entries of the package that are meant for workers.
 */
import { createOpenAI } from 'openai-v4';
import { createSdkMcpServer, createSession, query, TenonError, tool } from 'tenon';
import { aiSdk } from 'tenon/model/ai-sdk';
import { anthropic } from 'tenon/model/anthropic';
import { embedded, fileSessionStore, modelFromFunction } from 'tenon/runtime';
import { memoryWorkspace } from 'tenon/workspace';
import { z } from 'zod';
import { serverSentEvents } from './events.js';
import { HttpSessionStore } from './http-session-store.mjs';

const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => a + b);
const greet = tool(
  'greet',
  'Greets',
  { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  ({ name }) => `Hello ${name}`,
);
const desk = () => createSdkMcpServer({ name: 'desk', tools: [add, greet] });
const toolsOfDesk = () => ({ mcpServers: { desk: desk() }, allowedTools: ['mcp__desk'] });

const claude = ({ messagesApi }) => embedded({ model: anthropic({ apiKey: 'test', baseURL: messagesApi }) });

/** Of a conversation to its end: what its tools answered, and its result. */
async function outcomeOf(options, prompt = 'Go.') {
  const results = [];
  for await (const message of query({ prompt, options })) {
    if (message.type === 'user') results.push(...message.message.content.map(textOf));
    if (message.type === 'result') return { results, result: message.result, ...structureOf(message) };
  }
}

const textOf = ({ content, text }) =>
  typeof content === 'string' ? content : (content ?? [{ text }]).map((block) => block.text).join('');
const structureOf = ({ structured_output }) => (structured_output ? { structured_output } : {});

async function refusalOf(run) {
  try {
    await run();
  } catch (error) {
    return TenonError.is(error) ? `${error.code}: ${error.message}` : String(error);
  }
}

const SCENARIOS = {
  tools: (addresses) => outcomeOf({ runtime: claude(addresses), ...toolsOfDesk() }),

  workspace: async ({ messagesApi }) => {
    const workspace = memoryWorkspace({ 'notes/a.txt': 'one\ntwo\n', 'CLAUDE.md': 'Be kind.' });
    const model = anthropic({ apiKey: 'test', baseURL: messagesApi });
    const runtime = embedded({
      model,
      workspace,
      skills: { greet: { description: 'Greets', content: 'Say hello to $ARGUMENTS.' } },
    });
    const options = {
      runtime,
      allowedTools: ['Edit', 'Agent', 'Skill'],
      agents: { helper: { description: 'Helps', prompt: 'You help.', tools: ['Read'] } },
    };
    const outcome = await outcomeOf({ cwd: workspace.root, ...options });
    const text = new TextDecoder().decode(await workspace.read('/workspace/notes/a.txt'));
    return { ...outcome, text };
  },

  structure: (addresses) =>
    outcomeOf({
      runtime: claude(addresses),
      outputFormat: {
        type: 'json_schema',
        schema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      },
    }),

  'mcp over http': (addresses) =>
    outcomeOf({
      runtime: claude(addresses),
      mcpServers: { far: { type: 'http', url: addresses.mcp } },
      allowedTools: ['mcp__far'],
    }),

  'ai sdk': (addresses) => {
    const openai = createOpenAI({ apiKey: 'test', baseURL: `${addresses.vendor}/v1` });
    return outcomeOf({ runtime: embedded({ model: aiSdk(openai('gpt-5')) }), ...toolsOfDesk() });
  },

  async 'permissions and hooks'(addresses) {
    const seen = [];
    const noted = (what) => {
      seen.push(what);
      return {};
    };
    const outcome = await outcomeOf({
      runtime: claude(addresses),
      mcpServers: { desk: desk() },
      canUseTool: async (name, input) => {
        seen.push(`asked ${name}`);
        return name.endsWith('add')
          ? { behavior: 'allow', updatedInput: { ...input, b: 40 } }
          : { behavior: 'deny', message: 'No greetings.' };
      },
      hooks: {
        PreToolUse: [{ hooks: [async ({ tool_name }) => noted(`before ${tool_name}`)] }],
        PostToolUse: [{ hooks: [async ({ tool_name }) => noted(`after ${tool_name}`)] }],
      },
    });
    return { seen, ...outcome };
  },

  async 'several turns'(addresses) {
    await using session = createSession({ runtime: claude(addresses) });
    const first = await session.ask('One.');
    const second = await session.ask('Two.');
    return [first.result, second.result];
  },

  async 'kept conversation'(addresses) {
    const sessionStore = new HttpSessionStore(addresses.store);
    const options = { runtime: claude(addresses), sessionStore, cwd: '/work' };
    const { session_id } = await query({ prompt: 'One.', options }).done;
    const { result } = await query({ prompt: 'Two.', options: { ...options, resume: session_id } }).done;
    return { session_id, result };
  },

  async retry(addresses) {
    const retries = [];
    for await (const message of query({ prompt: 'Go.', options: { runtime: claude(addresses) } })) {
      if (message.subtype === 'api_retry') retries.push(message.error_status);
      if (message.type === 'result') return { retries, result: message.result };
    }
  },

  async abort(addresses) {
    const abortController = new AbortController();
    const running = query({
      prompt: 'Go.',
      options: { runtime: claude(addresses), abortController, includePartialMessages: true },
    });
    return refusalOf(async () => {
      for await (const message of running) if (message.type === 'stream_event') abortController.abort();
    });
  },

  async interrupt(addresses) {
    const running = query({
      prompt: 'Go.',
      options: { runtime: claude(addresses), includePartialMessages: true },
    });
    for await (const message of running) {
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
        await running.interrupt();
      if (message.type === 'result') return message.subtype;
    }
  },

  async 'function as a model'() {
    const model = modelFromFunction(({ messages }) =>
      messages.length === 1
        ? { toolCalls: [{ name: 'mcp__desk__greet', input: { name: 'Ada' } }] }
        : (async function* () {
            yield 'In ';
            yield 'pieces.';
          })(),
    );
    return outcomeOf({ runtime: embedded({ model }), ...toolsOfDesk() });
  },

  async refusals(addresses) {
    const runtime = claude(addresses);
    return {
      cli: await refusalOf(() => query({ prompt: 'Go.' }).done),
      settings: await refusalOf(
        () => query({ prompt: 'Go.', options: { runtime, settingSources: ['user'] } }).done,
      ),
      files: await refusalOf(() => fileSessionStore('/tmp')),
    };
  },
};

/** Messages as they come: each an event of its own. */
function streamed(addresses) {
  const abortController = new AbortController();
  const running = query({
    prompt: 'Go.',
    options: { runtime: claude(addresses), abortController, includePartialMessages: true },
  });
  const body = serverSentEvents(running, () => abortController.abort(), 100);
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

export default {
  async fetch(request) {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const addresses = await request.json();
    if (name === 'stream') return streamed(addresses);
    try {
      return Response.json((await SCENARIOS[name](addresses)) ?? null);
    } catch (error) {
      return Response.json({ thrown: String(error?.stack ?? error) }, { status: 500 });
    }
  },
};
