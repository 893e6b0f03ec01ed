/** A question of a server to the person lasts no longer than somebody waits for its answer. */
import { expect, it } from 'vitest';
import { openHub } from './support.js';

/** `ask` puts a question and does not wait; `withdraw` takes it back, `leave` goes away. `answers` tells what came for it. */
const CURIOUS = `
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const tools = ['ask', 'withdraw', 'leave', 'answers'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  const answers = [];
  const calls = {
    ask: () => send({ id: 'question', method: 'elicitation/create', params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } } }),
    withdraw: () => send({ method: 'notifications/cancelled', params: { requestId: 'question' } }),
    leave: () => process.exit(),
    answers: () => JSON.stringify(answers),
  };
  const results = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'curious', version: '1' } }),
    'tools/list': () => ({ tools }),
    'tools/call': ({ name }) => ({ content: [{ type: 'text', text: calls[name]() ?? 'done' }] }),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (id === 'question') answers.push(result);
    else if (id !== undefined) send({ id, result: results[method](params) });
  });`;

function curious() {
  let hear: (signal: AbortSignal | undefined) => void = () => {};
  const heard = new Promise<AbortSignal | undefined>((resolve) => {
    hear = resolve;
  });
  const test = openHub(
    { s: { command: process.execPath, args: ['-e', CURIOUS] } },
    {
      answer: (_, __, signal) => {
        hear(signal);
        return new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      },
    },
  );
  return { test, heard };
}

it('a question that the server takes back is withdrawn from the person, and not answered', async () => {
  const { test, heard } = curious();
  await using hub = test;
  await hub.until('connected');
  await hub.call('ask');
  const signal = await heard;
  expect(signal?.aborted).toBe(false);
  await hub.call('withdraw');
  expect(signal?.aborted).toBe(true);
  expect(await hub.text('answers')).toBe('[]');
});

it('a question of a server that is gone is withdrawn', async () => {
  const { test, heard } = curious();
  await using hub = test;
  await hub.until('connected');
  await hub.call('ask');
  const signal = await heard;
  await hub.call('leave').catch(() => {});
  expect(signal?.aborted).toBe(true);
});
