/** Compaction on demand, on both back ends: the prompt `/compact`, and `query.compact()` (R44, pain 51, wish 22). */
import { describe, expect, it } from 'vitest';
import {
  createSession,
  type HookInput,
  InMemorySessionStore,
  type Options,
  type SDKMessage,
} from '../../src/index.js';
import { type Script, text } from '../../src/testing/index.js';
import { BACK_ENDS } from '../support/back-ends.js';
import type { Loose } from './support.js';

/** Both agents ask for a summary in these words. */
const isForSummary = (body: unknown) => /text only/i.test(JSON.stringify(body));

const script: Script = (request, index) =>
  isForSummary(request.messages.at(-1))
    ? text('<summary>They spoke of plums.</summary>')
    : text(`Answer ${index}.`);

const HOOKS = ['PreCompact', 'SessionStart', 'PostCompact'];
const SHOWN = ['status', 'status', 'init', 'compact_boundary', 'user', 'user', 'result'];

/** Notes the calls of hooks. */
function watching(log: Loose[]): Options['hooks'] {
  const note = async (input: HookInput) => {
    if (!('source' in input) || input.source === 'compact')
      log.push({ ...input, type: input.hook_event_name } as Loose);
    return {};
  };
  return Object.fromEntries(HOOKS.map((event) => [event, [{ hooks: [note] }]]));
}

async function ask(session: ReturnType<typeof createSession>, prompt: string): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  session.send(prompt);
  for await (const message of session.stream()) messages.push(message);
  return messages;
}

describe.each(BACK_ENDS)('on $name', (backEnd) => {
  it('the prompt /compact shows and calls the same things in the same order', async () => {
    await using agent = await backEnd.start(script);
    const called: Loose[] = [];
    const shown: Loose[] = [];
    await using session = createSession(agent.options({ tools: [], hooks: watching(called) }));
    await ask(session, 'One.');
    session.send('/compact keep the fruit');
    for await (const message of session.stream()) shown.push(message as unknown as Loose);
    expect(called.map(({ type }) => type)).toEqual(HOOKS);
    expect(shown.map(({ type, subtype }) => (type === 'system' ? subtype : type))).toEqual(SHOWN);
    const [before, started, after] = called;
    const [compacting, ended, , boundary, summary, , result] = shown;
    expect(compacting).toMatchObject({ status: 'compacting' });
    expect(before).toMatchObject({ trigger: 'manual', custom_instructions: 'keep the fruit' });
    expect(started).toMatchObject({ source: 'compact' });
    expect(after).toMatchObject({
      trigger: 'manual',
      compact_summary: '<summary>They spoke of plums.</summary>',
    });
    expect(ended).toMatchObject({ status: null, compact_result: 'success' });
    expect(boundary).toMatchObject({
      compact_metadata: {
        trigger: 'manual',
        pre_tokens: expect.any(Number),
        post_tokens: expect.any(Number),
        cumulative_dropped_tokens: expect.any(Number),
        duration_ms: expect.any(Number),
      },
      logical_parent_uuid: expect.any(String),
    });
    expect(summary).toMatchObject({ isSynthetic: true, isReplay: false });
    expect(JSON.stringify(summary?.message)).toContain('They spoke of plums.');
    expect(result).toMatchObject({ subtype: 'success', num_turns: 0, result: '', local_command: 'compact' });
    const asked = agent.player.requests.find(({ messages }) => isForSummary(messages.at(-1)));
    expect(JSON.stringify(asked?.messages.at(-1))).toContain('keep the fruit');
    await ask(session, 'And now?');
    const next = JSON.stringify(agent.player.requests.at(-1)?.messages);
    expect(next).toContain('They spoke of plums.');
    expect(next).not.toContain('One.');
  });

  it('query.compact() resolves with what was done, and its result is nobody else’s', async () => {
    await using agent = await backEnd.start(script);
    await using session = createSession(agent.options({ tools: [] }));
    await ask(session, 'One.');
    const metadata = await session.query.compact('keep the numbers');
    expect(metadata).toMatchObject({ trigger: 'manual', pre_tokens: expect.any(Number) });
    const messages = await ask(session, 'Two.');
    const results = messages.filter(({ type }) => type === 'result');
    expect(results).toMatchObject([{ num_turns: 1, result: expect.stringMatching(/^Answer/) }]);
    expect(
      messages.some((message) => message.type === 'system' && message.subtype === 'compact_boundary'),
    ).toBe(true);
    expect(JSON.stringify(agent.player.requests.map(({ messages }) => messages))).toContain(
      'keep the numbers',
    );
  });

  it('query.compact() of an empty conversation has nothing to do', async () => {
    await using agent = await backEnd.start(script);
    await using session = createSession(agent.options({ tools: [] }));
    expect(await session.query.compact()).toBeUndefined();
    expect(await session.ask('One.')).toMatchObject({ subtype: 'success', num_turns: 1 });
  });

  it('query.compact() rejects when the query ends first, and when its input has ended', async () => {
    await using agent = await backEnd.start(script);
    const session = createSession(agent.options({ tools: [] }));
    await ask(session, 'One.');
    const compacted = expect(session.query.compact()).rejects.toMatchObject({ code: 'CLOSED' });
    await session.close();
    await compacted;
    await expect(session.query.compact()).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
  });

  it('a resumed conversation begins with the summary', async () => {
    await using agent = await backEnd.start(script);
    const options = agent.options({ tools: [], sessionStore: new InMemorySessionStore() });
    const first = createSession(options);
    await ask(first, 'One.');
    await first.query.compact();
    const result = await first.ask('Two.');
    await first.close();
    await using second = createSession({ ...options, resume: result.session_id });
    await second.ask('Three.');
    const last = JSON.stringify(agent.player.requests.at(-1)?.messages);
    expect(last).toContain('They spoke of plums.');
    expect(last).toContain('Two.');
    expect(last).not.toContain('One.');
  });
});
