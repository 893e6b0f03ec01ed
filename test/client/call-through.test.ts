import { describe, expect, it } from 'vitest';
import { callThrough, isToolCall } from '../../src/client/mcp/tool-middleware.js';
import { type CallMiddleware, composeCalls } from '../../src/mcp/call-middleware.js';
import type { JsonRpcMessage, JsonRpcRequest, JsonRpcResponse } from '../../src/mcp/types.js';
import { Cancellation } from '../../src/protocol/base/cancellation.js';

const request: JsonRpcRequest = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'stock', arguments: { product: 'saw' }, _meta: { progressToken: 3 } },
};

const refusal = {
  jsonrpc: '2.0',
  id: 7,
  error: { code: -32602, message: 'no such tool', data: { near: 'stack' } },
};

async function send(
  middleware: CallMiddleware,
  answer: object,
): Promise<{ answer: object; forwarded: unknown[] }> {
  const forwarded: unknown[] = [];
  const calls = composeCalls([middleware], 'toolMiddleware');
  if (calls === undefined) throw new Error('There is no middleware.');
  const { mcp_response } = await callThrough(calls, request, {
    serverName: 'shop',
    sessionId: undefined,
    cancellation: new Cancellation(),
    forward: async (message) => {
      forwarded.push(message);
      return { mcp_response: answer as JsonRpcResponse };
    },
  });
  return { answer: mcp_response, forwarded };
}

describe('a call through the middleware of a query', () => {
  it('reaches its server as it was, with its id, its `_meta` and its arguments', async () => {
    const result = { content: [{ type: 'text', text: '8' }] };
    const { answer, forwarded } = await send((_call, next) => next(), { jsonrpc: '2.0', id: 7, result });
    expect(forwarded).toEqual([request]);
    expect(answer).toEqual({ jsonrpc: '2.0', id: 7, result });
  });

  it('that the server refuses is refused with the same code, message and data', async () => {
    const { answer } = await send((_call, next) => next(), refusal);
    expect(answer).toEqual(refusal);
  });

  it('that the server refuses can be saved by the middleware', async () => {
    const saves: CallMiddleware = (_call, next) =>
      next().catch((error: Error) => ({ content: [{ type: 'text', text: `It said: ${error.message}` }] }));
    const { answer } = await send(saves, refusal);
    expect(answer).toMatchObject({ id: 7, result: { content: [{ text: 'It said: no such tool' }] } });
  });

  it('is only taken for one where it is a request for a call', () => {
    const others: JsonRpcMessage[] = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ];
    expect(others.filter(isToolCall)).toEqual([]);
    expect(isToolCall(request)).toBe(true);
  });
});
