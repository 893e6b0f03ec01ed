/** A conversation of any length goes on: room is made before the window of the model is full (R44). */
import { describe, expect, it } from 'vitest';
import { createSession, OptionError } from '../../src/index.js';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.js';
import { anthropic } from '../../src/models/anthropic/anthropic.js';
import { embedded, InMemorySessionStore, summarize } from '../../src/runtime/index.js';
import { type ScriptedRequest, scriptedModel } from '../../src/testing/index.js';
import { call, expectWellFormed, gate, type Loose, run, said, server, talk, toolResults } from './support.js';

const isSummaryRequest = (request: Pick<ScriptedRequest, 'messages'>) =>
  said(request).includes('Answer with text only and call no tools');
const WORDS = 'word '.repeat(2000);
const small = { context: { window: 20_000 } };

/** Answers like a model that summarizes when it is asked to. */
const answering = (request: ScriptedRequest, index: number) =>
  isSummaryRequest(request) ? '<summary>They spoke of words.</summary>' : `Answer ${index}.`;

async function ask(session: ReturnType<typeof createSession>, prompt: string): Promise<Loose[]> {
  session.send(prompt);
  const messages: Loose[] = [];
  for await (const message of session.stream()) messages.push(message as unknown as Loose);
  return messages;
}

const boundaries = (messages: readonly Loose[]) =>
  messages.filter(({ subtype }) => subtype === 'compact_boundary');

describe('a conversation that outgrows its window', () => {
  it('goes on from a summary, with its end word for word', async () => {
    const { session, model } = talk(answering, {}, small);
    const seen: Loose[] = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    await session.close();
    const [boundary, ...others] = boundaries(seen);
    expect(others).toEqual([]);
    expect(boundary).toMatchObject({
      compact_metadata: {
        trigger: 'auto',
        pre_tokens: expect.any(Number),
        post_tokens: expect.any(Number),
        preserved_messages: { uuids: expect.any(Array) },
      },
    });
    const last = said(model.requests.at(-1));
    expect(last).toContain('They spoke of words.');
    expect(last).toContain('Prompt 5');
    expect(last).not.toContain('Prompt 0');
    for (const request of model.requests) expectWellFormed(request.messages);
  });

  it('clears old results before anything is summarized, and says so', async () => {
    const { messages, model, result } = await run(
      (_, index) => (index < 12 ? { toolUses: [call('long')] } : 'Done.'),
      { allowedTools: ['mcp__s'], mcpServers: { s: server({ long: () => 'x'.repeat(7000) }) } },
      small,
    );
    expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(boundaries(messages)).toEqual([]);
    expect(messages.filter(({ tag }) => tag === 'tool_results_cleared').length).toBeGreaterThan(0);
    const told = toolResults(model.requests.at(-1)).map(({ text }) => text.includes('was cleared'));
    expect(told[0]).toBe(true);
    expect(told.at(-1)).toBe(false);
    expect(model.requests.some(isSummaryRequest)).toBe(false);
  });
});

describe('the end of a conversation', () => {
  it('that was summarized is stored, and gone on with from the last boundary', async () => {
    const sessionStore = new InMemorySessionStore();
    const first = talk(answering, {}, { ...small, sessionStore });
    const seen: Loose[] = [];
    for (let turn = 0; turn < 12; turn += 1)
      seen.push(...(await ask(first.session, `Prompt ${turn}: ${WORDS}`)));
    await first.session.close();
    expect(boundaries(seen).length).toBeGreaterThan(1);
    const resume = String(seen.at(-1)?.session_id);
    const second = talk(answering, { resume }, { ...small, sessionStore });
    await ask(second.session, 'And now?');
    await second.session.close();
    const before = first.model.requests.at(-1)?.messages ?? [];
    const after = second.model.requests[0]?.messages ?? [];
    const plain = (messages: readonly object[]) =>
      JSON.stringify(messages, (key, value) => (key === 'cache_control' ? undefined : value));
    // Word for word what the model read before, its last answer, and the new prompt.
    expect(plain(after.slice(0, before.length))).toBe(plain(before));
    expect(after).toHaveLength(before.length + 2);
  });

  it('that a boundary keeps is named by the ids that the host has seen', async () => {
    const { session } = talk(answering, {}, small);
    const seen: Loose[] = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    await session.close();
    const [boundary] = boundaries(seen) as [
      Loose & { compact_metadata: Record<string, Record<string, unknown>> },
    ];
    const { preserved_segment: segment, preserved_messages: kept } = boundary.compact_metadata;
    const summary = seen[seen.indexOf(boundary) + 1] as Loose;
    expect(summary).toMatchObject({ type: 'user', isSynthetic: true, uuid: kept?.anchor_uuid });
    const uuids = kept?.uuids as string[];
    expect(segment).toEqual({ head_uuid: uuids[0], anchor_uuid: kept?.anchor_uuid, tail_uuid: uuids.at(-1) });
    const answers = seen.filter(({ type }) => type === 'assistant').map(({ uuid }) => uuid);
    expect(answers.some((uuid) => uuids.includes(uuid as string))).toBe(true);
    expect(boundary).toMatchObject({ logical_parent_uuid: uuids.at(-1) });
  });
});

describe('a summary', () => {
  const longTalk = async (...[script, options, config]: Parameters<typeof talk>) => {
    const { session, model } = talk(script, options, { ...small, ...config });
    const seen: Loose[] = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    const usage = await session.query.getContextUsage();
    await session.close();
    for (const request of model.requests) expectWellFormed(request.messages);
    return { seen, model, usage };
  };

  it('is asked for with what the model has cached, and the tools it may not call', async () => {
    const { model } = await longTalk(answering);
    const at = model.requests.findIndex(isSummaryRequest);
    const [before, asked] = [model.requests[at - 1], model.requests[at]];
    expect(asked?.body.system).toEqual(before?.body.system);
    expect(asked?.body.tools).toEqual(before?.body.tools);
    expect(JSON.stringify(asked?.messages[0])).toBe(JSON.stringify(before?.messages[0]));
  });

  it('can be another model’s work, which reads plain text, and whose tokens are counted', async () => {
    const other = scriptedModel(() => '<summary>Of another model.</summary>', 'small-model');
    const { model, seen } = await longTalk(
      answering,
      {},
      {
        context: { window: 20_000, strategy: [summarize({ model: other, instructions: 'Keep the names.' })] },
      },
    );
    expect(model.requests.some(isSummaryRequest)).toBe(false);
    expect(other.requests).toHaveLength(1);
    const [request] = other.requests;
    expect(request?.messages).toHaveLength(1);
    expect(said(request)).toContain('Prompt 0');
    expect(said(request)).toContain('Keep the names.');
    expect(request?.toolNames).toEqual([]);
    expect(said(model.requests.at(-1))).toContain('Of another model.');
    expect(seen.at(-1)).toMatchObject({ modelUsage: { 'small-model': { inputTokens: expect.any(Number) } } });
  });

  it('that fails costs the beginning of the conversation, and nothing else', async () => {
    const { seen, model } = await longTalk((request: ScriptedRequest, index: number) =>
      isSummaryRequest(request) ? { error: { message: 'no', status: 500 } } : `Answer ${index}.`,
    );
    expect(seen.filter(({ type, is_error }) => type === 'result' && is_error)).toEqual([]);
    expect(seen).toContainEqual(expect.objectContaining({ compact_result: 'failed', compact_error: 'no' }));
    expect(boundaries(seen)).toHaveLength(1);
    const last = said(model.requests.at(-1));
    expect(last).toContain('was left out here');
    expect(last).toContain('Prompt 5');
  });

  it('that is only a call of a tool is none, and the tool is not run', async () => {
    let calls = 0;
    const { seen } = await longTalk(
      (request: ScriptedRequest, index: number) =>
        isSummaryRequest(request) ? { toolUses: [call('count')] } : `Answer ${index}.`,
      {
        allowedTools: ['mcp__s'],
        mcpServers: {
          s: server({
            count: () => {
              calls += 1;
              return calls;
            },
          }),
        },
      },
    );
    expect(calls).toBe(0);
    expect(seen).toContainEqual(expect.objectContaining({ compact_error: 'The model gave no summary.' }));
  });

  it('that a hook forbids is not written', async () => {
    const { seen, model } = await longTalk(answering, {
      hooks: { PreCompact: [{ hooks: [async () => ({ decision: 'block', reason: 'not now' })] }] },
    });
    expect(model.requests.some(isSummaryRequest)).toBe(false);
    expect(seen).toContainEqual(
      expect.objectContaining({ compact_error: 'A PreCompact hook prevented it: not now' }),
    );
  });

  it('counts for the budget', async () => {
    const { session } = talk(
      (request: ScriptedRequest, index: number) =>
        isSummaryRequest(request)
          ? { text: '<summary>Dear.</summary>', usage: { output_tokens: 1_000_000 } }
          : `Answer ${index}.`,
      { maxBudgetUsd: 5 },
      { ...small, prices: { 'scripted-model': { input: 0.001, output: 10 } } },
    );
    let last: Loose | undefined;
    for (let turn = 0; turn < 6; turn += 1) last = (await ask(session, `Prompt ${turn}: ${WORDS}`)).at(-1);
    await session.close();
    expect(last).toMatchObject({ subtype: 'error_max_budget_usd' });
  });

  it('is given up at an interrupt, and the conversation is whole', async () => {
    const asked = gate();
    let isHanging = true;
    const { session, model } = talk(
      async (request: ScriptedRequest, index: number) => {
        if (!isSummaryRequest(request)) return `Answer ${index}.`;
        if (!isHanging) return '<summary>At last.</summary>';
        isHanging = false;
        asked.open();
        return { text: 'late', delayMs: 60_000 };
      },
      {},
      small,
    );
    const seen: Loose[] = [];
    const turns = (async () => {
      for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    })();
    await asked.opened;
    await session.query.interrupt();
    await turns;
    await session.close();
    expect(seen.filter(({ terminal_reason }) => terminal_reason === 'aborted_streaming')).toHaveLength(1);
    expect(boundaries(seen)).toHaveLength(1);
    expect(said(model.requests.at(-1))).toContain('At last.');
  });

  it('leaves true numbers in getContextUsage()', async () => {
    const { usage, seen } = await longTalk(answering);
    expect(usage).toMatchObject({ maxTokens: 20_000, isAutoCompactEnabled: true });
    const [boundary] = boundaries(seen) as [Loose & { compact_metadata: { post_tokens: number } }];
    expect(usage.totalTokens).toBeGreaterThan(boundary.compact_metadata.post_tokens);
    expect(usage.totalTokens).toBeLessThan(usage.autoCompactThreshold ?? 0);
    expect(usage.percentage).toBe(Math.round(usage.totalTokens / 200));
    const used = usage.categories.filter(({ kind }) => kind === 'used').map(({ tokens }) => tokens);
    const sum = used.reduce((all, tokens) => all + tokens, 0);
    expect(Math.abs(sum - usage.totalTokens)).toBeLessThan(3);
  });
});

describe('a request that the API refuses as too long', () => {
  const TOO_LONG = { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum', status: 400 } };

  it('is sent once more, after room was made', async () => {
    let refused = 0;
    const { session, model } = talk((request: ScriptedRequest, index: number) => {
      if (isSummaryRequest(request)) return '<summary>Short.</summary>';
      if (!said(request).includes('Short.') && said(request).includes('Two')) {
        refused += 1;
        return TOO_LONG;
      }
      return `Answer ${index}.`;
    });
    await ask(session, 'One');
    const seen = await ask(session, 'Two');
    await session.close();
    expect(refused).toBe(1);
    expect(seen.at(-1)).toMatchObject({ subtype: 'success', is_error: false, num_turns: 2 });
    expect(boundaries(seen)).toHaveLength(1);
    expect(said(model.requests.at(-1))).toContain('Two');
  });

  it('again is told, and the next prompt has its own try', async () => {
    let isFull = true;
    const { session, model } = talk((request: ScriptedRequest, index: number) => {
      if (isSummaryRequest(request)) return '<summary>Short.</summary>';
      return isFull && index > 0 ? TOO_LONG : `Answer ${index}.`;
    });
    await ask(session, 'One');
    const seen = await ask(session, 'Two');
    expect(seen.at(-1)).toMatchObject({ is_error: true, api_error_status: 400 });
    expect(model.requests.filter((request) => !isSummaryRequest(request))).toHaveLength(3);
    isFull = false;
    expect((await ask(session, 'Three')).at(-1)).toMatchObject({ is_error: false });
    await session.close();
  });

  it('is an error at once where there is nothing that could be left out', async () => {
    const { result, model } = await run([TOO_LONG]);
    expect(result).toMatchObject({ is_error: true, api_error_status: 400 });
    expect(model.requests).toHaveLength(1);
  });

  it('is an error at once where the context is the program’s own affair', async () => {
    const { result, model } = await run([TOO_LONG], {}, { context: false });
    expect(result).toMatchObject({ is_error: true, api_error_status: 400 });
    expect(model.requests).toHaveLength(1);
  });
});

describe('the sizes of models in a result', () => {
  it('are the window that is reckoned with, and the length that answers may have', async () => {
    const { result } = await run(['Done.'], {}, { ...small, maxTokens: 1_234 });
    expect(Object.values(result?.modelUsage as object)).toMatchObject([
      { contextWindow: 20_000, maxOutputTokens: 1_234 },
    ]);
  });

  it('are those of each model that was asked', async () => {
    const other = { ...scriptedModel(() => '<summary>Short.</summary>', 'other'), window: () => 9_000 };
    const model = { ...scriptedModel(answering), window: () => 20_000 };
    const context = { strategy: [summarize({ model: other })] };
    await using session = createSession({ runtime: embedded({ model, context, maxTokens: 2_000 }) });
    const seen: Loose[] = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    expect(seen.at(-1)?.modelUsage).toMatchObject({
      [model.name]: { contextWindow: 20_000, maxOutputTokens: 2_000 },
      other: { contextWindow: 9_000, maxOutputTokens: 8_192 },
    });
  });
});

describe('the setting', () => {
  it.each<[string, unknown]>([
    ['a number', 5],
    ['an unknown name', { windows: 1 }],
    ['a window of nothing', { window: 0 }],
    ['a share above one', { compactAt: 2 }],
    ['a negative end', { keepTokens: -1 }],
    ['an unknown way', { strategy: ['forget'] }],
  ])('%s is refused', (_, context) => {
    expect(() => embedded({ model: scriptedModel([]), context: context as never })).toThrow(OptionError);
  });

  it('false leaves everything as it is', async () => {
    const { session, model } = talk(answering, {}, { context: false });
    for (let turn = 0; turn < 3; turn += 1) await ask(session, `Prompt ${turn}: ${'word '.repeat(60_000)}`);
    expect(await session.query.getContextUsage()).toMatchObject({ isAutoCompactEnabled: false });
    await session.close();
    expect(model.requests).toHaveLength(3);
  });

  it('of a model that knows its window needs no number', async () => {
    const model = { ...scriptedModel(answering), window: () => 20_000 };
    await using session = createSession({ runtime: embedded({ model }) });
    const seen: Loose[] = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    expect(boundaries(seen)).toHaveLength(1);
  });

  it('is what each adapter knows of its models', () => {
    const claude = anthropic({ apiKey: 'none' });
    const windows = (...names: string[]) => new Set(names.map((name) => claude.window?.(name)));
    expect(windows('opus', 'sonnet', 'haiku', 'fable', 'anthropic.claude-opus-5-5-v1:0')).toEqual(
      new Set([1_000_000]),
    );
    expect(windows('claude-haiku-4-5', 'claude-sonnet-4-5-20250929', 'claude-3-5-haiku-latest')).toEqual(
      new Set([200_000]),
    );
    expect(windows('llama3', 'claude')).toEqual(new Set([undefined]));
    const given = { specificationVersion: 'v3', modelId: 'm', doStream: () => {} } as never;
    expect(aiSdk(given, { contextWindow: 32_000 }).window?.('m')).toBe(32_000);
    expect(aiSdk(given, { contextWindow: { m: 16_000 } }).window?.('m')).toBe(16_000);
    expect(aiSdk(given).window?.('m')).toBeUndefined();
  });

  it('strategy: clearing alone never asks a model, and leaves the oldest out when it must', async () => {
    const { session, model } = talk(
      answering,
      {},
      {
        context: { window: 20_000, strategy: ['clearToolResults'] },
      },
    );
    const seen: Loose[] = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await ask(session, `Prompt ${turn}: ${WORDS}`)));
    await session.close();
    expect(model.requests).toHaveLength(6);
    expect(boundaries(seen)).toHaveLength(1);
    expect(said(model.requests.at(-1))).toContain('was left out here');
  });
});
