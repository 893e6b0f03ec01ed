/** Hooks at the beginning and the end of a conversation. The CLI calls neither for callbacks unless `/clear` is said. */
import { describe, expect, test } from 'vitest';
import type { HookCallback, HookInput } from '../../src/index.js';
import { InMemorySessionStore } from '../../src/runtime/index.js';
import { gate, run, said, talk, untilAborted } from './support.js';

function listening(answer: object = {}) {
  const heard: HookInput[] = [];
  const callback: HookCallback = async (input) => {
    heard.push(input);
    return answer;
  };
  return { heard, callback };
}

describe('SessionStart', () => {
  test('comes once, before the first prompt, and what it adds is read with it (R22)', async () => {
    const { heard, callback } = listening({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'It is Monday.' },
    });
    const prompts = listening();
    const { session, model } = talk(['One.', 'Two.'], {
      hooks: { SessionStart: [{ hooks: [callback] }], UserPromptSubmit: [{ hooks: [prompts.callback] }] },
    });
    await session.ask('First');
    await session.ask('Second');
    await session.close();
    expect(heard).toMatchObject([
      { hook_event_name: 'SessionStart', source: 'startup', model: 'scripted-model' },
    ]);
    expect(prompts.heard).toHaveLength(2);
    expect(said(model.requests[0])).toContain('It is Monday.');
  });

  test('says that a conversation is gone on with, and matchers are held against that (R22)', async () => {
    const sessionStore = new InMemorySessionStore();
    const { result } = await run(['One.'], {}, { sessionStore });
    const [startup, resume] = [listening(), listening()];
    const hooks = {
      SessionStart: [
        { matcher: 'startup', hooks: [startup.callback] },
        { matcher: 'resume', hooks: [resume.callback] },
      ],
    };
    await run(['Two.'], { resume: String(result.session_id), hooks }, { sessionStore });
    expect(startup.heard).toEqual([]);
    expect(resume.heard).toMatchObject([{ source: 'resume' }]);
  });

  test('says the first words, in a turn of their own before the prompt, also on resume (R22)', async () => {
    const sessionStore = new InMemorySessionStore();
    const { callback } = listening({
      hookSpecificOutput: {
        hookEventName: 'SessionStart',
        initialUserMessage: 'From the hook.',
        additionalContext: 'It is Monday.',
      },
    });
    const hooks = { SessionStart: [{ hooks: [callback] }] };
    const first = await run(['One.', 'Two.'], { hooks }, { sessionStore });
    expect(first.results.map(({ result }) => result)).toEqual(['One.', 'Two.']);
    expect(said(first.model.requests[0])).toMatch(/From the hook\..*It is Monday\./);
    expect(said(first.model.requests[0])).not.toContain('Go.');
    expect(said(first.model.requests[1])).toMatch(/From the hook\..*One\..*Go\./);
    const resume = String(first.result.session_id);
    const second = await run(['Three.', 'Four.'], { hooks, resume }, { sessionStore });
    expect(said(second.model.requests[0])).toMatch(/Two\..*From the hook\./);
    expect(second.results.map(({ result }) => result)).toEqual(['Three.', 'Four.']);
  });

  test('can be interrupted, and then the prompt is not answered (R22)', async () => {
    const { open, opened } = gate();
    const hook = (_input: HookInput, _id: string | undefined, { signal }: { signal: AbortSignal }) => {
      open();
      return untilAborted(signal);
    };
    const { session, model } = talk([], { hooks: { SessionStart: [{ hooks: [hook] }] } });
    const asking = session.ask('First');
    await opened;
    await session.query.interrupt();
    expect(await asking).toMatchObject({ is_error: true, terminal_reason: 'aborted_streaming' });
    await session.close();
    expect(model.requests).toHaveLength(0);
  });

  test('that fails does not keep the conversation from beginning (R22)', async () => {
    const hooks = {
      SessionStart: [
        {
          hooks: [
            async () => {
              throw new Error('Out of order.');
            },
          ],
        },
      ],
    };
    expect((await run(['Hello.'], { hooks })).result).toMatchObject({ result: 'Hello.' });
  });
});

describe('SessionEnd', () => {
  test('comes once, when the host says that no more comes (R22)', async () => {
    const { heard, callback } = listening();
    const { session } = talk(['One.'], { hooks: { SessionEnd: [{ hooks: [callback] }] } });
    await session.ask('First');
    await session.query.controlRequest('end_session', {});
    await session.query.controlRequest('end_session', {});
    await session.close();
    expect(heard).toMatchObject([{ hook_event_name: 'SessionEnd', reason: 'other' }]);
  });

  test.each(['a query that is read to its end', 'a session that is closed'])(
    'comes at the end of %s (R22)',
    async (how) => {
      const { heard, callback } = listening();
      const options = { hooks: { SessionEnd: [{ hooks: [callback] }] } };
      if (how.startsWith('a query')) await run(['One.'], options);
      else {
        const { session } = talk(['One.'], options);
        await session.ask('First');
        await session.close();
      }
      expect(heard).toMatchObject([{ reason: 'other' }]);
    },
  );

  test('that never answers holds up the end no longer than the limit (R22)', async () => {
    const hooks = { SessionEnd: [{ hooks: [() => new Promise<never>(() => {})] }] };
    // It comes to its end at all.
    expect((await run(['One.'], { hooks })).result).toMatchObject({ result: 'One.' });
  });

  test('does not come for a conversation in which nothing was said (R22)', async () => {
    const { heard, callback } = listening();
    const { session } = talk([], { hooks: { SessionEnd: [{ hooks: [callback] }] } });
    await session.close();
    expect(heard).toEqual([]);
  });
});
