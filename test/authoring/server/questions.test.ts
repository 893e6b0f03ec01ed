/** What a handler can ask the other side: the person, a model; and what it hears where nobody can answer (pain 33, wish 6). */
import { describe, expect, test, vi } from 'vitest';
import { createSdkMcpServer, type Options, type ToolContext, tool } from '../../../src/index.js';
import { outcome, reportOf, run } from '../../support/fake-cli.js';

/** The result of one call of a tool with this handler, as a CLI sees it. */
async function called(handler: (context: ToolContext) => unknown, options: Options = {}): Promise<unknown> {
  const add = tool('add', 'd', { type: 'object' }, (_args, context) => handler(context) as string);
  const calc = createSdkMcpServer({ name: 'calc', tools: [add] });
  const { messages } = await outcome(run('calls-tool-at-once', { mcpServers: { calc }, ...options }));
  const { result } = reportOf(messages).call as {
    result: { content: { text: string }[]; isError?: boolean };
  };
  return result.isError ? { failed: result.content[0]?.text } : JSON.parse(result.content[0]?.text ?? 'null');
}

describe('without a callback of the host', () => {
  test.each<[string, (context: ToolContext) => unknown, string]>([
    [
      'a question to the person',
      ({ elicit }) => elicit({ message: 'Who?' }),
      'Method not found: elicitation/create. Nobody can be asked: the query has no `onElicitation`.',
    ],
    [
      'a question to a model',
      ({ sample }) => sample({ messages: [], maxTokens: 10 }),
      'Method not found: sampling/createMessage. No model can be asked: the query has no `onSampling`.',
    ],
    [
      'any other request',
      ({ sendRequest }) => sendRequest({ method: 'roots/list' }),
      'Method not found: roots/list',
    ],
  ])('%s is refused at once, in words', async (_, handler, words) => {
    expect(await called(handler)).toEqual({ failed: words });
  });
});

describe('onElicitation', () => {
  test('is asked with the question and the server, and its answer is the handler’s', async () => {
    const onElicitation = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    const answer = await called(({ elicit }) => elicit({ message: 'Who?', requestedSchema }), {
      onElicitation,
    });
    expect(answer).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(onElicitation).toHaveBeenCalledWith(
      { serverName: 'calc', message: 'Who?', requestedSchema },
      { signal: expect.any(AbortSignal), requestId: expect.any(String) },
    );
  });

  test('that returns nothing has declined, and one that throws has failed', async () => {
    expect(
      await called(({ elicit }) => elicit({ message: '?' }), { onElicitation: async () => null }),
    ).toEqual({
      action: 'decline',
    });
    const onElicitation = () => {
      throw new Error('the window is gone');
    };
    expect(await called(({ elicit }) => elicit({ message: '?' }), { onElicitation })).toEqual({
      failed: 'the window is gone',
    });
  });

  test('hears that its question is withdrawn when the call is cancelled', async () => {
    const withdrawn = vi.fn();
    const onElicitation: Options['onElicitation'] = (_question, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          withdrawn(signal.reason);
          resolve({ action: 'cancel' });
        });
      });
    const heard = vi.fn();
    const slow = tool('slow', 'd', {}, async (_args, { elicit, log }) => {
      const answer = elicit({ message: 'Go on?' });
      // The fake CLI cancels the call when it hears this.
      log('info', 'asked');
      await answer.catch(heard);
    });
    const calc = createSdkMcpServer({ name: 'calc', tools: [slow] });
    await outcome(run('cancels-tool-call', { mcpServers: { calc }, onElicitation }));
    expect(withdrawn).toHaveBeenCalledExactlyOnceWith('AbortError: remote-cancel');
    expect(heard).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'ABORTED' }));
  });
});

describe('onSampling', () => {
  test('is asked with the parameters of MCP, and its answer is the handler’s', async () => {
    const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    const onSampling = vi.fn(() => answer);
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }], maxTokens: 10 };
    expect(await called(({ sample }) => sample(params), { onSampling })).toEqual(answer);
    expect(onSampling).toHaveBeenCalledWith(
      { serverName: 'calc', params },
      { signal: expect.any(AbortSignal), requestId: expect.any(String) },
    );
  });

  test('also answers handlers that were written for the MCP library', async () => {
    const onSampling = () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } });
    const request = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } };
    const schemaOfTheLibrary = { parse: (value: unknown) => value };
    expect(
      await called(({ sendRequest }) => sendRequest(request, schemaOfTheLibrary), { onSampling }),
    ).toMatchObject({ content: { text: 'hi' } });
  });
});

test('the session is known to the handler, and so is the call', async () => {
  const seen = await called(({ sessionId, serverName, requestId, toolUseId, meta, repairedArguments }) => ({
    sessionId,
    serverName,
    hasRequestId: requestId !== undefined,
    toolUseId: toolUseId ?? null,
    meta,
    repairedArguments,
  }));
  expect(seen).toEqual({
    sessionId: '00000000-0000-4000-8000-000000000000',
    serverName: 'calc',
    hasRequestId: true,
    toolUseId: null,
    meta: {},
    repairedArguments: [],
  });
});
