/** What tests need around the fake CLIs of test/fixtures/cli: how to run one, how it went, and whether anything leaked. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import {
  createSdkMcpServer,
  type Options,
  ProcessError,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  tool,
} from '../../src/index.js';
import { alive, collect, descendants, waitUntil } from './real-cli.js';

/** The path of a fake CLI; `.mjs` unless the name says otherwise. */
export function fakeCli(name: string): string {
  const file = name.includes('.') ? name : `${name}.mjs`;
  return fileURLToPath(new URL(`../fixtures/cli/${file}`, import.meta.url));
}

/** Starts a query on a fake CLI. */
export function run(
  name: string,
  options: Options = {},
  prompt: string | AsyncIterable<SDKUserMessage> = 'hi',
): Query {
  return query({ prompt, options: { pathToClaudeCodeExecutable: fakeCli(name), ...options } });
}

export function user(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

export interface Outcome {
  messages: SDKMessage[];
  /** What the loop threw. */
  error: unknown;
  done: PromiseSettledResult<SDKResultMessage>;
  exit: { code: number | null; signal: string | null };
}

/** Reads a query to its end, and holds it to what every end has in common: all settles, nothing runs on. */
export async function outcome(running: Query): Promise<Outcome> {
  const { messages, error } = await collect(running);
  const exit = await running.exited;
  const [done] = await Promise.allSettled([running.done]);
  // An error is thrown once; after it there is nothing more.
  expect(await running.next()).toEqual({ done: true, value: undefined });
  await expect(running.controlRequest('mcp_status', {})).rejects.toBeInstanceOf(Error);
  if (running.pid !== undefined) expect(alive(running.pid), 'the CLI still runs').toBe(false);
  return { messages, error, done, exit };
}

/** What a fake CLI told the test, all its reports in one object. */
export function reportOf(messages: readonly SDKMessage[]): Record<string, unknown> {
  const reports = messages.filter((message) => (message.type as string) === 'report');
  return Object.assign({}, ...reports);
}

export function resultsOf(messages: readonly SDKMessage[]): SDKResultMessage[] {
  return messages.filter((message) => message.type === 'result');
}

export function processError(error: unknown): ProcessError {
  if (error instanceof ProcessError) return error;
  throw new Error(`Not a ProcessError: ${String(error)}`, { cause: error });
}

/** An in-process server with a tool `add`, and the arguments that it was called with. */
export function calculator(): {
  server: ReturnType<typeof createSdkMcpServer>;
  calls: { a: number; b: number }[];
} {
  const calls: { a: number; b: number }[] = [];
  const add = tool('add', 'Add two numbers', { a: z.number(), b: z.number() }, (numbers) => {
    calls.push(numbers);
    return numbers.a + numbers.b;
  });
  return { server: createSdkMcpServer({ name: 'calc', tools: [add] }), calls };
}

/** The answer to a call of `add` with 15 and 27. */
export const fortyTwo = { result: { content: [{ type: 'text', text: '42' }] } };

/**
 * Call it at the top of a test file. What reaches the process instead of the caller fails the file: an unhandled
 * rejection, an uncaught exception, a warning; and so does a process that is left when all tests are through.
 */
export function failOnTrouble(isExpected: (warning: Error) => boolean = () => false): void {
  const trouble: unknown[] = [];
  const note = (what: unknown): void => void trouble.push(what);
  const noteWarning = (warning: Error): void => {
    if (!isExpected(warning)) trouble.push(warning);
  };
  beforeAll(() => {
    process.on('unhandledRejection', note);
    process.on('uncaughtException', note);
    process.on('warning', noteWarning);
  });
  afterAll(async () => {
    // The reaper's shell leaves a moment after the last conversation.
    const alone = () => descendants(process.pid).length === 0;
    await waitUntil(alone, { what: 'the end of all children' });
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
    process.off('warning', noteWarning);
    expect(trouble).toEqual([]);
  });
}
