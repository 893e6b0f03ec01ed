/** Several turns over one process of the real CLI (pain 57). */
import { describe, expect, it } from 'vitest';
import { createSession, isSuccess, type Options, type SDKMessage } from '../../src/index.js';
import { apiError, type ScriptedMessagesApi, scriptedMessagesApi, text } from '../../src/testing/index.js';
import { alive, cliPath, type Sandbox, sandbox, waitUntil } from '../support/real-cli.js';

const optionsOf = (box: Sandbox, api: ScriptedMessagesApi): Options => ({
  pathToClaudeCodeExecutable: cliPath,
  cwd: box.cwd,
  env: box.env(api, { CLAUDE_CODE_MAX_RETRIES: '0' }),
});

describe('a session', () => {
  it('takes three turns in less than ten lines', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('Hello.'), text('Fine.'), text('Goodbye.')]);
    const options = optionsOf(box, api);

    await using session = createSession(options);
    const answers: unknown[] = [];
    for (const question of ['Hi', 'How are you?', 'Bye']) {
      answers.push(await session.ask(question));
    }

    expect(answers).toMatchObject([{ result: 'Hello.' }, { result: 'Fine.' }, { result: 'Goodbye.' }]);
    // The model has the whole conversation before it: it is one session.
    expect(api.requests[2]?.body.messages.filter(({ role }) => role === 'assistant')).toHaveLength(2);
    expect(new Set(answers.map((answer) => (answer as { session_id: string }).session_id)).size).toBe(1);
    api.assertDone();
  });

  it('returns a failed turn instead of throwing it, and goes on', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([
      text('Hello.'),
      apiError(401, 'authentication_error', 'invalid x-api-key'),
      text('Here again.'),
    ]);
    await using session = createSession(optionsOf(box, api));
    expect(isSuccess(await session.ask('one'))).toBe(true);
    const failed = await session.ask('two');
    expect(isSuccess(failed)).toBe(false);
    expect(failed.failure).toMatchObject({ kind: 'authentication', status: 401, retryable: false });
    expect(await session.ask('three')).toMatchObject({ result: 'Here again.' });
    api.assertDone();
  });

  it('streams the messages of a turn up to its result', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('Hello.'), text('Again.')]);
    await using session = createSession(optionsOf(box, api));
    for (const word of ['Hello.', 'Again.']) {
      session.send('Hi');
      const messages: SDKMessage[] = [];
      for await (const message of session.stream()) messages.push(message);
      expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init' });
      expect(messages.at(-1)).toMatchObject({ type: 'result', result: word });
      expect(messages.filter(({ type }) => type === 'result')).toHaveLength(1);
    }
  });

  it('ends its process when it is closed, and takes no more questions', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([text('Hello.')]);
    const session = createSession(optionsOf(box, api));
    await session.ask('Hi');
    const { pid } = session.query;
    expect(pid).toBeDefined();
    await session.close();
    await session.close();
    await waitUntil(() => !alive(pid!), { what: 'the end of the CLI' });
    expect(() => session.send('more')).toThrow(expect.objectContaining({ code: 'INPUT_CLOSED' }));
    await expect(session.ask('more')).rejects.toMatchObject({ code: 'INPUT_CLOSED' });
  });

  it('returns also the failure after which the CLI leaves, and then has nothing more to say', async () => {
    await using box = sandbox();
    await using api = await scriptedMessagesApi([]);
    const resume = '11111111-1111-4111-8111-111111111111';
    await using session = createSession({ ...optionsOf(box, api), resume });
    const failed = await session.ask('Hi');
    expect(failed.failure).toMatchObject({ kind: 'session_not_found' });
    await expect(session.ask('Still there?')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
