/** Interrupts and ends in the middle of anything: nothing hangs, nothing is left, the history stays whole. */
import { describe, expect, it } from 'vitest';
import { type HookCallback, InMemorySessionStore, type Options, query } from '../../src/index.js';
import { embedded, type Model } from '../../src/runtime/index.js';
import {
  call,
  expectWellFormed,
  gate,
  kinds,
  type Loose,
  server,
  talk,
  toolResults,
  untilAborted,
} from './support.js';

/** Interrupts when the gate opens; then says one thing more, which must be answered. */
async function interruptAt(
  moment: Promise<unknown>,
  { session, model }: ReturnType<typeof talk>,
): Promise<{ messages: Loose[]; next: Loose; last: NonNullable<(typeof model.requests)[number]> }> {
  session.send('One.');
  const messages: Loose[] = [];
  const reading = (async () => {
    for await (const message of session.stream()) messages.push(message as unknown as Loose);
  })();
  await moment;
  await session.query.interrupt();
  await reading;
  const next = (await session.ask('Two.')) as unknown as Loose;
  for (const request of model.requests) expectWellFormed(request.messages);
  await session.close();
  return { messages, next, last: model.requests.at(-1) as NonNullable<(typeof model.requests)[number]> };
}

const hanging = (): { s: ReturnType<typeof server>; started: Promise<void>; aborted: Promise<void> } => {
  const started = gate();
  const aborted = gate();
  const s = server({
    a: async (_, { signal }) => {
      started.open();
      await untilAborted(signal).catch(() => aborted.open());
      return 'late';
    },
    b: () => 'B',
  });
  return { s, started: started.opened, aborted: aborted.opened };
};

describe('an interrupt', () => {
  it('while the model answers ends the turn; the next message is answered', async () => {
    const asked = gate();
    const conversation = talk((_, index) => {
      if (index > 0) return 'Next.';
      asked.open();
      return { text: 'Never.', delayMs: 60_000 };
    });
    const { messages, next } = await interruptAt(asked.opened, conversation);
    expect(messages.at(-1)).toMatchObject({
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_streaming',
    });
    expect(next).toMatchObject({ subtype: 'success', result: 'Next.' });
  });

  it('while the conversation is still read from its store ends the turn that waits for it, and no other', async () => {
    const store = new InMemorySessionStore();
    const first = talk(['Hello.'], { sessionStore: store });
    const { session_id: resume } = await first.session.ask('Hi.');
    await first.session.close();
    const [reading, opened] = [gate(), gate()];
    const load = store.load.bind(store);
    store.load = async (key) => {
      reading.open();
      await opened.opened;
      return load(key);
    };
    const { session, model } = talk(['Next.'], { sessionStore: store, resume });
    session.send('One.');
    const messages: Loose[] = [];
    const read = (async () => {
      for await (const message of session.stream()) messages.push(message as unknown as Loose);
    })();
    await reading.opened;
    const interrupted = session.query.interrupt();
    opened.open();
    await interrupted;
    await read;
    expect(messages.at(-1)).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    expect(model.requests).toEqual([]);
    expect(await session.ask('Two.')).toMatchObject({ subtype: 'success', result: 'Next.' });
    expect(model.requests.length).toBe(1);
    expectWellFormed(model.requests[0]?.messages ?? []);
    await session.close();
  });

  it('reaches a turn whose model does not look at its signal', async () => {
    const asked = gate();
    let requests = 0;
    const model: Model = {
      name: 'deaf',
      async *stream() {
        requests += 1;
        asked.open();
        await new Promise(() => {});
      },
    };
    const controller = new AbortController();
    const answer = query({
      prompt: 'Go.',
      options: { runtime: embedded({ model }), abortController: controller },
    });
    await asked.opened;
    await answer.interrupt();
    await expect(answer.done).resolves.toMatchObject({ terminal_reason: 'aborted_streaming' });
    await answer.close();
    expect(requests).toBe(1);
  });

  it('in a tool aborts its handler, and the model hears of the call afterwards', async () => {
    const { s, started, aborted } = hanging();
    const conversation = talk([{ toolUses: [call('a'), call('b')] }, 'Next.'], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
    });
    const { messages, next, last } = await interruptAt(started, conversation);
    await aborted;
    expect(kinds(messages)).toEqual([
      'system/init',
      'assistant',
      'assistant',
      'user',
      'user',
      'user',
      'result/error_during_execution',
    ]);
    expect(messages.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools', permission_denials: [] });
    expect(toolResults(last)).toMatchObject([{ isError: true }, { isError: true }]);
    expect(next).toMatchObject({ result: 'Next.' });
  });

  it('in a question withdraws it, and the tool does not run', async () => {
    const asked = gate();
    const withdrawn = gate();
    const handled: string[] = [];
    const conversation = talk([{ toolUses: [call('a')] }, 'Next.'], {
      mcpServers: { s: server({ a: () => handled.push('a') }) },
      canUseTool: (_, __, { signal }) => {
        asked.open();
        signal.addEventListener('abort', () => withdrawn.open());
        return new Promise(() => {});
      },
    });
    const { messages, next } = await interruptAt(asked.opened, conversation);
    await withdrawn.opened;
    expect(handled).toEqual([]);
    expect(messages.at(-1)).toMatchObject({ terminal_reason: 'aborted_tools', permission_denials: [] });
    expect(next).toMatchObject({ result: 'Next.' });
  });

  it.each(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const)(
    'in a hook of %s withdraws it and is no failure of the hook',
    async (event) => {
      const asked = gate();
      const withdrawn = gate();
      let calls = 0;
      const hang: HookCallback = async (_, __, { signal }) => {
        calls += 1;
        if (calls > 1) return {};
        asked.open();
        signal.addEventListener('abort', () => withdrawn.open());
        return new Promise(() => {});
      };
      const options: Options = {
        mcpServers: { s: server({ a: () => 'A' }) },
        allowedTools: ['mcp__s'],
        hooks: { [event]: [{ hooks: [hang] }] },
      };
      const conversation = talk(({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        return last.includes('One.') ? { toolUses: [call('a')] } : last.includes('Two.') ? 'Next.' : 'First.';
      }, options);
      const { messages, next } = await interruptAt(asked.opened, conversation);
      await withdrawn.opened;
      expect(messages.filter(({ tag }) => tag === 'hook_callback_failed')).toEqual([]);
      expect(messages.at(-1)).toMatchObject({ subtype: 'error_during_execution', permission_denials: [] });
      // A prompt that was interrupted before the model was asked costs no request.
      if (event === 'UserPromptSubmit') expect(conversation.model.requests).toHaveLength(1);
      expect(next).toMatchObject({ result: 'Next.' });
    },
  );

  it('while a server does not connect ends the turn at once', async () => {
    const begun = gate();
    // A server of another library that never answers its handshake.
    const instance = { connect: async () => {}, close: async () => {} };
    const s = { type: 'sdk' as const, name: 's', instance: instance as never };
    const hook = async () => {
      begun.open();
      return {};
    };
    const { session } = talk([], { mcpServers: { s }, hooks: { UserPromptSubmit: [{ hooks: [hook] }] } });
    const first = session.ask('One.');
    await begun.opened;
    await session.query.mcpServerStatus();
    await session.query.interrupt();
    expect(await first).toMatchObject({ subtype: 'error_during_execution' });
    await session.close();
  });

  it('leaves the messages that wait, and says which they are', async () => {
    const { s, started } = hanging();
    const { session } = talk([{ toolUses: [call('a')] }, 'Second.'], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
    });
    session.send('One.');
    const results: Loose[] = [];
    const reading = (async () => {
      for await (const message of session.query) {
        if (message.type === 'result') results.push(message as unknown as Loose);
        if (results.length === 2) return;
      }
    })();
    await started;
    const uuid = '00000000-0000-4000-8000-000000000001';
    session.send({
      type: 'user',
      message: { role: 'user', content: 'Two.' },
      parent_tool_use_id: null,
      uuid,
    });
    await session.query.mcpServerStatus();
    expect(await session.query.interrupt()).toEqual({ still_queued: [uuid] });
    await reading;
    expect(results).toMatchObject([{ is_error: true }, { result: 'Second.' }]);
    await session.close();
  });
});

describe('the end in the middle of a tool', () => {
  const start = (more: Options = {}) => {
    const { s, started, aborted } = hanging();
    const { session } = talk([{ toolUses: [call('a')] }], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
      ...more,
    });
    session.send('Go.');
    return { session, started, aborted };
  };

  it('by close() aborts the handler and resolves', async () => {
    const { session, started, aborted } = start();
    await started;
    await session.close();
    await aborted;
    await session.query.exited;
  });

  it('by an abort signal throws and aborts the handler', async () => {
    const abortController = new AbortController();
    const { session, started, aborted } = start({ abortController });
    const reading = (async () => {
      for await (const _ of session.query);
    })();
    reading.catch(() => {});
    await started;
    abortController.abort();
    await expect(reading).rejects.toThrow('Operation aborted');
    await aborted;
    await session.query.exited;
  });

  it('by leaving the loop aborts the handler', async () => {
    const { session, started, aborted } = start();
    for await (const message of session.query) {
      if (message.type !== 'assistant') continue;
      await started;
      break;
    }
    await aborted;
    await session.query.exited;
  });
});
