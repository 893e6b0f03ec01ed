/** Durable conversations: an answer is stored before its calls begin, and no call is made twice (R64). */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { tool } from '../../../src/index.js';
import { embedded, type Journal, memoryJournal, type RuntimeConfig } from '../../../src/runtime/index.js';
import { journalConformance, scriptedModel, text, toolUse, toolUses } from '../../../src/testing/index.js';
import { call, talk, toolResults } from '../support.js';
import { brokenOff, garbled, program, shop, type World, world } from './support.js';

const pay = (id = 'toolu_pay') => toolUse('mcp__s__pay', { amount: 5 }, { id });

/** A server whose tool `meta` says what the `_meta` of its call was. */
const metaServer = {
  type: 'stdio' as const,
  command: process.execPath,
  args: [fileURLToPath(new URL('../../fixtures/mcp/meta-server.mjs', import.meta.url))],
};

describe('memoryJournal', () => {
  for (const { name, run } of journalConformance(() => memoryJournal())) it(name, run);
});

describe('with a journal', () => {
  it('the store has the answer before the first of its calls begins, however slow it is', async () => {
    const at = world();
    const stored: string[][] = [];
    const append = at.store.append.bind(at.store);
    at.store.append = async (...given) => {
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
      return append(...given);
    };
    const look = async (sessionId: string): Promise<undefined> => {
      stored.push(at.store.getEntries({ projectKey: '-work', sessionId }).map(({ type }) => type));
    };
    const { model } = await program(
      'Pay.',
      [toolUses([call('pay', {}, 'toolu_1'), call('pay', {}, 'toolu_2')]), text('Done.')],
      at,
      { mcpServers: { s: shop(at, {}, ({ sessionId = '' }) => look(sessionId)) } },
    );
    expect(stored).toEqual([
      ['user', 'assistant', 'assistant'],
      ['user', 'assistant', 'assistant'],
    ]);
    expect(toolResults(model.requests[1]).map(({ text: said }) => said)).toEqual(['Paid.', 'Paid.']);
  });

  it('no call begins if the answer cannot be stored, and the turn says why', async () => {
    const at = world();
    const refusing = Object.assign(Object.create(at.store) as World['store'], {
      append: () => Promise.reject(new Error('disk full')),
    });
    const { result, messages } = await program(
      'Pay.',
      [pay()],
      { ...at, store: refusing },
      { mcpServers: { s: shop(at) } },
    );
    expect(at.effects).toEqual([]);
    expect(result).toMatchObject({ is_error: true, errors: [expect.stringContaining('disk full')] });
    expect(JSON.stringify(messages)).toContain('the answer could not be stored');
  });

  it.each(['begin', 'end'] as const)('a journal whose `%s` fails ends the turn', async (method) => {
    const journal: Journal = { ...memoryJournal(), [method]: () => Promise.reject(new Error('fenced off')) };
    const at = world(journal);
    const { result, model } = await program('Pay.', [pay()], at, { mcpServers: { s: shop(at) } });
    expect(at.effects).toEqual(method === 'begin' ? [] : ['paid']);
    expect(result).toMatchObject({ is_error: true, errors: [`Journal.${method}() failed: fenced off`] });
    expect(model.requests).toHaveLength(1);
  });

  it('a call whose id belongs to an earlier one is not made', async () => {
    const at = world();
    const { model } = await program('Pay.', [pay('same'), pay('same'), text('Done.')], at, {
      mcpServers: { s: shop(at) },
    });
    expect(at.effects).toEqual(['paid']);
    expect(toolResults(model.requests[2]).at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('belongs to an earlier call'),
    });
  });

  it('a call whose input is no JSON is never made, not even by the program that goes on', async () => {
    const at = world();
    const { result } = await program(
      'Pay.',
      [pay('toolu_x'), text('Sorry.')],
      at,
      { mcpServers: { s: shop(at) } },
      {},
      garbled,
    );
    const { session_id: sessionId } = result;
    expect(at.effects).toEqual([]);
    const known = await at.journal.look({ sessionId, toolUseId: 'toolu_x', toolName: '', input: {} });
    expect(JSON.stringify(known)).toContain('not valid JSON');
  });

  it('the calls of an answer that breaks off have not run, and the model is told so', async () => {
    const at = world();
    const mcpServers = { s: shop(at) };
    const { result } = await program('Pay.', [pay()], at, { mcpServers }, {}, brokenOff);
    expect(result).toMatchObject({ is_error: true, result: 'the line is dead' });
    const { model } = await program('And?', [text('Sorry.')], at, { mcpServers, resume: result.session_id });
    expect(at.effects).toEqual([]);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: expect.stringContaining('has not run') }]);
  });

  it('a call that is interrupted is not made again when the conversation is resumed', async () => {
    const at = world();
    const { session } = talk(
      [pay()],
      {
        mcpServers: {
          s: shop(at, {}, async () => {
            await session.query.interrupt();
            return new Promise(() => {});
          }),
        },
        allowedTools: ['mcp__s__*'],
        cwd: '/work',
        sessionStore: at.store,
      },
      { journal: at.journal },
    );
    const { session_id: resume } = await session.ask('Pay.');
    await session.close();
    const { model } = await program('Go on.', [text('I see.')], at, { resume, mcpServers: { s: shop(at) } });
    expect(at.effects).toEqual(['paid']);
    expect(toolResults(model.requests[0])).toMatchObject([
      { text: expect.stringContaining('may have had an effect') },
    ]);
  });

  it('a server outside gets the key of each call in `_meta`, and without a journal it gets none', async () => {
    const seen = async (at: World, config: Partial<RuntimeConfig>) => {
      const { model } = await program(
        'Go.',
        [toolUse('mcp__out__meta', {}, { id: 'toolu_1' }), text('Done.')],
        at,
        { allowedTools: ['mcp__out__*'], mcpServers: { out: metaServer } },
        config,
      );
      return toolResults(model.requests[1])[0]?.text ?? '';
    };
    expect(await seen(world(), {})).toMatch(/"tenon\/idempotencyKey":"[0-9a-f-]{36}:toolu_1"/);
    expect(await seen(world(), { journal: undefined })).not.toContain('tenon/');
  });

  it('tools without effects are not recorded', async () => {
    const begun: string[] = [];
    const memory = memoryJournal();
    const begin: Journal['begin'] = (each) => {
      begun.push(each.toolName);
      return memory.begin(each);
    };
    const at = world({ ...memory, begin });
    const schema = { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] };
    await program('Go.', [toolUse('StructuredOutput', { done: true })], at, {
      outputFormat: { type: 'json_schema', schema },
    });
    expect(begun).toEqual([]);
  });

  it('without a store, or with a value that is none, it is refused', async () => {
    const model = scriptedModel([]);
    // @ts-expect-error What JavaScript may pass.
    expect(() => embedded({ model, journal: { begin: () => {} } })).toThrow(
      /`journal` needs the functions look, begin and end; `look` is missing/,
    );
    const at = world();
    const { error } = await program('Go.', [], at, { sessionStore: undefined });
    expect(String(error)).toContain('there is no `sessionStore`');
    const kept = await program(
      'Go.',
      [],
      at,
      { sessionStore: undefined, persistSession: false },
      { sessionStore: at.store },
    );
    expect(String(kept.error)).toContain('`persistSession` is false');
  });
});

it('`reconcile` is typed from the schemas of its tool (R64)', () => {
  const schema = {
    type: 'object',
    properties: { amount: { type: 'number' } },
    required: ['amount'],
  } as const;
  tool('pay', 'Pays', schema, ({ amount }) => amount, {
    reconcile: ({ amount }, { idempotencyKey }) =>
      amount.toFixed(2) === idempotencyKey ? { happened: true, result: amount } : { happened: false },
  });
  // @ts-expect-error There is no such argument.
  tool('pay', 'Pays', schema, () => {}, { reconcile: ({ sum }) => ({ happened: sum > 1 }) });
  // @ts-expect-error It has to say what the result was.
  tool('pay', 'Pays', schema, () => {}, { reconcile: () => ({ happened: true }) });
  // @ts-expect-error No function.
  expect(() => tool('pay', 'Pays', schema, () => {}, { reconcile: true })).toThrow('must be a function');
});
