/** What a turn of the embedded runtime is made of: words, thoughts, calls and their results. */
import { describe, expect, it } from 'vitest';
import { query } from '../../src/index.js';
import type { StreamEvent } from '../../src/protocol/wire/content.js';
import type { Model } from '../../src/runtime/index.js';
import { embedded } from '../../src/runtime/index.js';
import { call, gate, kinds, type Loose, run, said, server, talk, toolResults } from './support.js';

const ALLOWED = { allowedTools: ['mcp__s'] };

describe('an answer', () => {
  it('may ask for many calls at once without a warning of Node', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const all = gate();
    let waiting = 0;
    const wait = () => {
      waiting += 1;
      if (waiting === 30) all.open();
      return all.opened.then(() => 'A');
    };
    const toolUses = Array.from({ length: 30 }, () => call('a'));
    const { result } = await run([{ toolUses }, 'Done.'], {
      ...ALLOWED,
      mcpServers: { s: server({ a: wait }, { readOnly: ['a'] }) },
    });
    process.off('warning', note);
    expect(result).toMatchObject({ subtype: 'success' });
    expect(warnings).toEqual([]);
  });

  it('of words is one assistant line between init and result', async () => {
    const { messages, result, model } = await run(['Hello.']);
    expect(kinds(messages)).toEqual(['system/init', 'assistant', 'result/success']);
    expect(result).toMatchObject({
      result: 'Hello.',
      num_turns: 1,
      is_error: false,
      terminal_reason: 'completed',
    });
    model.assertDone();
  });

  it('with thoughts has a line for each block, all with the id of the message', async () => {
    const { messages, model } = await run(
      [{ thinking: 'Hm.', text: 'Hello.', toolUses: [call('a')] }, 'Done.'],
      {
        ...ALLOWED,
        mcpServers: { s: server({ a: () => 'A' }) },
      },
    );
    const lines = messages.filter(({ type }) => type === 'assistant') as unknown as {
      message: { id: string; content: { type: string; signature?: string }[] };
    }[];
    expect(lines.map(({ message }) => message.content.map(({ type }) => type))).toEqual([
      ['thinking'],
      ['text'],
      ['tool_use'],
      ['text'],
    ]);
    expect(new Set(lines.slice(0, 3).map(({ message }) => message.id)).size).toBe(1);
    // The model gets its thoughts back, signature included.
    expect(said(model.requests[1])).toContain('"signature":"scripted-signature"');
  });

  it('with partial messages shows each block before the event that ends it', async () => {
    const { messages } = await run([{ text: 'Hello.', toolUses: [call('a')] }, 'Done.'], {
      ...ALLOWED,
      mcpServers: { s: server({ a: () => 'A' }) },
      includePartialMessages: true,
    });
    const seen = kinds(messages);
    const first = seen.slice(0, seen.indexOf('user'));
    expect(first).toEqual([
      'system/init',
      'system/status',
      'stream_event/message_start',
      'stream_event/content_block_start',
      'stream_event/content_block_delta',
      'assistant',
      'stream_event/content_block_stop',
      'stream_event/content_block_start',
      'stream_event/content_block_delta',
      'assistant',
      'stream_event/content_block_stop',
      'stream_event/message_delta',
      'stream_event/message_stop',
    ]);
  });

  it('without any block is not remembered, since the API refuses empty messages', async () => {
    const { session, model } = talk([{ stopReason: 'end_turn' }, 'Yes.']);
    expect(await session.ask('One.')).toMatchObject({ subtype: 'success', result: '' });
    await session.ask('Two.');
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'user']);
    await session.close();
  });

  it('belongs to the runtime: what the host does to a message does not change what was said', async () => {
    const { session, model } = talk(['Hello.', 'Again.']);
    session.send('One.');
    for await (const message of session.stream()) {
      if (message.type === 'assistant') message.message.content.length = 0;
      if (message.type === 'assistant') (message.message as { content: unknown }).content = 'changed';
    }
    await session.ask('Two.');
    expect(said(model.requests[1])).toContain('Hello.');
    await session.close();
  });
});

describe('calls', () => {
  it('are answered to the model and shown to the host, with their line before the next answer', async () => {
    const { messages, model, result } = await run([{ toolUses: [call('add', { a: 1, b: 2 })] }, 'It is 3.'], {
      ...ALLOWED,
      mcpServers: { s: server({ add: ({ a, b }) => Number(a) + Number(b) }) },
    });
    expect(kinds(messages)).toEqual(['system/init', 'assistant', 'user', 'assistant', 'result/success']);
    expect(toolResults(model.requests[1])).toEqual([{ id: 'toolu_0001', text: '3', isError: false }]);
    expect(result).toMatchObject({ num_turns: 2 });
    expect(messages[2]).toMatchObject({
      tool_result_meta: [
        { permission_decision: { decision: 'accept', source: 'config', reason_type: 'rule' } },
      ],
    });
  });

  it('of read-only tools run beside each other, and their results come in the order of the calls', async () => {
    const second = gate();
    const { model } = await run([{ toolUses: [call('a'), call('b')] }, 'Done.'], {
      ...ALLOWED,
      mcpServers: {
        s: server(
          {
            a: () => second.opened.then(() => 'A'),
            b: () => {
              second.open();
              return 'B';
            },
          },
          { readOnly: ['a', 'b'] },
        ),
      },
    });
    expect(toolResults(model.requests[1]).map(({ text }) => text)).toEqual(['A', 'B']);
  });

  it('of other tools run one after another, in the order of the calls', async () => {
    const order: string[] = [];
    const slow = (name: string) => async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push(`${name} ends`);
      return name;
    };
    await run([{ toolUses: [call('r'), call('a'), call('b'), call('r')] }, 'Done.'], {
      ...ALLOWED,
      mcpServers: { s: server({ a: slow('a'), b: slow('b'), r: slow('r') }, { readOnly: ['r'] }) },
    });
    expect(order).toEqual(['r', 'a', 'b', 'r'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('begin while the answer still streams', async () => {
    const started = gate();
    const model: Model = {
      name: 'half',
      async *stream(request) {
        const isFirst = request.messages.length === 1;
        yield {
          type: 'message_start',
          message: { id: 'm', model: 'half', usage: {} },
        } as unknown as StreamEvent;
        const block = isFirst
          ? { type: 'tool_use', id: 't1', name: 'mcp__s__a', input: {} }
          : { type: 'text', text: 'Done.' };
        yield { type: 'content_block_start', index: 0, content_block: block } as unknown as StreamEvent;
        yield { type: 'content_block_stop', index: 0 } as StreamEvent;
        // The end of the answer comes only after the handler has begun.
        if (isFirst) await started.opened;
        yield { type: 'message_stop' } as StreamEvent;
      },
    };
    const mcpServers = {
      s: server({
        a: () => {
          started.open();
          return 'A';
        },
      }),
    };
    const options = { ...ALLOWED, mcpServers, runtime: embedded({ model }) };
    expect(await query({ prompt: 'Go.', options }).done).toMatchObject({ result: 'Done.' });
  });

  it('of an unknown tool get an error that names it, and nobody is asked', async () => {
    const asked: string[] = [];
    const { model, result } = await run([{ toolUses: [{ name: 'Nope' }] }, 'Sorry.'], {
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: {} };
      },
    });
    expect(toolResults(model.requests[1])).toEqual([
      {
        id: 'toolu_0001',
        text: '<tool_use_error>Error: No such tool available: Nope</tool_use_error>',
        isError: true,
      },
    ]);
    expect(asked).toEqual([]);
    expect(result).toMatchObject({ permission_denials: [] });
  });

  it('whose handler throws get its message as an error', async () => {
    const { model } = await run([{ toolUses: [call('a')] }, 'Sorry.'], {
      ...ALLOWED,
      mcpServers: {
        s: server({
          a: () => {
            throw new Error('No paper.');
          },
        }),
      },
    });
    expect(toolResults(model.requests[1])).toMatchObject([
      { text: expect.stringContaining('No paper.'), isError: true },
    ]);
  });

  it('keep the words of the model, whatever a handler does to its arguments', async () => {
    const { model } = await run([{ toolUses: [call('a', { list: [1, 2] })] }, 'Done.'], {
      ...ALLOWED,
      mcpServers: {
        s: server({
          a: (input) => {
            (input.list as number[]).length = 0;
            return 'A';
          },
        }),
      },
    });
    expect(said(model.requests[1])).toContain('"list":[1,2]');
  });
});

describe('several messages', () => {
  it('that come while the model answers have a turn and a result each, in order', async () => {
    const first = gate();
    const { session, model } = talk(async (_, index) => {
      if (index === 0) await first.opened;
      return `answer ${index}`;
    });
    session.send('one');
    session.send('two');
    session.send('three');
    first.open();
    const results: Loose[] = [];
    for await (const message of session.query) {
      if (message.type === 'result') results.push(message as unknown as Loose);
      if (results.length === 3) break;
    }
    expect(results.map(({ result }) => result)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    expect(results.map(({ result_index }) => result_index)).toEqual([0, 1, 2]);
    expect(model.requests).toHaveLength(3);
    await session.close();
  });

  it('that come while a tool runs are read beside its result (pain 30, wish 9)', async () => {
    const inTool = gate();
    const sent = gate();
    const { session, model } = talk([{ toolUses: [call('a')] }, 'Both done.'], {
      ...ALLOWED,
      mcpServers: {
        s: server({
          a: async () => {
            inTool.open();
            await sent.opened;
            return 'A';
          },
        }),
      },
    });
    const answer = session.ask('one');
    await inTool.opened;
    session.send('and this');
    // A round trip over the same line: the message is there before the tool ends.
    await session.query.mcpServerStatus();
    sent.open();
    expect(await answer).toMatchObject({ result: 'Both done.' });
    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toMatch(/tool_result.*and this/);
    await session.close();
  });

  it('that come while a tool runs have a turn of their own when the turn ends with the tool', async () => {
    const inTool = gate();
    const sent = gate();
    const { session, model } = talk([{ toolUses: [call('a')] }, 'The second.'], {
      ...ALLOWED,
      maxTurns: 1,
      mcpServers: {
        s: server({
          a: async () => {
            inTool.open();
            await sent.opened;
            return 'A';
          },
        }),
      },
    });
    session.send('one');
    const answers: Loose[] = [];
    const reading = (async () => {
      for await (const message of session.query) {
        if (message.type === 'result') answers.push(message as unknown as Loose);
        if (answers.length === 2) break;
      }
    })();
    await inTool.opened;
    session.send('and this');
    await session.query.mcpServerStatus();
    sent.open();
    await reading;
    expect(answers).toMatchObject([{ subtype: 'error_max_turns' }, { result: 'The second.' }]);
    expect(said(model.requests[1])).toContain('and this');
    await session.close();
  });

  it('are said back under their ids when the host wants that, and can be gone back to', async () => {
    const uuid = '00000000-0000-4000-8000-000000000001';
    const { session } = talk(['Hello.'], { extraArgs: { 'replay-user-messages': null } });
    session.send({ type: 'user', message: { role: 'user', content: 'Hi.' }, parent_tool_use_id: null, uuid });
    const messages: Loose[] = [];
    for await (const message of session.stream()) messages.push(message as unknown as Loose);
    const [queued, started, ...turn] = messages;
    expect([queued, started]).toMatchObject([
      { type: 'command_lifecycle', command_uuid: uuid, state: 'queued' },
      { type: 'command_lifecycle', command_uuid: uuid, state: 'started' },
    ]);
    expect(kinds(turn)).toEqual(['system/init', 'user', 'assistant', 'result/success']);
    expect(turn[0]).toMatchObject({ user_message_uuids: [uuid] });
    expect(turn.at(-1)).toMatchObject({ user_message_uuid: uuid, user_message_uuids: [uuid] });
    expect(turn[1]).toMatchObject({ uuid, isReplay: true, message: { role: 'user', content: 'Hi.' } });
    await session.close();
  });

  it('with shouldQuery false are context for the next one', async () => {
    const { session, model } = talk(['Yes.']);
    const message = { role: 'user' as const, content: 'My name is Ada.' };
    const quiet = await session.ask({ type: 'user', message, parent_tool_use_id: null, shouldQuery: false });
    expect(quiet).toMatchObject({ num_turns: 0, result: '' });
    await session.ask('Do you know my name?');
    expect(said(model.requests[0])).toContain('Ada');
    await session.close();
  });
});
