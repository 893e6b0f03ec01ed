/** What of a conversation goes into a request is a policy's choice; the transcript keeps everything. */
import { describe, expect, it } from 'vitest';
import type { MessageParam } from '../../src/protocol/wire/content.js';
import {
  type ConversationHistory,
  type HistoryPolicy,
  InMemorySessionStore,
} from '../../src/runtime/index.js';
import { call, gate, run, server, talk, toolResults } from './support.js';

const CLEARED = '[cleared]';

/** As compaction begins: the words of all results but the newest go, the pairs stay. */
const clearOldResults: HistoryPolicy = () => {
  let keptFrom = 0;
  return ({ messages }) => {
    const newest = messages.findLastIndex(hasResult);
    keptFrom = Math.max(keptFrom, newest);
    return messages.map((message, index) => (index < keptFrom ? cleared(message) : message));
  };
};

const hasResult = ({ content }: MessageParam): boolean =>
  Array.isArray(content) && content.some(({ type }) => type === 'tool_result');

function cleared(message: MessageParam): MessageParam {
  if (!hasResult(message)) return message;
  const content = (message.content as { type: string }[]).map((block) =>
    block.type === 'tool_result' ? { ...block, content: CLEARED } : block,
  );
  return { ...message, content } as MessageParam;
}

const script = [{ toolUses: [call('a')] }, { toolUses: [call('b')] }, 'Done.', 'Again.'];
const options = () => ({
  mcpServers: { s: server({ a: () => 'A', b: () => 'B' }) },
  allowedTools: ['mcp__s'],
});
const texts = (request: Parameters<typeof toolResults>[0]): string[] =>
  toolResults(request).map(({ text }) => text);

describe('a history policy (R44)', () => {
  it('chooses what the model reads, and the transcript keeps everything', async () => {
    const sessionStore = new InMemorySessionStore();
    const { model, result } = await run(script, options(), {
      historyPolicy: clearOldResults,
      sessionStore,
    });
    expect(model.requests.map(texts)).toEqual([[], ['A'], [CLEARED, 'B']]);
    // Without the policy the same conversation is whole again.
    const resumed = await run(['Again.'], { resume: String(result.session_id) }, { sessionStore });
    expect(texts(resumed.model.requests[0])).toEqual(['A', 'B']);
  });

  it('without one the model reads everything', async () => {
    const { model } = await run(script, options());
    expect(model.requests.map(texts)).toEqual([[], ['A'], ['A', 'B']]);
  });

  it('is told the model, the tokens of the last request and everything that was said, for each request', async () => {
    const seen: ConversationHistory[] = [];
    const historyPolicy: HistoryPolicy = () => (history) => {
      seen.push(history);
      return history.messages;
    };
    await run(
      [{ toolUses: [call('a')], usage: { input_tokens: 120, output_tokens: 7 } }, 'Done.'],
      { ...options(), model: 'some-model' },
      { historyPolicy },
    );
    expect(seen).toMatchObject([
      { model: 'some-model', lastRequest: undefined, messages: [{ role: 'user' }] },
      {
        model: 'some-model',
        lastRequest: { input_tokens: 120, output_tokens: 7 },
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
      },
    ]);
  });

  it('keeps what it remembers of one conversation apart from others', async () => {
    let opened = 0;
    const historyPolicy: HistoryPolicy = () => {
      opened += 1;
      let requests = 0;
      return () => {
        requests += 1;
        return [{ role: 'user', content: `request ${requests}` }];
      };
    };
    const { session, model } = talk(['One.', 'Two.'], {}, { historyPolicy });
    await session.ask('One.');
    await session.ask('Two.');
    await session.close();
    expect(opened).toBe(1);
    expect(model.requests.map(({ messages }) => JSON.stringify(messages))).toEqual([
      expect.stringContaining('request 1'),
      expect.stringContaining('request 2'),
    ]);
  });

  it('cannot change what was said: the turn fails and the next one has it unchanged', async () => {
    let isRude = true;
    const historyPolicy: HistoryPolicy =
      () =>
      ({ messages }) => {
        if (isRude) (messages[0] as { content: unknown }).content = 'something else';
        return messages;
      };
    const { session, model } = talk(['Fine.'], { throwOnErrorResult: false }, { historyPolicy });
    const failed = await session.ask('One.');
    expect(failed as unknown).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringContaining('historyPolicy failed: ')],
    });
    isRude = false;
    await session.ask('Two.');
    await session.close();
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('One.');
  });

  it.each<[string, HistoryPolicy, string]>([
    [
      'throws',
      () => () => {
        throw new Error('out of ideas');
      },
      'historyPolicy failed: out of ideas',
    ],
    ['rejects', () => () => Promise.reject(new Error('out of ideas')), 'historyPolicy failed: out of ideas'],
    [
      'returns nothing',
      () => () => undefined as never,
      'historyPolicy returned messages that cannot be sent: a list of messages was expected.',
    ],
    [
      'drops everything',
      () => () => [],
      'historyPolicy returned messages that cannot be sent: the list is empty.',
    ],
    [
      'ends with words of the model',
      () =>
        ({ messages }) => [...messages, { role: 'assistant', content: 'As I said,' }],
      'historyPolicy returned messages that cannot be sent: the last message is not a user message.',
    ],
    [
      'leaves a message empty',
      () =>
        ({ messages }) => [...messages, { role: 'user', content: [] }],
      'historyPolicy returned messages that cannot be sent: messages[1] has no content.',
    ],
  ])('that %s fails the turn, and the model is not asked', async (_, historyPolicy, text) => {
    const { result, model } = await run(['Never.'], {}, { historyPolicy });
    expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true, errors: [text] });
    expect(model.requests).toEqual([]);
  });

  it.each([
    [
      'a call without its result',
      (messages: readonly MessageParam[]): readonly MessageParam[] =>
        messages.map((message) => (hasResult(message) ? { role: 'user', content: 'Go on.' } : message)),
      /messages\[1\]: the call "[^"]+" has no result in the next message\./,
    ],
    [
      'a result without its call',
      (messages: readonly MessageParam[]): readonly MessageParam[] => [
        messages[0] as MessageParam,
        ...messages.filter(({ role }, index) => index > 0 && role === 'user'),
      ],
      /messages\[1\]: the result "[^"]+" answers no call in the previous message\./,
    ],
  ])('that leaves %s is refused before the model is asked', async (_, select, text) => {
    const { result, model } = await run(script, options(), {
      historyPolicy:
        () =>
        ({ messages }) =>
          messages.length === 1 ? messages : select(messages),
    });
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringMatching(text)],
    });
    expect(model.requests).toHaveLength(1);
  });

  it('that takes long does not hold up an interrupt, and hears of it', async () => {
    const started = gate();
    const aborted = gate();
    let isFirst = true;
    const historyPolicy: HistoryPolicy =
      () =>
      ({ messages }, signal) => {
        if (!isFirst) return messages;
        isFirst = false;
        signal.addEventListener('abort', () => aborted.open());
        started.open();
        return new Promise(() => {});
      };
    const { session } = talk(['Next.'], {}, { historyPolicy });
    session.send('One.');
    const reading = (async () => {
      for await (const _ of session.stream());
    })();
    await started.opened;
    await session.query.interrupt();
    await Promise.all([reading, aborted.opened]);
    expect((await session.ask('Two.')) as unknown).toMatchObject({ result: 'Next.' });
    await session.close();
  });
});
