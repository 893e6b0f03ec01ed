/** `@agentclientprotocol/claude-agent-acp` (Apache-2.0), the agent of several editors, written for the official SDK 0.3.312. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScriptedRequest, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { isClaudeCodeSideRequest } from '../../src/testing/messages-api/side-requests.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { acpClient, type Json } from './support/acp-client.js';
import { type Installation, installWithTenon } from './support/installation.js';

const NAME = '@agentclientprotocol/claude-agent-acp';
let installed: Installation;
beforeAll(async () => {
  installed = await installWithTenon(NAME);
});
afterAll(() => installed[Symbol.asyncDispose]());

/** It asks for suggestions of what the user might say next, at any moment. */
function isAside(request: ScriptedRequest): boolean {
  return request.lastUserText.startsWith('[SUGGESTION MODE') || isClaudeCodeSideRequest(request);
}

/** The user's choice: yes, except for what would remove something. */
function decide({ toolCall, options }: Json): Json {
  const kind = JSON.stringify(toolCall).includes('rm ') ? 'reject_once' : 'allow_once';
  const option = (options as { kind: string; optionId: string }[]).find((each) => each.kind === kind);
  return { outcome: { outcome: 'selected', optionId: option?.optionId } };
}

it('asks, edits, refuses, lists, loads, forks and deletes conversations', async () => {
  await using box = sandbox();
  const file = join(box.cwd, 'note.txt');
  await using api = await scriptedMessagesApi(
    [
      toolUse('Write', { file_path: file, content: 'one\n' }),
      text('Written.'),
      toolUse('Bash', { command: 'rm note.txt' }),
      text('Then not.'),
      text('It says one.'),
      text('The fork agrees.'),
    ],
    { isSideRequest: isAside },
  );
  const env = box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath });
  const program = installed.file(NAME, 'dist/index.js');
  const asked: unknown[] = [];
  const answers = {
    'session/request_permission': (params: Json) => {
      asked.push((params.toolCall as Json).title);
      return decide(params);
    },
  };
  const at = { cwd: box.cwd, mcpServers: [] };
  const say = (words: string) => [{ type: 'text', text: words }];
  let sessionId: unknown;
  {
    await using first = acpClient(program, env, answers);
    await first.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    ({ sessionId } = await first.request('session/new', at));
    const outcome = await first.request('session/prompt', { sessionId, prompt: say('Write a note.') });
    expect(outcome, first.log()).toMatchObject({ stopReason: 'end_turn' });
    expect(await readFile(file, 'utf8')).toBe('one\n');
    await first.request('session/prompt', { sessionId, prompt: say('Remove it.') });
    expect(first.said()).toContain('Written.');
    expect(first.updates.some(({ status }) => status === 'failed')).toBe(true);
    expect(await first.leave(), first.log()).toBe(0);
  }
  expect(asked).toEqual(['Write note.txt', 'rm note.txt']);
  expect(await readFile(file, 'utf8')).toBe('one\n');

  await using second = acpClient(program, env, answers);
  await second.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessions } = await second.request('session/list', { cwd: box.cwd });
  expect(sessions).toMatchObject([{ sessionId, cwd: box.cwd, title: 'Remove it.' }]);
  await second.request('session/load', { sessionId, ...at });
  // The conversation is played back to the editor.
  expect(JSON.stringify(second.updates)).toContain('Write a note.');
  await second.request('session/prompt', { sessionId, prompt: say('What does it say?') });
  expect(second.said()).toContain('It says one.');
  const fork = await second.request('session/fork', { sessionId, ...at });
  expect(fork.sessionId).not.toBe(sessionId);
  await second.request('session/prompt', { sessionId: fork.sessionId, prompt: say('And you?') });
  expect(JSON.stringify(api.requests.at(-1)?.body.messages)).toContain('What does it say?');
  await second.request('session/delete', { sessionId: fork.sessionId });
  const after = await second.request('session/list', { cwd: box.cwd });
  expect((after.sessions as Json[]).map((session) => session.sessionId)).toEqual([sessionId]);
});
