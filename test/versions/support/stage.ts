/** Everything around one CLI: a private home, a scripted API, and queries that use both. */
import { expect } from 'vitest';
import { z } from 'zod';
import {
  createSdkMcpServer,
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  tool,
} from '../../../src/index.js';
import {
  type Script,
  type ScriptedMessagesApi,
  type ScriptedRequest,
  scriptedMessagesApi,
} from '../../../src/testing/index.js';
import { alive, collect, descendants, type Sandbox, sandbox, waitUntil } from '../../support/real-cli.js';
import type { Cli } from './fetch-cli.js';
import type { Deviation } from './scenario.js';

export interface Stage extends AsyncDisposable {
  readonly cli: Cli;
  readonly box: Sandbox;
  readonly api: ScriptedMessagesApi;
  /** The options that put a query on this stage. */
  options(more?: Options): Options;
  query(prompt: string | AsyncIterable<SDKUserMessage>, more?: Options): Query;
}

export async function stage(cli: Cli, script: Script): Promise<Stage> {
  const box = sandbox();
  const api = await scriptedMessagesApi(script);
  const options = (more: Options = {}): Options => ({
    pathToClaudeCodeExecutable: cli.path,
    cwd: box.cwd,
    // Old versions repeat a refused request ten times with growing pauses.
    env: box.env(api, { CLAUDE_CODE_MAX_RETRIES: '1' }),
    ...more,
  });
  return {
    cli,
    box,
    api,
    options,
    query: (prompt, more) => query({ prompt, options: options(more) }),
    [Symbol.asyncDispose]: async () => {
      await api.close();
      await box[Symbol.asyncDispose]();
    },
  };
}

/** A server `calc` whose tool `add` tells what it was called with. */
export function calculator() {
  const calls: { a: number; b: number }[] = [];
  const add = tool('add', 'Add two numbers', { a: z.number(), b: z.number() }, (args) => {
    calls.push(args);
    return args.a + args.b;
  });
  return { calls, server: createSdkMcpServer({ name: 'calc', tools: [add] }) };
}

/** For every scenario with tools of the program. */
export const withoutServers: Deviation = {
  before: '1.0.93',
  reason: 'No in-process servers: the query fails with `CLI_TOO_OLD`, and no process is started.',
  play: async (cli) => {
    await using on = await stage(cli, []);
    const running = on.query('Add', { mcpServers: { calc: calculator().server } });
    expect(running.pid).toBeUndefined();
    const { messages, error } = await collect(running);
    expect(messages).toEqual([]);
    expect(error).toMatchObject({ code: 'CLI_TOO_OLD', cliVersion: cli.version });
  },
};

/** A tool that waits until it is told to stop. */
export function patientTool() {
  let begin = (): void => {};
  let end = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const cancelled = new Promise<void>((resolve) => {
    end = resolve;
  });
  const wait = tool('wait', 'Wait for ever', {}, (_args, { signal }) => {
    signal.addEventListener('abort', end);
    begin();
    return new Promise<never>(() => {});
  });
  return { begun, cancelled, server: createSdkMcpServer({ name: 'slow', tools: [wait] }) };
}

export function userMessage(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

export function resultsOf(messages: readonly SDKMessage[]): SDKResultMessage[] {
  return messages.filter((message) => message.type === 'result');
}

/** What the model was told of a tool call, as text. */
export function toolResultTexts(request: ScriptedRequest | undefined): string[] {
  return (request?.toolResults ?? []).map(({ content = '' }) =>
    typeof content === 'string' ? content : content.map((block) => block.text ?? '').join(''),
  );
}

/** Remembers the process and its children; `gone` waits until none of them is left. */
export function processesOf(running: Query): { gone(): Promise<void> } {
  const { pid } = running;
  expect(pid).toBeTypeOf('number');
  const all = [pid as number, ...descendants(pid as number)];
  return { gone: () => waitUntil(() => !all.some(alive), { what: `the end of the processes ${all}` }) };
}
