/** Hooks of the host in the embedded runtime. */
import { describe, expect, it } from 'vitest';
import type { HookCallback, HookEvent, HookInput, Options } from '../../src/index.js';
import { call, gate, type Loose, run, said, server, talk, toolResults } from './support.js';

const hook = (event: HookEvent, callback: HookCallback, more: object = {}): Options => ({
  hooks: { [event]: [{ hooks: [callback], ...more }] },
});

const pre =
  (output: object): HookCallback =>
  async () => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } as never,
  });

async function tryCall(options: Options, handler: (input: unknown) => unknown = () => 'A') {
  const handled: unknown[] = [];
  const s = server({
    a: (input) => {
      handled.push(input);
      return handler(input);
    },
  });
  const outcome = await run((_, index) => (index === 0 ? { toolUses: [call('a', { x: 1 })] } : 'Done.'), {
    allowedTools: ['mcp__s'],
    mcpServers: { s },
    ...options,
  });
  return { ...outcome, handled, results: toolResults(outcome.model.requests[1]) };
}

describe('hooks', () => {
  it('are called for every event that a turn has, with what happened', async () => {
    const inputs: HookInput[] = [];
    const note: HookCallback = async (input) => {
      inputs.push(input);
      return {};
    };
    const events: HookEvent[] = [
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'Stop',
    ];
    const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [note] }]]));
    const s = server({
      a: () => 'A',
      b: () => {
        throw new Error('No.');
      },
    });
    await run([{ toolUses: [call('a', { x: 1 }), call('b')] }, 'Done.'], {
      mcpServers: { s },
      allowedTools: ['mcp__s'],
      hooks,
      cwd: '/',
    });
    expect(inputs.map((input) => input.hook_event_name)).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PreToolUse',
      'PostToolUseFailure',
      'Stop',
    ]);
    expect(inputs[0]).toMatchObject({ prompt: 'Go.', cwd: '/', permission_mode: 'default' });
    expect(inputs[1]).toMatchObject({
      tool_name: 'mcp__s__a',
      tool_input: { x: 1 },
      tool_use_id: 'toolu_0001',
      mcp_server: { name: 's', source: 'sdk' },
    });
    expect(inputs[2]).toMatchObject({ tool_response: [{ type: 'text', text: 'A' }] });
    expect(inputs[4]).toMatchObject({ error: expect.stringContaining('No.'), is_interrupt: false });
    expect(inputs[5]).toMatchObject({ stop_hook_active: false, last_assistant_message: 'Done.' });
  });

  it.each([
    ['mcp__s__a', 1],
    ['mcp__s__.*', 1],
    ['mcp__s__b|mcp__s__a', 1],
    ['*', 1],
    ['', 1],
    ['mcp__s', 0],
    ['Bash', 0],
  ])('with the matcher "%s" are called %s times for mcp__s__a', async (matcher, times) => {
    let calls = 0;
    await tryCall(
      hook(
        'PreToolUse',
        async () => {
          calls += 1;
          return {};
        },
        { matcher },
      ),
    );
    expect(calls).toBe(times);
  });
});

describe('a hook before a tool', () => {
  it('that denies is heard by the model, and is a denial', async () => {
    const { handled, results, result } = await tryCall(
      hook('PreToolUse', pre({ permissionDecision: 'deny', permissionDecisionReason: 'Too early.' })),
    );
    expect(handled).toEqual([]);
    expect(results).toMatchObject([{ text: 'PreToolUse:mcp__s__a hook error: Too early.', isError: true }]);
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'mcp__s__a' }] });
  });

  it('that allows replaces the question, and can change the input', async () => {
    const options = hook('PreToolUse', pre({ permissionDecision: 'allow', updatedInput: { x: 7 } }));
    const { handled } = await tryCall({ ...options, allowedTools: [] });
    expect(handled).toEqual([{ x: 7 }]);
  });

  it('that asks has the host asked even where a rule allows', async () => {
    const asked: unknown[] = [];
    const { handled } = await tryCall({
      ...hook('PreToolUse', pre({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?' })),
      canUseTool: async (name) => {
        asked.push(name);
        return { behavior: 'deny', message: 'No.' };
      },
    });
    expect(asked).toEqual(['mcp__s__a']);
    expect(handled).toEqual([]);
  });

  it('that denies is stronger than another that allows', async () => {
    const { handled } = await tryCall({
      hooks: {
        PreToolUse: [
          { hooks: [pre({ permissionDecision: 'allow' })] },
          { hooks: [pre({ permissionDecision: 'deny' })] },
        ],
      },
    });
    expect(handled).toEqual([]);
  });

  it('that throws counts as a no', async () => {
    const { handled, results, messages } = await tryCall(
      hook('PreToolUse', async () => {
        throw new Error('Out of order.');
      }),
    );
    expect(handled).toEqual([]);
    expect(results).toMatchObject([{ isError: true, text: expect.stringContaining('Out of order.') }]);
    const told = messages.find(({ subtype }) => subtype === 'informational');
    expect(told?.content).toContain('PreToolUse hook failed: Out of order.');
  });

  it('that is late counts as a no, and is told so by its signal', async () => {
    const aborted = gate();
    const { handled, results } = await tryCall(
      hook(
        'PreToolUse',
        (_, __, { signal }) => {
          signal.addEventListener('abort', () => aborted.open());
          return new Promise(() => {});
        },
        { timeout: 0.02 },
      ),
    );
    await aborted.opened;
    expect(handled).toEqual([]);
    expect(results).toMatchObject([
      { isError: true, text: expect.stringContaining('did not respond within') },
    ]);
  });

  it('that says continue:false ends the turn', async () => {
    const { handled, result, model } = await tryCall(
      hook('PreToolUse', async () => ({ continue: false, stopReason: 'Enough.' })),
    );
    expect(handled).toEqual([]);
    expect(result).toMatchObject({ subtype: 'success', terminal_reason: 'hook_stopped', result: '' });
    expect(model.requests).toHaveLength(1);
  });

  it('that says it works on its own does not hold up the tool', async () => {
    const { handled } = await tryCall(hook('PreToolUse', async () => ({ async: true })));
    expect(handled).toHaveLength(1);
  });

  it('can say something to the host', async () => {
    const { messages } = await tryCall(hook('PreToolUse', async () => ({ systemMessage: 'Look here.' })));
    expect(messages.find(({ subtype }) => subtype === 'informational')).toMatchObject({
      content: 'PreToolUse:mcp__s__a says: Look here.',
    });
  });
});

describe('a hook after a tool', () => {
  it('adds context and replaces the result', async () => {
    const { results, model } = await tryCall(
      hook('PostToolUse', async () => ({
        hookSpecificOutput: {
          hookEventName: 'PostToolUse',
          additionalContext: 'It was raining.',
          updatedMCPToolOutput: 'B',
        },
      })),
    );
    expect(results).toMatchObject([{ text: 'B', isError: false }]);
    expect(said(model.requests[1])).toContain('It was raining.');
  });

  it('that throws changes nothing', async () => {
    const { results } = await tryCall(
      hook('PostToolUse', async () => {
        throw new Error('Too late.');
      }),
    );
    expect(results).toMatchObject([{ text: 'A', isError: false }]);
  });

  it('that says continue:false ends the turn, and the next one is answered', async () => {
    const { session, model } = talk([{ toolUses: [call('a')] }, 'Next.'], {
      mcpServers: { s: server({ a: () => 'A' }) },
      allowedTools: ['mcp__s'],
      ...hook('PostToolUse', async () => ({ continue: false })),
    });
    expect(await session.ask('One.')).toMatchObject({ terminal_reason: 'hook_stopped' });
    expect(await session.ask('Two.')).toMatchObject({ result: 'Next.' });
    expect(toolResults(model.requests[1])).toMatchObject([{ text: 'A' }]);
    await session.close();
  });
});

describe('a hook on a prompt', () => {
  const onPrompt = (output: object) => hook('UserPromptSubmit', async () => output as never);

  it('that blocks leaves the model alone, and the prompt unsaid', async () => {
    const { session, model } = talk(['Hello.'], {
      hooks: {
        UserPromptSubmit: [
          {
            hooks: [
              async (input) =>
                (input as { prompt: string }).prompt === 'bad' ? { decision: 'block', reason: 'Rude.' } : {},
            ],
          },
        ],
      },
    });
    session.send('bad');
    const messages: Loose[] = [];
    for await (const message of session.stream()) messages.push(message as unknown as Loose);
    expect(messages.at(-1)).toMatchObject({
      subtype: 'success',
      num_turns: 0,
      result: expect.stringContaining('Rude.'),
    });
    expect(JSON.stringify(messages)).toContain('Rude.');
    await session.ask('good');
    expect(model.requests).toHaveLength(1);
    expect(said(model.requests[0])).not.toContain('bad');
    await session.close();
  });

  it('adds context', async () => {
    const { model } = await run(
      ['Hello.'],
      onPrompt({
        hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'It is Monday.' },
      }),
    );
    expect(said(model.requests[0])).toContain('It is Monday.');
  });

  it('that says continue:false ends the turn before the model is asked', async () => {
    const { model, result } = await run([], onPrompt({ continue: false }));
    expect(result).toMatchObject({ subtype: 'success', num_turns: 0 });
    expect(model.requests).toHaveLength(0);
  });

  it('that throws blocks only when it was registered to', async () => {
    const fail: HookCallback = async () => {
      throw new Error('Out of order.');
    };
    expect((await run(['Hello.'], hook('UserPromptSubmit', fail))).result).toMatchObject({
      result: 'Hello.',
    });
    const { model } = await run([], hook('UserPromptSubmit', fail, { onFailure: 'block' }));
    expect(model.requests).toHaveLength(0);
  });
});

describe('a hook at the end', () => {
  it('that blocks has the model go on, and is told that it did so', async () => {
    const active: boolean[] = [];
    const { result, model, messages } = await run(
      ['Done.', 'Really done.'],
      hook('Stop', async (input) => {
        const { stop_hook_active } = input as { stop_hook_active: boolean };
        active.push(stop_hook_active);
        return stop_hook_active ? {} : { decision: 'block', reason: 'Look again.' };
      }),
    );
    expect(active).toEqual([false, true]);
    expect(result).toMatchObject({ result: 'Really done.' });
    expect(said(model.requests[1])).toContain('Look again.');
    expect(messages.find(({ isSynthetic }) => isSynthetic === true)).toBeDefined();
  });

  it('that always blocks is bounded by maxTurns', async () => {
    const { result } = await run(() => 'Done.', {
      maxTurns: 3,
      ...hook('Stop', async () => ({ decision: 'block', reason: 'Again.' })),
    });
    expect(result).toMatchObject({ subtype: 'error_max_turns' });
  });

  it('that says continue:false ends the turn', async () => {
    const { result } = await run(
      ['Done.'],
      hook('Stop', async () => ({ continue: false, decision: 'block' })),
    );
    expect(result).toMatchObject({ terminal_reason: 'stop_hook_prevented', result: 'Done.' });
  });
});
