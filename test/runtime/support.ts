/** Conversations with the embedded runtime, all in memory. */
import { expect } from 'vitest';
import {
  createSdkMcpServer,
  createSession,
  type Options,
  query,
  type SDKMessage,
  tool,
} from '../../src/index.js';
import { embedded, type RuntimeConfig } from '../../src/runtime/index.js';
import {
  type RequestMessage,
  type Script,
  type ScriptedModel,
  type ScriptedRequest,
  scriptedModel,
} from '../../src/testing/index.js';

export type Loose = { type: string; subtype?: string; [field: string]: unknown };

export interface Run {
  model: ScriptedModel;
  messages: Loose[];
  results: Loose[];
  result: Loose;
  error: unknown;
}

/** One prompt to its end. */
export async function run(
  script: Script,
  options: Options = {},
  config: Omit<RuntimeConfig, 'model'> = {},
): Promise<Run> {
  const model = scriptedModel(script);
  const messages: Loose[] = [];
  let error: unknown;
  try {
    const runtime = embedded({ model, ...config });
    const answer = query({ prompt: 'Go.', options: { throwOnErrorResult: false, ...options, runtime } });
    for await (const message of answer) messages.push(message as unknown as Loose);
  } catch (thrown) {
    error = thrown;
  }
  const results = messages.filter(({ type }) => type === 'result');
  for (const request of model.requests) expectWellFormed(request.messages);
  return { model, messages, results, result: results.at(-1) as Loose, error };
}

/** A conversation of several turns. */
export function talk(script: Script, options: Options = {}, config: Omit<RuntimeConfig, 'model'> = {}) {
  const model = scriptedModel(script);
  const session = createSession({ ...options, runtime: embedded({ model, ...config }) });
  return { model, session };
}

export const call = (name: string, input: Record<string, unknown> = {}, id?: string) => ({
  name: `mcp__s__${name}`,
  input,
  ...(id === undefined ? {} : { id }),
});

type Handler = (input: Record<string, unknown>, context: { signal: AbortSignal }) => unknown;

/** A server "s" whose tools take anything. */
export function server(
  handlers: Record<string, Handler>,
  { readOnly = [], ...more }: { readOnly?: string[]; [option: string]: unknown } = {},
) {
  const inputSchema = { type: 'object' as const, properties: {}, additionalProperties: true };
  const tools = Object.entries(handlers).map(([name, handler]) =>
    tool(name, `The tool ${name}`, inputSchema, handler as never, {
      annotations: { readOnlyHint: readOnly.includes(name) },
    }),
  );
  return createSdkMcpServer({ name: 's', tools, ...more });
}

export function toolResults(
  request: Pick<ScriptedRequest, 'messages'> | undefined,
): { id: string; text: string; isError: boolean }[] {
  return (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) =>
          block.type === 'tool_result'
            ? [
                {
                  id: block.tool_use_id as string,
                  text: textOf(block.content),
                  isError: block.is_error === true,
                },
              ]
            : [],
        ),
  );
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as { text?: string }[]).map(({ text = '' }) => text).join('');
}

/** Everything in it that is text, for a look at what the model was told. */
export function said(request: Pick<ScriptedRequest, 'messages'> | undefined): string {
  return JSON.stringify(request?.messages);
}

/** Every call has one result, in the next message, and every result its call. */
export function expectWellFormed(messages: readonly RequestMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const results = idsOf(messages[index + 1], 'tool_result');
    expect(results, 'results of the calls').toEqual(expect.arrayContaining(idsOf(message, 'tool_use')));
    const calls = idsOf(messages[index - 1], 'tool_use');
    expect([...calls].sort(), 'calls of the results').toEqual(
      idsOf(message, 'tool_result').length === 0 && calls.length === 0
        ? []
        : [...idsOf(message, 'tool_result')].sort(),
    );
    expect(message.content.length, 'something said').toBeGreaterThan(0);
  }
}

function idsOf(message: RequestMessage | undefined, type: 'tool_use' | 'tool_result'): string[] {
  const content = message?.content;
  if (content === undefined || typeof content === 'string') return [];
  return content.flatMap((block) => {
    if (block.type === 'tool_use' && type === 'tool_use') return [block.id as string];
    if (block.type === 'tool_result' && type === 'tool_result') return [block.tool_use_id as string];
    return [];
  });
}

/** A promise and its end. */
export function gate<Value = void>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Never resolves by itself: ends when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
}

export const kinds = (messages: readonly (SDKMessage | Loose)[]): string[] =>
  messages.map((message) => {
    const { type, subtype, event } = message as Loose & { event?: { type: string } };
    return [type, subtype ?? event?.type].filter((part) => part !== undefined).join('/');
  });
