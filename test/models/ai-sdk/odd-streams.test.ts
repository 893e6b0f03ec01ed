/** Streams of packages that nobody has tested with: what the specification allows, and what it does not say (R41). */
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/index.js';
import { aiSdk } from '../../../src/models/ai-sdk/ai-sdk.js';
import { embedded } from '../../../src/runtime/index.js';
import type { Loose } from '../../runtime/support.js';
import { tools } from './support.js';

const finish = (reason: string) => ({ type: 'finish', finishReason: { unified: reason }, usage: {} });

const done = [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'Done.' },
  { type: 'text-end', id: '0' },
  finish('stop'),
];

async function converse(...answers: object[][]) {
  const { calls, server: s } = tools();
  let asked = 0;
  const doStream = async () => {
    const parts = answers[asked++] ?? done;
    return {
      stream: new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  };
  const model = aiSdk({ specificationVersion: 'v3', provider: 'some.chat', modelId: 'm', doStream });
  const options = {
    runtime: embedded({ model }),
    mcpServers: { s },
    allowedTools: ['mcp__s'],
    throwOnErrorResult: false,
  };
  const messages: Loose[] = [];
  for await (const message of query({ prompt: 'Go.', options })) messages.push(message as unknown as Loose);
  return { messages, result: messages.at(-1) as Loose, calls, asked };
}

describe('aiSdk() (R41)', () => {
  it.each([
    ['before its input', []],
    ['in the middle of its input', [{ type: 'tool-input-delta', id: 'c', delta: '{"words": "del' }]],
  ])('does not run a call that was cut off %s', async (_, deltas) => {
    const { result, calls } = await converse([
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'I say' },
      { type: 'text-end', id: '0' },
      { type: 'tool-input-start', id: 'c', toolName: 'mcp__s__say' },
      ...deltas,
      finish('length'),
    ]);
    expect(calls).toEqual([]);
    expect(result).toMatchObject({ subtype: 'success', stop_reason: 'max_tokens', result: 'I say' });
  });

  it('runs a call whose stream has no pieces, and one whose input is an object', async () => {
    const { result, calls } = await converse(
      [
        { type: 'tool-call', toolCallId: 'a', toolName: 'mcp__s__say', input: '{"n":1}' },
        { type: 'tool-call', toolCallId: 'b', toolName: 'mcp__s__say', input: { n: 2 } },
        // Some servers end with this what is a call.
        finish('stop'),
      ],
      done,
    );
    expect(calls).toEqual(['{"n":1}', '{"n":2}']);
    expect(result).toMatchObject({ is_error: false, result: 'Done.' });
  });

  it('takes text whose beginning was not announced, and text after a call', async () => {
    const { result, messages } = await converse(
      [
        { type: 'text-delta', id: '0', delta: 'First. ' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'mcp__s__say', input: '{}' },
        { type: 'text-delta', id: '0', delta: 'Then.' },
        finish('tool-calls'),
      ],
      done,
    );
    const kinds = messages.flatMap(({ type, message }) =>
      type === 'assistant' ? (message as { content: Loose[] }).content.map(({ type: kind }) => kind) : [],
    );
    expect(kinds).toEqual(['text', 'tool_use', 'text', 'text']);
    expect(result).toMatchObject({ is_error: false, result: 'Done.' });
  });

  it('takes an answer whose id is empty', async () => {
    const { messages, result } = await converse([{ type: 'response-metadata', id: '' }, ...done]);
    const answer = messages.find(({ type }) => type === 'assistant') as
      | { message?: { id?: string } }
      | undefined;
    expect(answer?.message?.id).not.toBe('');
    expect(result).toMatchObject({ is_error: false, result: 'Done.', modelUsage: { m: {} } });
  });

  it('reports a stream that ends before its answer does', async () => {
    const { result } = await converse(done.slice(0, 2));
    expect(result).toMatchObject({
      is_error: true,
      result: expect.stringContaining('ended before its answer did'),
    });
  });
});
