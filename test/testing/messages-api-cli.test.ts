/** The scripted API with the program it is made for: the real Claude Code CLI (pain 8, wish 4). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import {
  apiError,
  blocks,
  hang,
  type ScriptedMessagesApi,
  scriptedMessagesApi,
  stall,
  text,
  thinking,
  toolUse,
  toolUses,
} from '../../src/testing/index.js';
import { alive, cliPath, type Sandbox, sandbox, waitUntil } from '../support/real-cli.js';

interface Line {
  type: string;
  subtype?: string;
  [key: string]: unknown;
}

const prompt = { type: 'user', message: { role: 'user', content: 'hi' } };
const base = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

function start(
  box: Sandbox,
  api: ScriptedMessagesApi,
  flags: string[] = [],
  env: Record<string, string> = {},
) {
  return spawn(cliPath, [...base, ...flags], {
    cwd: box.cwd,
    env: box.env(api, env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Writes the lines, reads up to the result, and sees the CLI off. */
async function converse(child: ReturnType<typeof start>, input: object[] = [prompt]): Promise<Line[]> {
  const exit = once(child, 'exit');
  for (const line of input) child.stdin.write(`${JSON.stringify(line)}\n`);
  const lines: Line[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.type === 'result') child.stdin.end();
  }
  await exit;
  return lines;
}

it('carries a conversation with a tool from prompt to result', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    blocks([
      thinking('A shell will do.'),
      text('Let me ask.'),
      toolUse('Bash', { command: 'echo $((6 * 7))' }),
    ]),
    text('It is 42.', { chunks: 3, usage: { output_tokens: 5 } }),
  ]);
  const lines = await converse(start(box, api, ['--allowedTools=Bash']));
  expect(lines.at(-1)).toMatchObject({
    type: 'result',
    subtype: 'success',
    result: 'It is 42.',
    num_turns: 2,
  });
  expect(lines.filter((line) => line.type === 'assistant').map((line) => line.message)).toMatchObject([
    { id: 'msg_0001', content: [{ type: 'thinking', thinking: 'A shell will do.' }] },
    { id: 'msg_0001', content: [{ type: 'text', text: 'Let me ask.' }] },
    { id: 'msg_0001', content: [{ type: 'tool_use', id: 'toolu_0001', name: 'Bash' }] },
    { id: 'msg_0002', content: [{ type: 'text', text: 'It is 42.' }] },
  ]);
  expect(api.requests.map((request) => request.lastUserText)).toEqual(['hi', 'hi']);
  expect(api.requests[0]?.toolNames).toContain('Bash');
  expect(api.requests[0]?.headers['x-api-key']).toBe('test');
  expect(api.requests[1]?.toolResults).toMatchObject([{ tool_use_id: 'toolu_0001', content: '42' }]);
  expect(api.otherRequests).toEqual([]);
  api.assertDone();
});

it('has the CLI run two calls of one message', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    toolUses([
      { name: 'Bash', input: { command: 'echo one' } },
      { name: 'Bash', input: { command: 'echo two' } },
    ]),
    text('Both done.'),
  ]);
  await converse(start(box, api, ['--allowedTools=Bash']));
  // They run at the same time, so the results stand in the order in which they were ready.
  const results = api.requests[1]?.toolResults.map((result) => [result.tool_use_id, result.content]) ?? [];
  expect(Object.fromEntries(results)).toEqual({ toolu_0001: 'one', toolu_0002: 'two' });
  api.assertDone();
});

it('does not spend steps on the check of a model and a session title', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([text('Hello')], { sideAnswer: text('{"title":"A title"}') });
  const control = (request_id: string, request: object) => ({ type: 'control_request', request_id, request });
  const lines = await converse(start(box, api), [
    control('1', { subtype: 'set_model', model: 'claude-sonnet-4-5' }),
    control('2', { subtype: 'generate_session_title', description: 'Fix the login', persist: false }),
    prompt,
  ]);
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'Hello' });
  expect(lines.filter((line) => line.type === 'control_response')).toMatchObject([
    { response: { subtype: 'success', request_id: '1' } },
    { response: { subtype: 'success', request_id: '2', response: { title: 'A title' } } },
  ]);
  expect(api.requests).toHaveLength(1);
  expect(api.sideRequests.map((request) => request.body.max_tokens)).toEqual([1, expect.any(Number)]);
  api.assertDone();
});

it('counts a session without tools among the conversations', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([text('Hello')]);
  const lines = await converse(start(box, api, ['--tools=', '--model=haiku']));
  expect(lines.at(-1)).toMatchObject({ result: 'Hello' });
  api.assertDone();
});

it('lets the CLI try again after an overload and fail at the end of the script', async () => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([
    apiError(529, 'overloaded_error', 'Overloaded'),
    text('Hello'),
  ]);
  const lines = await converse(start(box, api, [], { CLAUDE_CODE_MAX_RETRIES: '2' }));
  expect(lines.at(-1)).toMatchObject({ subtype: 'success', result: 'Hello' });
  api.assertDone();
  const more = await converse(start(box, api));
  expect(more.at(-1)).toMatchObject({
    is_error: true,
    result: expect.stringMatching(
      /scripted API: no step left for request \d+ \(last user text "hi"; the script has 2 steps\)/,
    ),
  });
});

it.each([
  ['hangs', hang()],
  ['stalls', stall(text('Hello there', { chunks: 2 }))],
])('is not hurt by a CLI that is killed while an answer %s', async (_, step) => {
  await using box = sandbox();
  await using api = await scriptedMessagesApi([step]);
  const child = start(box, api);
  const lines = converse(child);
  await api.waitForRequest(0);
  child.kill('SIGKILL');
  await lines;
  await waitUntil(() => !alive(child.pid!), { what: 'the end of the CLI' });
  api.assertDone();
});
