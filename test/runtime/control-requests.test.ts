/** What a host may ask of the runtime: a true answer, or an error that says that there is none. Never silence. */
import { describe, expect, test } from 'vitest';
import { McpClient } from '../../src/mcp/client/mcp-client.js';
import { CONTROL_SUBTYPES, type HostSubtype } from '../../src/protocol/wire/control-requests.js';
import { inProcessSource } from '../../src/runtime/mcp/in-process-source.js';
import { PATIENCE_MS } from '../support/patience.js';
import { call, gate, server, talk, untilAborted } from './support.js';

const hostSubtypes = Object.entries(CONTROL_SUBTYPES)
  .filter(([subtype, sender]) => sender !== 'agent' && subtype !== 'initialize')
  .map(([subtype]) => subtype as HostSubtype);

test('every request of the table is answered, one way or the other, and the conversation lives on (R16)', async () => {
  const { session } = talk(() => 'Yes.', { controlTimeoutMs: PATIENCE_MS });
  await session.ask('One?');
  const answers = await Promise.all(
    hostSubtypes.map((subtype) =>
      session.query.controlRequest(subtype, {} as never).then(
        () => undefined,
        (error) => error,
      ),
    ),
  );
  for (const [index, error] of answers.entries()) {
    if (error !== undefined) expect(error, hostSubtypes[index]).toMatchObject({ code: 'CONTROL_ERROR' });
  }
  expect(await session.ask('Two?')).toMatchObject({ result: 'Yes.' });
  await session.close();
});

describe('the runtime tells', () => {
  const asking = async <Subtype extends HostSubtype>(
    subtype: Subtype,
    options: Parameters<typeof talk>[1] = {},
  ) => {
    const { session } = talk(
      () => ({ text: 'Yes.', usage: { input_tokens: 70, output_tokens: 30 } }),
      options,
      {
        prices: { 'scripted-model': { input: 1, output: 10 } },
      },
    );
    await session.ask('?');
    const answer = await session.query.controlRequest(subtype, {} as never);
    await session.close();
    return answer;
  };

  test('its models, and those that stand ready', async () => {
    expect(await asking('list_models', { fallbackModel: 'second' })).toMatchObject({
      models: [{ value: 'scripted-model' }, { value: 'second' }],
    });
  });

  test('what was spent, and how full the last request was', async () => {
    expect(await asking('get_session_cost')).toEqual({ text: 'Total cost: $0.0004' });
    expect(await asking('get_usage')).toMatchObject({
      session: { total_cost_usd: 0.00037, model_usage: { 'scripted-model': { inputTokens: 70 } } },
      rate_limits_available: false,
    });
    expect(await asking('get_context_usage')).toMatchObject({
      totalTokens: 100,
      apiUsage: { input_tokens: 70, output_tokens: 30 },
    });
  });

  test('its rules and directories, and those that are not in effect', async () => {
    const answer = await asking('list_permission_rules', {
      allowedTools: ['mcp__s', 'mcp__s__a(x)'],
      disallowedTools: ['WebFetch'],
      additionalDirectories: ['/srv'],
      cwd: '/',
    });
    expect(answer).toMatchObject({
      state: {
        rules: [
          { behavior: 'allow', source: 'cliArg', rule: 'mcp__s' },
          { behavior: 'allow', rule: 'mcp__s__a(x)', notInEffect: true },
          { behavior: 'deny', rule: 'WebFetch' },
        ],
        workspaceDirectories: [{ path: '/srv', source: 'cliArg' }],
        originalCwd: '/',
      },
    });
  });

  test('which hooks it has, and which it calls', async () => {
    const answer = await asking('get_hooks_listing', {
      hooks: { PreToolUse: [{ matcher: 'mcp__.*', hooks: [async () => ({})], timeout: 3 }] },
    });
    expect(answer).toMatchObject({ hooks: [{ event: 'PreToolUse', matcher: 'mcp__.*', timeout: 3 }] });
    expect((answer as { eventCatalog: { name: string }[] }).eventCatalog.map(({ name }) => name)).toContain(
      'SessionEnd',
    );
  });

  test('plainly that it has no files to rewind', async () => {
    await expect(asking('rewind_files')).rejects.toMatchObject({
      code: 'CONTROL_ERROR',
      errorCode: 'not_available',
      message: expect.stringContaining('no file tools'),
    });
  });
});

test('messages that wait can be taken back, one or all (pain 30)', async () => {
  const begun = gate();
  const { session, model } = talk((_, index) => (index === 0 ? { toolUses: [call('slow')] } : 'Next.'), {
    mcpServers: {
      s: server({
        slow: (_, { signal }) => {
          begun.open();
          return untilAborted(signal);
        },
      }),
    },
    allowedTools: ['mcp__s'],
  });
  const asked = session.ask('One');
  await begun.opened;
  const say = (uuid: string) =>
    session.send({
      type: 'user',
      uuid,
      message: { role: 'user', content: uuid },
      parent_tool_use_id: null,
    } as never);
  const ids = ['a', 'b', 'c'].map((letter) => `${letter}0000000-0000-4000-8000-000000000000`);
  for (const id of ids) say(id);
  const cancel = (message_uuid: string) =>
    session.query.controlRequest('cancel_async_message', { message_uuid });
  await expect.poll(() => cancel(ids[1] ?? '')).toEqual({ cancelled: true });
  expect(await cancel(ids[1] ?? '')).toEqual({ cancelled: false });
  expect(await session.query.controlRequest('interrupt', { cancel_queued: true })).toEqual({
    still_queued: [],
    cancelled: [ids[0], ids[2]],
  });
  expect(await asked).toMatchObject({ terminal_reason: 'aborted_tools' });
  expect(model.requests).toHaveLength(1);
  await session.close();
});

test('a call that was cancelled is not waited for any more, though the host never answers it (pain 26)', async () => {
  const forgotten: (AbortSignal | undefined)[] = [];
  const host = {
    ask: (
      _: string,
      { message }: { message: { method: string } },
      options?: { forgottenBy?: AbortSignal },
    ) => {
      if (message.method !== 'tools/call') return Promise.resolve({});
      forgotten.push(options?.forgottenBy);
      return new Promise(() => {});
    },
  };
  const source = inProcessSource('s', {}, host as never);
  const client = new McpClient('s', { notification: () => {}, serve: async () => ({}) } as never);
  client.attach(await source.open(client, {} as never));
  const cancelled = new AbortController();
  const answer = client.callTool('a', {}, 'toolu_1', { signal: cancelled.signal });
  const other = client.callTool('b', {}, 'toolu_2', {});
  other.catch(() => {});
  cancelled.abort();
  await expect(answer).rejects.toMatchObject({ code: 'ABORTED' });
  expect(forgotten.map((signal) => signal?.aborted)).toEqual([true, false]);
  await client.close();
});

test.each([
  ['mcp_toggle', { enabled: true }, 'mcp_toggle: `serverName` must be a string; it is missing.'],
  [
    'mcp_toggle',
    { serverName: 's', enabled: 'yes' },
    'mcp_toggle: `enabled` must be a boolean; it is a string.',
  ],
  [
    'mcp_set_servers',
    { servers: { s: 'node server.js' } },
    'mcp_set_servers: `servers` must be an object for each server.',
  ],
  [
    'mcp_call',
    { tool: 'mcp__s__t', arguments: [] },
    'mcp_call: `arguments` must be an object; it is an array.',
  ],
  [
    'mcp_get_prompt',
    { serverName: 's', name: 'p', arguments: { count: 3 } },
    'mcp_get_prompt: `arguments` must be strings by name.',
  ],
  [
    'cancel_async_message',
    { message_uuid: 1 },
    'cancel_async_message: `message_uuid` must be a string; it is a number.',
  ],
  [
    'initialize',
    { hooks: { Stop: [{ matcher: '*' }] } },
    'initialize: `hooks` must be matchers by event, each with `hookCallbackIds`.',
  ],
  [
    'initialize',
    { appendSystemPrompt: ['Be brief.'] },
    'initialize: `appendSystemPrompt` must be a string; it is an array.',
  ],
] as const)('%s with %j names the field that is wrong (R14)', async (subtype, fields, message) => {
  const { session } = talk(() => 'Yes.');
  await expect(session.query.controlRequest(subtype, fields as never)).rejects.toMatchObject({
    code: 'CONTROL_ERROR',
    errorCode: 'invalid_request',
    message,
  });
  await session.close();
});
