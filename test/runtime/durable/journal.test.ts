/** Durable conversations: an answer is stored before its calls begin, and no call is made twice (R64). */
import { describe, expect, it } from 'vitest';
import { type SessionStoreEntry, tool } from '../../../src/index.js';
import { embedded, type Journal, type JournalState, memoryJournal } from '../../../src/runtime/index.js';
import { journalConformance, scriptedModel, text, toolUse, toolUses } from '../../../src/testing/index.js';
import { call, toolResults } from '../support.js';
import { program, shop, type World, world } from './support.js';

const UNKNOWN = /^The outcome of this call is unknown: it had begun when the program stopped/;
const pay = (id = 'toolu_pay') => toolUse('mcp__s__pay', { amount: 5 }, { id });

describe('memoryJournal', () => {
  for (const { name, run } of journalConformance(() => memoryJournal())) it(name, run);
});

/** A conversation whose program stopped after the answer was stored: only its prompt and answer are left of it. */
async function stoppedAfterAnswer(
  at: World,
  known: JournalState['state'],
  result?: unknown,
): Promise<string> {
  const silent: Journal = { ...memoryJournal(), look: at.journal.look };
  const { result: done } = await program(
    'Pay.',
    [pay(), text('Done.')],
    { ...at, journal: silent },
    {
      mcpServers: { s: shop({ ...at, effects: [], keys: [] }) },
    },
  );
  const { session_id: sessionId } = done;
  const key = { projectKey: '-work', sessionId };
  const entries = at.store.getEntries(key);
  const until = entries.findIndex(({ type }) => type === 'assistant');
  at.store.clear();
  await at.store.append(key, entries.slice(0, until + 1) as SessionStoreEntry[]);
  const recorded = { sessionId, toolUseId: 'toolu_pay', toolName: 'mcp__s__pay', input: { amount: 5 } };
  if (known !== 'new') await at.journal.begin(recorded);
  if (known === 'done') await at.journal.end(recorded, result);
  return sessionId;
}

describe('a conversation that is resumed where a call has no result', () => {
  const resumed = async (at: World, resume: string, extras = {}, prompt = '') =>
    program(prompt, [text('I see.')], at, { resume, mcpServers: { s: shop(at, extras) } });

  it('uses the stored result of a call that is done, and does not call the handler', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'done', { content: [{ type: 'text', text: 'Paid before.' }] });
    const { model, result, messages } = await resumed(at, id);
    expect(at.effects).toEqual([]);
    expect(toolResults(model.requests[0])).toEqual([
      { id: 'toolu_pay', text: 'Paid before.', isError: false },
    ]);
    expect(result).toMatchObject({ subtype: 'success', result: 'I see.', session_id: id });
    expect(JSON.stringify(messages)).toContain('Paid before.');
  });

  it('makes a call that is new, once, and asks for permission as usual', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'new');
    const asked: string[] = [];
    const { model } = await program('', [text('I see.')], at, {
      resume: id,
      allowedTools: [],
      mcpServers: { s: shop(at) },
      canUseTool: async (name, input) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: input };
      },
    });
    expect(asked).toEqual(['mcp__s__pay']);
    expect(at.effects).toEqual(['paid']);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: 'Paid.' }]);
    expect(at.keys).toEqual([`${id}:toolu_pay`]);
  });

  it('tells the model that the outcome of an uncertain call is unknown, and asks nobody', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'uncertain');
    const { model } = await resumed(at, id);
    expect(at.effects).toEqual([]);
    expect(toolResults(model.requests[0])).toMatchObject([
      { text: expect.stringMatching(UNKNOWN), isError: true },
    ]);
  });

  it.each([{ idempotentHint: true }, { readOnlyHint: true }])(
    'makes an uncertain call again, with the same key, if the tool says %j',
    async (annotations) => {
      const at = world();
      const id = await stoppedAfterAnswer(at, 'uncertain');
      const { model } = await resumed(at, id, { annotations });
      expect(at.effects).toEqual(['paid']);
      expect(at.keys).toEqual([`${id}:toolu_pay`]);
      expect(toolResults(model.requests[0])).toMatchObject([{ text: 'Paid.' }]);
    },
  );

  it('does not take "calls may run in parallel" for "calls may be repeated"', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'uncertain');
    const { model } = await resumed(at, id, { concurrency: 'parallel' });
    expect(at.effects).toEqual([]);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: expect.stringMatching(UNKNOWN) }]);
  });

  it.each([
    ['has happened', { happened: true, result: 'Found it.' }, [], 'Found it.'],
    ['has not happened', { happened: false }, ['paid'], 'Paid.'],
    ['is lost', { happened: 'perhaps' }, [], 'must return'],
  ] as const)('lets `reconcile` decide that an uncertain call %s', async (_, said, effects, told) => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'uncertain');
    const seen: unknown[] = [];
    const reconcile = (args: unknown, { idempotencyKey }: { idempotencyKey: string | undefined }) => {
      seen.push(args, idempotencyKey);
      return said;
    };
    const { model } = await resumed(at, id, { reconcile });
    expect(seen).toEqual([{ amount: 5 }, `${id}:toolu_pay`]);
    expect(at.effects).toEqual(effects);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: expect.stringContaining(told) }]);
  });

  it('reads a prompt with the results, and runs PostToolUse hooks on a stored one', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'done', { content: 'Secret 42.' });
    const { model } = await program('And now?', [text('I see.')], at, {
      resume: id,
      mcpServers: { s: shop(at) },
      hooks: {
        PostToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'Redacted.' },
              }),
            ],
          },
        ],
      },
    });
    expect(toolResults(model.requests[0])).toMatchObject([{ text: 'Redacted.' }]);
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('And now?');
  });

  it('remembers nothing if the journal cannot be asked, so that it can be resumed again', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'done', { content: 'Paid before.' });
    const broken: Journal = { ...at.journal, look: () => Promise.reject(new Error('no database')) };
    const first = await program(
      '',
      [],
      { ...at, journal: broken },
      {
        resume: id,
        mcpServers: { s: shop(at) },
      },
    );
    expect(first.result).toMatchObject({
      is_error: true,
      errors: ['Journal.look() failed: no database'],
    });
    const { model } = await resumed(at, id);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: 'Paid before.' }]);
  });

  it('leaves the calls of the original alone in a fork', async () => {
    const at = world();
    const id = await stoppedAfterAnswer(at, 'new');
    const { model } = await program('On.', [text('I see.')], at, {
      resume: id,
      forkSession: true,
      mcpServers: { s: shop(at) },
    });
    expect(at.effects).toEqual([]);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: expect.stringContaining('cut off') }]);
  });

  it('goes on without a prompt where only the answer to results is missing', async () => {
    const at = world();
    const { result } = await program('Pay.', [pay(), text('Done.')], at, { mcpServers: { s: shop(at) } });
    const key = { projectKey: '-work', sessionId: result.session_id };
    const entries = at.store.getEntries(key);
    at.store.clear();
    await at.store.append(
      key,
      entries.slice(0, 1 + entries.findIndex((entry) => JSON.stringify(entry).includes('tool_result'))),
    );
    const { model } = await resumed(at, result.session_id);
    expect(at.effects).toEqual(['paid']);
    expect(model.requests[0]?.messages).toHaveLength(3);
    expect(toolResults(model.requests[0])).toMatchObject([{ text: 'Paid.' }]);
  });
});

describe('with a journal', () => {
  it('the store has the answer before the first of its calls begins', async () => {
    const at = world();
    const stored: string[][] = [];
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
