/** Going back in a conversation that was compacted since (R44). */
import { describe, expect, it } from 'vitest';
import { createSession, forkSession, InMemorySessionStore, type Options } from '../../src/index.js';
import type { SessionStore } from '../../src/runtime/index.js';
import { type ScriptedRequest, text } from '../../src/testing/index.js';
import { BACK_ENDS } from '../support/back-ends.js';
import { call, expectWellFormed, type Loose, said, server, talk } from './support.js';

/** Both agents ask for a summary in these words. */
const isForSummary = (request: Pick<ScriptedRequest, 'messages'>) =>
  /text only/i.test(JSON.stringify(request.messages.at(-1)));

/** All prompts in one conversation; the ids of the answers by prompt, and the last request. */
async function converse(sessionStore: SessionStore, prompts: readonly string[], options: Options = {}) {
  let current = '';
  const { session, model } = talk(
    (request) => (isForSummary(request) ? '<summary>Summary.</summary>' : `Reply to ${current}`),
    options,
    { sessionStore },
  );
  const ids = new Map<string, string>();
  let sessionId = '';
  for (const prompt of prompts) {
    current = prompt;
    session.send(prompt);
    for await (const message of session.stream()) {
      sessionId = message.session_id ?? sessionId;
      if (message.type === 'assistant') ids.set(prompt, message.uuid);
    }
  }
  await session.close();
  const request = model.requests.at(-1);
  if (request !== undefined) expectWellFormed(request.messages);
  return { ids, last: said(request), sessionId };
}

function expectWords(text: string, there: readonly string[], gone: readonly string[]): void {
  for (const words of there) expect(text).toContain(words);
  for (const words of gone) expect(text).not.toContain(words);
}

describe('resumeSessionAt with a message before a compaction', () => {
  const PROMPTS = ['Alpha', 'Beta', '/compact', 'Gamma', 'Delta', '/compact', 'Omega'];

  it.each([
    ['Alpha', ['Reply to Alpha'], ['Beta', 'Summary', 'Gamma', 'Omega']],
    ['Gamma', ['Summary', 'Reply to Gamma'], ['Reply to Alpha', 'Delta', 'Omega']],
    ['Omega', ['Summary', 'Reply to Omega'], ['Reply to Alpha', 'Reply to Gamma']],
  ])('goes on from there as it was then: %s', async (prompt, there, gone) => {
    const store = new InMemorySessionStore();
    const { ids, sessionId } = await converse(store, PROMPTS);
    const at = { resume: sessionId, resumeSessionAt: String(ids.get(prompt)) };
    const fork = await converse(store, ['Back'], { ...at, forkSession: true });
    expect(fork.sessionId).not.toBe(sessionId);
    expectWords(fork.last, [...there, 'Back'], gone);
    const back = await converse(store, ['Back'], at);
    expect(back.sessionId).toBe(sessionId);
    expectWords(back.last, [...there, 'Back'], gone);
    const later = await converse(store, ['Later'], { resume: sessionId });
    expectWords(later.last, [...there, 'Reply to Back', 'Later'], gone);
  });

  it('has all results of an answer, by whichever of their ids', async () => {
    const store = new InMemorySessionStore();
    const tools = server({ one: () => 'first', two: () => 'second' });
    const { session } = talk(
      (request, index) => {
        if (isForSummary(request)) return '<summary>Summary.</summary>';
        return index === 0 ? { toolUses: [call('one'), call('two')] } : 'Done.';
      },
      { mcpServers: { s: tools }, allowedTools: ['mcp__s'] },
      { sessionStore: store },
    );
    const results: Loose[] = [];
    for (const prompt of ['Go.', '/compact']) {
      session.send(prompt);
      for await (const message of session.stream())
        if (message.type === 'user' && message.tool_use_result !== undefined)
          results.push(message as unknown as Loose);
    }
    const { session_id: resume } = await session.ask('And?');
    await session.close();
    expect(results).toHaveLength(2);
    for (const { uuid } of results) {
      const at = { resume, resumeSessionAt: String(uuid), forkSession: true };
      expectWords((await converse(store, ['Back'], at)).last, ['first', 'second'], ['cut off', 'Summary']);
    }
  });

  it('that nobody has said is an error', async () => {
    const store = new InMemorySessionStore();
    const { sessionId: resume } = await converse(store, PROMPTS);
    const { session } = talk([], { resume, resumeSessionAt: crypto.randomUUID() }, { sessionStore: store });
    expect(await session.ask('Back')).toMatchObject({
      is_error: true,
      errors: [expect.stringContaining('No message found')],
    });
    await session.close();
  });
});

describe.each(BACK_ENDS)('on $name', (backEnd) => {
  it('forkSession() up to a message before a compaction is a conversation as it was then', async () => {
    let replies = 0;
    await using agent = await backEnd.start((request) =>
      text(isForSummary(request) ? '<summary>Summary.</summary>' : `Reply ${++replies}`),
    );
    const sessionStore = new InMemorySessionStore();
    const options = agent.options({ tools: [], sessionStore });
    const first = createSession(options);
    let answer = '';
    first.send('One.');
    for await (const message of first.stream()) if (message.type === 'assistant') answer = message.uuid;
    const { session_id: id } = await first.ask('Two.');
    await first.query.compact();
    await first.ask('Three.');
    await first.close();
    const fork = await forkSession(id, { sessionStore, upToMessageId: answer, dir: agent.box.cwd });
    await using second = createSession({ ...options, resume: fork.sessionId });
    await second.ask('Back.');
    const last = JSON.stringify(agent.player.requests.at(-1)?.messages);
    expectWords(last, ['One.', 'Reply 1', 'Back.'], ['Two.', 'Three.', 'Summary.']);
  });
});
