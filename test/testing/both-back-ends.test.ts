/** One script, played in front of the real CLI and inside the embedded runtime: the same conversation (pain 8, wish 4). */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSdkMcpServer, createSession, type SDKMessage, tool } from '../../src/index.js';
import {
  apiError,
  blocks,
  delay,
  hang,
  type Script,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
  UnconsumedStepsError,
  UnexpectedRequestError,
} from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { waitUntil } from '../support/real-cli.js';

const calc = () =>
  createSdkMcpServer({
    name: 'calc',
    tools: [
      tool('add', 'Adds', { a: z.number(), b: z.number() }, ({ a, b }) => a + b),
      tool('fail', 'Fails', {}, () => {
        throw new Error('No luck.');
      }),
    ],
  });
const withCalc = () => ({
  mcpServers: { calc: calc() },
  allowedTools: ['mcp__calc'],
  throwOnErrorResult: false,
});

describe.each(BACK_ENDS)('on $name', ({ start }) => {
  it('a script in chunks reaches the host delta by delta, and each call its tool', async () => {
    await using agent = await start([
      blocks([
        thinking('Let me see.', { chunks: 2, signature: 'sig-1' }),
        text(['I ', 'add.'], { chunkDelayMs: 1 }),
        toolUse('mcp__calc__add', { a: 15, b: 27 }, { chunks: 3 }),
      ]),
      delay(
        5,
        toolUses([
          { name: 'mcp__calc__fail', id: 'toolu_mine' },
          { name: 'mcp__calc__add', input: { a: 1, b: 2 } },
        ]),
      ),
      'It is 42.',
    ]);
    const { messages } = await ask(agent.options({ ...withCalc(), includePartialMessages: true }));
    expect(deltas(messages)).toEqual([
      ['thinking_delta', 'Let m'],
      ['thinking_delta', 'e see.'],
      ['signature_delta', 'sig-1'],
      ['text_delta', 'I '],
      ['text_delta', 'add.'],
      ['input_json_delta', '{"a":'],
      ['input_json_delta', '15,"b'],
      ['input_json_delta', '":27}'],
      ['input_json_delta', '{}'],
      ['input_json_delta', '{"a":1,"b":2}'],
      ['text_delta', 'It is 42.'],
    ]);
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'It is 42.' });
    const [first, second, third] = agent.player.requests;
    expect(first?.lastUserText).toBe('Go.');
    expect(first?.toolNames).toContain('mcp__calc__add');
    expect(shown(second?.toolResult('toolu_0001'))).toEqual({ text: '42', isError: false });
    // The CLI reports the results in the order in which they were ready, so they are asked for by id.
    expect(shown(third?.toolResult('toolu_0001'))).toEqual({ text: '42', isError: false });
    expect(shown(third?.toolResult('toolu_mine'))).toMatchObject({
      text: expect.stringContaining('No luck.'),
      isError: true,
    });
    expect(shown(third?.toolResult('toolu_0002'))).toEqual({ text: '3', isError: false });
    agent.player.assertDone();
  });

  it('a function decides by what the tools reported', async () => {
    const script: Script = ({ toolResults: [result] }, index) => {
      if (result === undefined) return toolUse('mcp__calc__add', { a: 1, b: 2 });
      return index === 1 ? `The tool says ${shown(result)?.text}.` : 'Too late.';
    };
    await using agent = await start(script);
    const { messages } = await ask(agent.options(withCalc()));
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'The tool says 3.' });
    agent.player.assertDone();
  });

  it('an error of the API is the error of the turn, with its status', async () => {
    await using agent = await start([apiError(529, 'overloaded_error', 'Overloaded')]);
    const options = agent.options({ ...withCalc(), env: { CLAUDE_CODE_MAX_RETRIES: '0' } });
    const { messages } = await ask(options);
    expect(messages.at(-1)).toMatchObject({ is_error: true, api_error_status: 529 });
    agent.player.assertDone();
  });

  it('a request beyond the script fails the turn with the reason, and assertDone throws', async () => {
    await using agent = await start([toolUse('mcp__calc__add', { a: 1, b: 2 })]);
    const { messages } = await ask(agent.options(withCalc()));
    const reason =
      /no step left for request \d \(last user text "Go\.", results of toolu_0001; the script has 1 step\)/;
    expect(messages.at(-1)).toMatchObject({ is_error: true, result: expect.stringMatching(reason) });
    expect(() => agent.player.assertDone()).toThrow(UnexpectedRequestError);
    expect(() => agent.player.assertDone()).toThrow(/results of toolu_0001.*the script has 1 step\)/);
  });

  it.each([
    ['hangs', hang(), []],
    ['stalls', stall(text('abcd', { chunks: 4 })), ['a', 'b']],
  ])(
    'an answer that %s waits for an interrupt, and the next prompt gets the next step',
    async (_, step, expected) => {
      await using agent = await start([step, 'Here again.', 'Never asked for.']);
      const session = createSession(agent.options({ ...withCalc(), includePartialMessages: true }));
      session.send('One.');
      const messages: SDKMessage[] = [];
      const read = (async () => {
        for await (const message of session.stream()) messages.push(message);
      })();
      await agent.player.waitForRequest(0);
      await waitUntil(() => deltas(messages).length === expected.length, { what: 'the deltas' });
      await session.query.interrupt();
      await read;
      expect(deltas(messages).map(([, words]) => words)).toEqual(expected);
      expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'error_during_execution' });
      expect(await session.ask('Two.')).toMatchObject({ result: 'Here again.' });
      await session.close();
      expect(() => agent.player.assertDone()).toThrow(UnconsumedStepsError);
      expect(() => agent.player.assertDone()).toThrow(
        '1 step of the script was never used: #3 text "Never asked for."',
      );
    },
  );
});

/** The deltas of the stream: kind and words. */
function deltas(messages: readonly SDKMessage[]): [kind: string, words: string][] {
  return messages.flatMap((message): [string, string][] => {
    if (message.type !== 'stream_event' || message.event.type !== 'content_block_delta') return [];
    const { type, ...rest } = message.event.delta;
    return [[type, String(Object.values(rest)[0])]];
  });
}

function shown(result: { content?: unknown; is_error?: boolean } | undefined) {
  if (result === undefined) return undefined;
  const { content, is_error = false } = result;
  const parts = typeof content === 'string' ? [{ text: content }] : (content as { text?: string }[]);
  return { text: parts.map((part) => part.text ?? '').join(''), isError: is_error };
}
