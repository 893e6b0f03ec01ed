/** A recorded conversation plays again for a program, without its agent: R56, on both back ends. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  createSession,
  type Options,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from '../../src/index.js';
import { embedded, type Model } from '../../src/runtime/index.js';
import {
  apiError,
  hang,
  readTape,
  recordReplay,
  replayTape,
  TapeMismatchError,
  toolUse,
  toolUses,
} from '../../src/testing/index.js';
import { ask, BACK_ENDS } from '../support/back-ends.js';
import { collect } from '../support/real-cli.js';

const STOCK = 'mcp__shop__stock';
const PRICE = 'mcp__shop__price';

interface Program {
  options: Options;
  /** What the program's own code was asked. */
  asked: unknown[];
}

/** Tools, a permission callback and hooks; `stock` is what the one tool answers. */
function program(stock = 'eight', more: Options = {}): Program {
  const asked: unknown[] = [];
  const product = {
    type: 'object' as const,
    properties: { product: { type: 'string' as const } },
  };
  const shop = createSdkMcpServer({
    name: 'shop',
    tools: [
      tool('stock', 'How many.', product, async (input) => {
        asked.push(['stock', input]);
        return stock;
      }),
      tool('price', 'How much.', product, async (input) => {
        asked.push(['price', input]);
        return '7 euros';
      }),
    ],
  });
  const options: Options = {
    mcpServers: { shop },
    canUseTool: async (name, input) => {
      asked.push(['may', name]);
      return { behavior: 'allow', updatedInput: input };
    },
    hooks: {
      PostToolUse: [
        {
          hooks: [
            async ({ hook_event_name: event }) => {
              asked.push(['hook', event]);
              return {};
            },
          ],
        },
      ],
    },
    ...more,
  };
  return { options, asked };
}

const both = toolUses([
  { name: STOCK, input: { product: 'hammer' } },
  { name: PRICE, input: { product: 'hammer' } },
]);

describe.each(BACK_ENDS)('a replay of $name', ({ start, isCli }) => {
  const record = async (
    script: Parameters<typeof start>[0],
    act: (options: Options) => Promise<unknown>,
    given = program(),
  ) => {
    await using agent = await start(script);
    const file = join(agent.box.cwd, 'run.tape');
    const outcome = await act(agent.options({ ...given.options, record: file }));
    return { tape: readTape(file), outcome, asked: given.asked };
  };

  it('asks the tools, permissions and hooks of the program again, and gets the same answers (R56)', async () => {
    const { tape, outcome, asked } = await record([both, 'Eight for 7.'], ask);
    const again = program();
    const runtime = replayTape(tape);
    expect(await ask({ ...again.options, runtime })).toEqual(outcome);
    expect(again.asked.map(String).sort()).toEqual(asked.map(String).sort());
    expect(asked.length).toBeGreaterThanOrEqual(4);
    runtime.assertSame();
  });

  it('names a tool that answers something else now, and goes on with the recording (R56)', async () => {
    const { tape } = await record([toolUse(STOCK, { product: 'hammer' }), 'Eight.'], ask);
    const heard: string[] = [];
    const runtime = replayTape(tape);
    const { messages, error } = await ask({
      ...program('nine').options,
      runtime,
      stderr: (text) => void heard.push(text),
    });
    expect(error).toBeUndefined();
    expect(messages.at(-1)).toMatchObject({ result: 'Eight.' });
    expect(runtime.differences).toEqual([
      {
        about: 'the answer of the tool shop.stock',
        frame: expect.any(Number),
        path: expect.stringMatching(/content\[0\]\.text$/),
        recorded: 'eight',
        now: 'nine',
      },
    ]);
    expect(heard.join('')).toMatch(/the answer of the tool shop\.stock .* was "eight", and is now "nine"/);
    expect(() => runtime.assertSame()).toThrow(TapeMismatchError);
    expect(() => runtime.assertSame()).toThrow(/run\.tape:\n {2}- the answer of the tool shop\.stock/);
  });

  it('names a tool that is gone, a permission that is refused now, and another prompt (R56)', async () => {
    const { tape } = await record([toolUse(STOCK, { product: 'hammer' }), 'Eight.'], ask);
    const abouts = async (options: Options, prompt?: string): Promise<string[]> => {
      const differences: string[] = [];
      const runtime = replayTape(tape, { onDifference: ({ about }) => void differences.push(about) });
      await ask({ ...options, runtime }, prompt);
      return differences;
    };
    const without = program();
    without.options.mcpServers = { shop: createSdkMcpServer({ name: 'shop', tools: [] }) };
    expect(await abouts(without.options)).toContain('the answer of the tool shop.stock');
    const refusing = program('eight', { canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) });
    expect(await abouts(refusing.options)).toEqual([`the permission for ${STOCK}`]);
    expect(await abouts(program().options, 'Something else.')).toEqual(['a message of the user']);
  });

  it('plays several turns of a session (R56)', async () => {
    const talk = async (options: Options): Promise<unknown[]> => {
      await using session = createSession(options);
      const first = await session.ask('One?');
      const second = await session.ask('And two?');
      return [first, second];
    };
    const { tape, outcome } = await record(['One.', toolUse(STOCK), 'Two.'], talk);
    expect(outcome).toMatchObject([{ result: 'One.' }, { result: 'Two.' }]);
    const runtime = replayTape(tape);
    expect(await talk({ ...program().options, runtime })).toEqual(outcome);
    runtime.assertSame();
  });

  it('plays an interrupt that the program makes again (R56)', async () => {
    const interrupt = async (options: Options): Promise<unknown> => {
      const run = query({ prompt: 'Go.', options: { ...options, throwOnErrorResult: false } });
      const messages: SDKMessage[] = [];
      for await (const message of run) {
        messages.push(message);
        // The first sign that the model was asked.
        if (message.type === 'system' && message.subtype === 'init') void run.interrupt();
      }
      return messages;
    };
    const { tape, outcome } = await record([hang()], interrupt);
    const runtime = replayTape(tape);
    expect(await interrupt({ ...program().options, runtime })).toEqual(outcome);
    runtime.assertSame();
  });

  it('plays a failure of the API, and throws the same error (R56)', async () => {
    const failing = () => apiError(401, 'authentication_error', 'invalid x-api-key');
    const { tape, outcome } = await record(failing, (options) =>
      ask({ ...options, env: { ...options.env, CLAUDE_CODE_MAX_RETRIES: '0' } }),
    );
    const { messages, error } = outcome as Awaited<ReturnType<typeof ask>>;
    const again = await ask({ ...program().options, runtime: replayTape(tape) });
    expect(again.messages).toEqual(messages);
    expect(again.error).toMatchObject({ code: 'RESULT_ERROR', message: (error as Error).message });
  });

  it('answers a request that was not recorded with an error, and misses a message that does not come (R56)', async () => {
    const talk = async (options: Options): Promise<void> => {
      await using session = createSession(options);
      await session.ask('One?');
      await session.ask('Two?');
    };
    const { tape } = await record(['One.', 'Two.'], talk);
    const runtime = replayTape(tape, { onDifference: () => {} });
    const run = query({ prompt: 'One?', options: { ...program().options, runtime } });
    await expect(run.setModel('other')).rejects.toThrow('The tape has no answer to "set_model"');
    await collect(run);
    expect(runtime.differences.map(({ about, now }) => [about, now === undefined])).toContainEqual([
      'the request "set_model"',
      false,
    ]);
    expect(runtime.differences.map(({ about, now }) => [about, now === undefined])).toContainEqual([
      'a message of the user',
      true,
    ]);
  });

  it('of a recording that breaks off delivers what there is, and says where it ends (R56)', async () => {
    const { tape } = await record([toolUse(STOCK), 'Eight.'], ask);
    const cut = tape.lines.findIndex((line) => line.kind === 'frame' && line.frame.type === 'result');
    const torn = { ...tape, lines: tape.lines.slice(0, cut), end: undefined };
    const { messages, error } = await ask({ ...program().options, runtime: replayTape(torn) });
    expect(messages.some(({ type }) => type === 'assistant')).toBe(true);
    expect(String((error as Error).message)).toContain('the recording breaks off here');
  });

  it('of the model alone lets the embedded runtime work again (R56, wish 4)', async ({ skip }) => {
    skip(isCli);
    await using agent = await start([toolUse(STOCK, { product: 'hammer' }), 'Eight.']);
    const file = join(agent.box.cwd, 'run.tape');
    await ask(agent.options({ ...program().options, record: file }));
    const nobody: Model = {
      name: 'nobody',
      stream: () => {
        throw new Error('The model was asked.');
      },
    };
    const again = async (stock: string) => {
      const model = recordReplay(nobody, file);
      expect(model.mode).toBe('replay');
      const { options } = program(stock, { cwd: agent.box.cwd, env: agent.box.env() });
      const { messages } = await ask({
        ...options,
        throwOnErrorResult: false,
        runtime: embedded({ model }),
      });
      return { model, result: messages.at(-1) };
    };
    const same = await again('eight');
    expect(same.result).toMatchObject({ result: 'Eight.' });
    same.model.assertDone();
    const other = await again('nine');
    expect(() => other.model.assertDone()).toThrow(/request 2 differs.*recorded: "eight"\s+now: +"nine"/s);
  });

  it('of a model that was asked elsewhere is refused by recordReplay, with the way that works (R56)', async ({
    skip,
  }) => {
    skip(!isCli);
    await using agent = await start(['Hello.']);
    const file = join(agent.box.cwd, 'run.tape');
    await ask(agent.options({ record: file }));
    const model: Model = { name: 'nobody', stream: () => Promise.reject() as never };
    expect(() => recordReplay(model, file)).toThrow(
      /\(Claude Code\) that asked its model elsewhere.*replayTape\(\)/,
    );
  });
});

it('a CLI that is killed is killed in the replay too (R56)', async () => {
  const [cli] = BACK_ENDS;
  if (cli === undefined) throw new Error('There is no CLI.');
  await using agent = await cli.start([hang()]);
  const file = join(agent.box.cwd, 'run.tape');
  const run = query({ prompt: 'Go.', options: agent.options({ record: file }) });
  const reading = collect(run);
  await agent.player.waitForRequest(0);
  process.kill(run.pid as number, 'SIGKILL');
  const { messages, error } = await reading;
  expect(error).toMatchObject({ code: 'KILLED_BY_SIGNAL' });
  expect(readTape(file).end?.agent).toMatchObject({ signal: 'SIGKILL' });
  const again = await ask({ runtime: replayTape(file) });
  expect(again.messages).toEqual(messages);
  expect(again.error).toMatchObject({ code: 'KILLED_BY_SIGNAL' });
});

it('waits as long as a tool needs, and is bounded where the program does nothing by itself (R56)', async () => {
  const [, runtime] = BACK_ENDS;
  if (runtime === undefined) throw new Error('There is no runtime.');
  await using agent = await runtime.start(['One.', 'Two.']);
  const file = join(agent.box.cwd, 'run.tape');
  await using session = createSession(agent.options({ record: file }));
  await session.ask('One?');
  await session.ask('Two?');
  await session.close();
  let finish = (): void => {};
  const prompts = async function* (): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content: 'One?' }, parent_tool_use_id: null };
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  };
  const replay = replayTape(file, { patienceMs: 20, onDifference: () => {} });
  const results: SDKMessage[] = [];
  for await (const message of query({ prompt: prompts(), options: { runtime: replay } })) {
    if (message.type === 'result') results.push(message);
  }
  finish();
  expect(results).toMatchObject([{ result: 'One.' }, { result: 'Two.' }]);
  expect(replay.differences[0]).toMatchObject({ about: 'a message of the user', now: undefined });
});
