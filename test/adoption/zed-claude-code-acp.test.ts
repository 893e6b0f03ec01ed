/** `@zed-industries/claude-code-acp` (Apache-2.0), written for the official SDK 0.2.44: an editor's tools as an MCP server in its process. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hang, scriptedMessagesApi, text, toolUse } from '../../src/testing/index.js';
import { cliPath, sandbox } from '../support/real-cli.js';
import { type Answer, acpClient, type Json } from './support/acp-client.js';
import { type Installation, installWithTenon } from './support/installation.js';

const NAME = '@zed-industries/claude-code-acp';
let installed: Installation;
beforeAll(async () => {
  installed = await installWithTenon(NAME);
});
afterAll(() => installed[Symbol.asyncDispose]());

const INITIALIZE = {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
};

/** An editor that has one file open, unsaved, and lets the user decide by `choice`. */
function editor(choice: (params: Json) => string): { asked: Json[]; answers: Record<string, Answer> } {
  const asked: Json[] = [];
  return {
    asked,
    answers: {
      'fs/read_text_file': () => ({ content: 'The answer is 42.' }),
      'session/request_permission': (params) => {
        asked.push(params);
        return { outcome: { outcome: 'selected', optionId: choice(params) } };
      },
    },
  };
}

it('reads through its in-process server, asks the editor before a command, and resumes in a new process', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    toolUse('mcp__acp__Read', { file_path: join(box.cwd, 'open.txt') }),
    toolUse('Bash', { command: 'echo made > made.txt' }),
    text('It is 42.'),
    text('Still 42.'),
  ]);
  const env = box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath });
  const program = installed.file(NAME, 'dist/index.js');
  const { asked, answers } = editor(() => 'allow');
  let sessionId: unknown;
  {
    await using first = acpClient(program, env, answers);
    await first.request('initialize', INITIALIZE);
    ({ sessionId } = await first.request('session/new', { cwd: box.cwd, mcpServers: [] }));
    const prompt = [{ type: 'text', text: 'What is in the open file?' }];
    const outcome = await first.request('session/prompt', { sessionId, prompt });
    expect(outcome, first.log()).toEqual({ stopReason: 'end_turn' });
    expect(first.said()).toBe('It is 42.');
    // Its hook after each tool passes the tool's own answer on.
    const responses = first.updates.flatMap(({ _meta }) => (_meta as Json | undefined)?.claudeCode ?? []);
    expect(JSON.stringify(responses)).toContain('"toolResponse":[{"type":"text","text":"The answer is 42.');
  }
  expect(asked.map(({ toolCall }) => (toolCall as Json).rawInput)).toEqual([
    { command: 'echo made > made.txt' },
  ]);
  expect(await readFile(join(box.cwd, 'made.txt'), 'utf8')).toBe('made\n');
  expect(JSON.stringify(api.requests[1]?.toolResults)).toContain('The answer is 42.');

  await using second = acpClient(program, env, answers);
  await second.request('initialize', INITIALIZE);
  await second.request('session/resume', { sessionId, cwd: box.cwd, mcpServers: [] });
  await second.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Sure?' }] });
  expect(second.said()).toBe('Still 42.');
  expect(JSON.stringify(api.requests[3]?.body.messages)).toContain('What is in the open file?');
  api.assertDone();
});

it('cancels a turn that waits for the model', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([hang()]);
  const env = box.env(api, { CLAUDE_CODE_EXECUTABLE: cliPath });
  await using client = acpClient(installed.file(NAME, 'dist/index.js'), env, editor(() => 'reject').answers);
  await client.request('initialize', INITIALIZE);
  const { sessionId } = await client.request('session/new', { cwd: box.cwd, mcpServers: [] });
  const turn = client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Wait.' }] });
  await api.waitForRequest(0);
  client.notify('session/cancel', { sessionId });
  expect(await turn, client.log()).toEqual({ stopReason: 'cancelled' });
});
