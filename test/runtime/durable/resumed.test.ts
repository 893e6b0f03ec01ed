/** A conversation that is resumed where a call has no result: the journal is asked (R64). */
import { describe, expect, it } from 'vitest';
import type { SessionStoreEntry } from '../../../src/index.js';
import { type Journal, type JournalState, memoryJournal } from '../../../src/runtime/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { toolResults } from '../support.js';
import { program, shop, type World, world } from './support.js';

const UNKNOWN = /^The outcome of this call is unknown: it had begun when the program stopped/;
const pay = (id = 'toolu_pay') => toolUse('mcp__s__pay', { amount: 5 }, { id });

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

  it('has nothing to do without a prompt where everything is answered', async () => {
    const at = world();
    const { result } = await program('Hello.', [text('Hi.')], at, {});
    const again = await resumed(at, result.session_id);
    expect(again.model.requests).toHaveLength(0);
    expect(again.results).toMatchObject([{ subtype: 'success', result: '', num_turns: 0 }]);
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
