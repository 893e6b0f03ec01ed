/** The same server, made with each of the ways that the MCP libraries know. */

import { Server as LowLevelServer } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import { McpServer as McpServerV2, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { McpServerInstance } from '../../src/index.js';

export interface ForeignServer {
  readonly instance: McpServerInstance;
  /** The calls of `wait` that run, by the name that they were given; `true` once their signal was aborted. */
  readonly waiting: Map<string, boolean>;
  changeTools(): Promise<void> | void;
}

const say = (text: string) => ({ content: [{ type: 'text' as const, text }] });
const question = {
  message: 'What is your name?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};

/** What the handlers need of the second argument, which is another one in each library. */
interface Extra {
  readonly signal: AbortSignal;
  readonly token: string | number | undefined;
  notify(notification: ServerNotification): Promise<void>;
  /** A question that names the call it belongs to. */
  elicit(): Promise<unknown>;
  /** One that does not. */
  elicitPlainly(): Promise<unknown>;
}

function handlers(waiting: Map<string, boolean>) {
  return {
    add: ({ a, b }: { a: number; b: number }) => say(String(a + b)),
    wait: async ({ name }: { name: string }, { signal }: Extra) => {
      waiting.set(name, false);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      waiting.set(name, true);
      return say('aborted');
    },
    report: async ({ text }: { text: string }, { token = '', notify }: Extra) => {
      const progress = { progressToken: token, progress: 1, message: text };
      await notify({ method: 'notifications/progress', params: progress });
      await notify({ method: 'notifications/message', params: { level: 'info', data: text } });
      return say(text);
    },
    ask: async (_args: unknown, { elicit }: Extra) => say(JSON.stringify(await elicit())),
    askPlainly: async (_args: unknown, { elicitPlainly }: Extra) =>
      say(JSON.stringify(await elicitPlainly())),
  };
}

const shapes = {
  add: { a: z.number(), b: z.number() },
  wait: { name: z.string() },
  report: { text: z.string() },
};

function extraOfV1(
  server: LowLevelServer,
  extra: RequestHandlerExtra<ServerRequest, ServerNotification>,
): Extra {
  return {
    signal: extra.signal,
    token: extra._meta?.progressToken,
    notify: extra.sendNotification,
    elicit: () => extra.sendRequest({ method: 'elicitation/create', params: question }, ElicitResultSchema),
    elicitPlainly: () => server.elicitInput(question),
  };
}

function v1(): ForeignServer {
  const waiting = new Map<string, boolean>();
  const { add, wait, report, ask, askPlainly } = handlers(waiting);
  const server = new McpServer({ name: 'foreign', version: '1.0.0' }, { capabilities: { logging: {} } });
  const { server: inner } = server;
  server.registerTool('add', { inputSchema: shapes.add }, (args) => add(args));
  server.registerTool('wait', { inputSchema: shapes.wait }, (args, extra) =>
    wait(args, extraOfV1(inner, extra)),
  );
  server.registerTool('report', { inputSchema: shapes.report }, (args, extra) =>
    report(args, extraOfV1(inner, extra)),
  );
  server.registerTool('ask', { inputSchema: {} }, (args, extra) => ask(args, extraOfV1(inner, extra)));
  server.registerTool('askPlainly', { inputSchema: {} }, (args, extra) =>
    askPlainly(args, extraOfV1(inner, extra)),
  );
  server.registerResource('note', 'note://one', {}, ({ href }) => note(href));
  server.registerPrompt('greet', { argsSchema: { name: z.string() } }, ({ name }) => greeting(name));
  return { instance: server, waiting, changeTools: () => server.sendToolListChanged() };
}

function v2(): ForeignServer {
  const waiting = new Map<string, boolean>();
  const { add, wait, report, ask, askPlainly } = handlers(waiting);
  const server = new McpServerV2({ name: 'foreign', version: '1.0.0' }, { capabilities: { logging: {} } });
  const extraOf = ({ mcpReq }: ServerContext): Extra => ({
    signal: mcpReq.signal,
    token: mcpReq._meta?.progressToken,
    notify: mcpReq.notify,
    elicit: () => mcpReq.send({ method: 'elicitation/create', params: question }),
    elicitPlainly: () => mcpReq.elicitInput(question),
  });
  server.registerTool('add', { inputSchema: z.object(shapes.add) }, (args) => add(args));
  server.registerTool('wait', { inputSchema: z.object(shapes.wait) }, (args, context) =>
    wait(args, extraOf(context)),
  );
  server.registerTool('report', { inputSchema: z.object(shapes.report) }, (args, context) =>
    report(args, extraOf(context)),
  );
  server.registerTool('ask', { inputSchema: z.object({}) }, (args, context) => ask(args, extraOf(context)));
  server.registerTool('askPlainly', { inputSchema: z.object({}) }, (args, context) =>
    askPlainly(args, extraOf(context)),
  );
  server.registerResource('note', 'note://one', {}, ({ href }) => note(href));
  server.registerPrompt('greet', { argsSchema: z.object({ name: z.string() }) }, ({ name }) =>
    greeting(name),
  );
  return { instance: server, waiting, changeTools: () => server.sendToolListChanged() };
}

function lowLevel(): ForeignServer {
  const waiting = new Map<string, boolean>();
  const tools = new Map(Object.entries(handlers(waiting)));
  const server = new LowLevelServer(
    { name: 'foreign', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, prompts: {}, logging: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.keys()].map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools.get(params.name);
    if (tool === undefined) return { ...say(`Tool ${params.name} not found`), isError: true };
    return tool(params.arguments as never, extraOfV1(server, extra));
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ name: 'note', uri: 'note://one' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => note(params.uri));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'greet' }] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => greeting(params.arguments?.name ?? ''));
  return { instance: server, waiting, changeTools: () => server.sendToolListChanged() };
}

const note = (uri: string) => ({ contents: [{ uri, text: 'A note' }] });
const greeting = (name: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `Greet ${name}` } }],
});

export const foreignServers: readonly [kind: string, make: () => ForeignServer][] = [
  ['McpServer of @modelcontextprotocol/sdk 1.x', v1],
  ['Server of @modelcontextprotocol/sdk 1.x', lowLevel],
  ['McpServer of @modelcontextprotocol/server 2.x', v2],
];
