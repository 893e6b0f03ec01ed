/** Older releases of the official SDK drive `tenon-runtime`. They are loaded and used, never read. */
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.js';
import { type Script, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import type { Sdk } from '../matrix/support/scenario.js';
import { sandbox } from '../support/real-cli.js';
import type { Loose } from './support.js';

const program = fileURLToPath(new URL('../../dist/runtime/bin.js', import.meta.url));
const older = createRequire(new URL('../reference/older/package.json', import.meta.url));
/** The shapes of parameters must come from the copy of zod that the old SDK finds. */
const { z } = older('zod') as typeof import('zod');

const oneCall = [toolUse('mcp__calc__add', { a: 15, b: 27 }), text('It is 42.')];

describe.each([
  ['0.1.77', 'claude-agent-sdk-0.1'],
  ['0.2.141', 'claude-agent-sdk-0.2'],
])('the official SDK %s drives tenon-runtime', (_, name) => {
  async function converse(script: Script, makeOptions: (sdk: Sdk, added: unknown[]) => Options) {
    const sdk = (await import(pathToFileURL(older.resolve(name)).href)) as Sdk;
    await using box = sandbox();
    await using api = await scriptedMessagesApi(script);
    const added: unknown[] = [];
    const messages: Loose[] = [];
    const options = {
      pathToClaudeCodeExecutable: program,
      cwd: box.cwd,
      env: box.env(api),
      ...makeOptions(sdk, added),
    };
    for await (const message of sdk.query({ prompt: 'Go.', options })) {
      messages.push(message as unknown as Loose);
    }
    api.assertDone();
    return {
      types: messages.map(({ type }) => type),
      result: messages.at(-1),
      added,
      requests: api.requests,
    };
  }

  const calc = ({ tool, createSdkMcpServer }: Sdk, added: unknown[]): Options => ({
    mcpServers: {
      calc: createSdkMcpServer({
        name: 'calc',
        tools: [
          tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => {
            added.push({ a, b });
            return { content: [{ type: 'text', text: String(a + b) }] };
          }),
        ],
      }),
    },
  });

  it('to a text', async () => {
    const { types, result } = await converse([text('Hello.')], () => ({}));
    expect(types).toEqual(['system', 'assistant', 'result']);
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Hello.', num_turns: 1 });
  });

  it('through a call of an in-process tool', async () => {
    const { result, added, requests } = await converse(oneCall, (sdk, calls) => ({
      ...calc(sdk, calls),
      allowedTools: ['mcp__calc__add'],
    }));
    expect(added).toEqual([{ a: 15, b: 27 }]);
    expect(requests[1]?.toolResults).toMatchObject([{ content: [{ type: 'text', text: '42' }] }]);
    expect(result).toMatchObject({ subtype: 'success', result: 'It is 42.', num_turns: 2 });
  });

  it.each(['allow', 'deny'] as const)('through a permission callback that answers %s', async (behavior) => {
    const asked: unknown[] = [];
    const { result, added, requests } = await converse(oneCall, (sdk, calls) => ({
      ...calc(sdk, calls),
      canUseTool: async (tool, input) => {
        asked.push({ tool, input });
        return behavior === 'allow'
          ? { behavior, updatedInput: { a: 1, b: 1 } }
          : { behavior, message: 'not today' };
      },
    }));
    expect(asked).toEqual([{ tool: 'mcp__calc__add', input: { a: 15, b: 27 } }]);
    expect(added).toEqual(behavior === 'allow' ? [{ a: 1, b: 1 }] : []);
    expect(requests[1]?.toolResults).toMatchObject([
      behavior === 'allow'
        ? { content: [{ text: '2' }] }
        : { is_error: true, content: expect.stringContaining('not today') },
    ]);
    expect(result).toMatchObject({ subtype: 'success', result: 'It is 42.' });
  });

  it('through hooks', async () => {
    const called: unknown[] = [];
    const { added, requests } = await converse(oneCall, (sdk, calls) => ({
      ...calc(sdk, calls),
      allowedTools: ['mcp__calc__add'],
      hooks: {
        PreToolUse: [
          {
            matcher: 'mcp__calc__.*',
            hooks: [
              async (input) => {
                called.push(input.hook_event_name);
                const permissionDecisionReason = 'not on a Sunday';
                return {
                  hookSpecificOutput: {
                    hookEventName: 'PreToolUse',
                    permissionDecision: 'deny',
                    permissionDecisionReason,
                  },
                };
              },
            ],
          },
        ],
        Stop: [
          {
            hooks: [
              async (input) => {
                called.push(input.hook_event_name);
                return {};
              },
            ],
          },
        ],
      },
    }));
    expect(called).toEqual(['PreToolUse', 'Stop']);
    expect(added).toEqual([]);
    expect(requests[1]?.toolResults).toMatchObject([
      { is_error: true, content: expect.stringContaining('not on a Sunday') },
    ]);
  });
});
