/** Who may call what in the embedded runtime. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CanUseTool, Options } from '../../src/index.js';
import { call, type Loose, run, server, talk, toolResults } from './support.js';

const deniedLine = ({ type, subtype }: Loose) => type === 'system' && subtype === 'permission_denied';

function asking(answer: Awaited<ReturnType<CanUseTool>>) {
  const asked: { name: string; input: unknown; suggestions: unknown }[] = [];
  const canUseTool: CanUseTool = async (name, input, { suggestions }) => {
    asked.push({ name, input, suggestions });
    return answer;
  };
  return { asked, canUseTool };
}

/** Calls `a` once under these options; says which calls of the handler there were. */
async function tryCall(options: Options, calls = 1) {
  const handled: unknown[] = [];
  const s = server({
    a: (input) => {
      handled.push(input);
      return 'A';
    },
  });
  const script = [...Array(calls)].map(() => ({ toolUses: [call('a', { x: 1 })] }));
  const outcome = await run([...script, 'Done.'], { mcpServers: { s }, ...options });
  return { ...outcome, handled, results: toolResults(outcome.model.requests.at(-1)) };
}

describe('a rule', () => {
  it.each([
    ['mcp__s__a', true],
    ['mcp__s', true],
    ['mcp__s__*', true],
    ['mcp__s__a*', true],
    ['mcp__*', false],
    ['*', false],
    ['mcp__', false],
    ['mcp__s*', false],
    ['mcp__s__b', false],
    ['mcp__s__', false],
    ['mcp__t', false],
    ['mcp__ss', false],
    ['a', false],
  ])('%s for mcp__s__a: %s', async (rule, allows) => {
    const { handled } = await tryCall({ allowedTools: [rule] });
    expect(handled).toHaveLength(allows ? 1 : 0);
  });

  it.each(['mcp__s', 'mcp__s__a', 'mcp__s__*'])(
    '%s that disallows takes the tool out of the request',
    async (rule) => {
      const { model, handled, results } = await tryCall({
        disallowedTools: [rule],
        permissionMode: 'bypassPermissions',
      });
      expect(model.requests[0]?.tools).toEqual([]);
      expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('No such tool') }]);
      expect(handled).toEqual([]);
    },
  );
});

describe('the host', () => {
  afterEach(() => void vi.useRealTimers());

  it('that takes a day to answer is waited for (pain 46)', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const asked = vi.fn();
    let answer = (): void => {};
    const canUseTool: CanUseTool = (_name, input) => {
      asked();
      return new Promise((resolve) => {
        answer = () => resolve({ behavior: 'allow', updatedInput: input });
      });
    };
    const outcome = tryCall({ canUseTool });
    while (asked.mock.calls.length === 0) await new Promise(setImmediate);
    await vi.advanceTimersByTimeAsync(24 * 60 * 60 * 1000);
    answer();
    expect(await outcome).toMatchObject({ handled: [{ x: 1 }], results: [{ text: 'A' }] });
  });

  it('that allows is asked once per call, with a rule that it may keep', async () => {
    const { asked, canUseTool } = asking({ behavior: 'allow', updatedInput: { x: 1 } });
    const { handled, messages } = await tryCall({ canUseTool }, 2);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ name: 'mcp__s__a', input: { x: 1 } });
    expect(asked[0]?.suggestions).toMatchObject([
      { type: 'addRules', behavior: 'allow', destination: 'session' },
    ]);
    expect(handled).toHaveLength(2);
    expect(JSON.stringify(messages)).toContain('user_temporary');
  });

  it('can change the input', async () => {
    const { canUseTool } = asking({ behavior: 'allow', updatedInput: { x: 2 } });
    const { handled } = await tryCall({ canUseTool });
    expect(handled).toEqual([{ x: 2 }]);
  });

  it('that denies is heard by the model, and by the result', async () => {
    const { canUseTool } = asking({ behavior: 'deny', message: 'Not on a Sunday.' });
    const { handled, results, result, messages } = await tryCall({ canUseTool });
    expect(handled).toEqual([]);
    expect(results).toMatchObject([{ text: 'Not on a Sunday.', isError: true }]);
    expect(result).toMatchObject({
      subtype: 'success',
      permission_denials: [{ tool_name: 'mcp__s__a', tool_use_id: 'toolu_0001', tool_input: { x: 1 } }],
    });
    expect(messages.filter(deniedLine)).toEqual([]);
  });

  it('that denies and interrupts ends the turn, and the calls behind it do not run', async () => {
    const handled: string[] = [];
    const s = server({ a: () => 'A', b: () => handled.push('b') });
    const { model, result, messages } = await run([{ toolUses: [call('a'), call('b')] }], {
      mcpServers: { s },
      allowedTools: ['mcp__s__b'],
      canUseTool: async () => ({ behavior: 'deny', message: 'Stop.', interrupt: true }),
    });
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    expect(handled).toEqual([]);
    // Whoever goes on with the conversation must not believe that it may have run.
    expect(JSON.stringify(messages.find(({ type }) => type === 'user'))).toContain('It has not run.');
    model.assertDone();
  });

  it('that allows for the session is not asked again', async () => {
    const updatedPermissions = [
      {
        type: 'addRules' as const,
        rules: [{ toolName: 'mcp__s__a' }],
        behavior: 'allow' as const,
        destination: 'session' as const,
      },
    ];
    const { asked, canUseTool } = asking({ behavior: 'allow', updatedInput: {}, updatedPermissions });
    const { handled, messages } = await tryCall({ canUseTool }, 3);
    expect(asked).toHaveLength(1);
    expect(handled).toHaveLength(3);
    expect(JSON.stringify(messages)).toContain('"source":"user_temporary","reason_type":"rule"');
  });

  it('that throws has denied', async () => {
    const { handled, results } = await tryCall({
      canUseTool: async () => {
        throw new Error('The door is stuck.');
      },
    });
    expect(handled).toEqual([]);
    expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('The door is stuck.') }]);
  });

  it('that cannot be asked has denied: there is a line that says so', async () => {
    const { handled, messages, result, results } = await tryCall({});
    expect(handled).toEqual([]);
    expect(messages.filter(deniedLine)).toMatchObject([
      { tool_name: 'mcp__s__a', tool_use_id: 'toolu_0001' },
    ]);
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'mcp__s__a' }] });
    expect(results[0]?.isError).toBe(true);
  });
});

describe('a mode', () => {
  it('dontAsk denies without asking, but keeps to the rules', async () => {
    const { asked, canUseTool } = asking({ behavior: 'allow', updatedInput: {} });
    expect((await tryCall({ canUseTool, permissionMode: 'dontAsk' })).handled).toEqual([]);
    expect((await tryCall({ permissionMode: 'dontAsk', allowedTools: ['mcp__s'] })).handled).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('bypassPermissions allows everything that is not removed', async () => {
    const options = { permissionMode: 'bypassPermissions' as const, allowDangerouslySkipPermissions: true };
    expect((await tryCall(options)).handled).toHaveLength(1);
  });

  it('bypassPermissions cannot be put on later unless the conversation was started to allow it', async () => {
    const { session } = talk(['Hello.', 'Hello.']);
    await session.ask('Hello');
    await expect(session.query.setPermissionMode('bypassPermissions')).rejects.toThrow(/bypassPermissions/);
    await expect(session.query.setPermissionMode('no such mode' as never)).rejects.toThrow(
      /Invalid permission mode/,
    );
    await session.query.setPermissionMode('dontAsk');
    session.send('And now?');
    for await (const message of session.stream()) {
      if (message.type === 'system' && message.subtype === 'init')
        expect(message.permissionMode).toBe('dontAsk');
    }
    await session.close();
  });
});

describe("a server's policy", () => {
  const withPolicy = (permission_policy: 'always_ask' | 'always_deny' | 'always_allow'): Options => {
    const s = server({ a: () => 'A' });
    return { mcpServers: { s: { ...s, tools: [{ name: 'a', permission_policy }] } as never } };
  };

  it('always_allow needs no rule', async () => {
    const { results } = await tryCall(withPolicy('always_allow'));
    expect(results).toMatchObject([{ text: 'A', isError: false }]);
  });

  it('always_deny is stronger than a rule and a mode', async () => {
    const { results, result } = await tryCall({
      ...withPolicy('always_deny'),
      allowedTools: ['mcp__s'],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(results[0]?.isError).toBe(true);
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'mcp__s__a' }] });
  });

  it('always_ask asks even where a rule allows', async () => {
    const { asked, canUseTool } = asking({ behavior: 'deny', message: 'No.' });
    const { results } = await tryCall({ ...withPolicy('always_ask'), allowedTools: ['mcp__s'], canUseTool });
    expect(asked).toHaveLength(1);
    expect(results[0]?.text).toBe('No.');
  });
});
