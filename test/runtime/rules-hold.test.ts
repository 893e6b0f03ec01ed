/** What forbids a tool goes on forbidding it, on both agents: however it is written, and whoever answers. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  type HookCallback,
  type HookJSONOutput,
  OptionError,
  type Options,
  type PermissionUpdate,
  query,
  tool,
} from '../../src/index.js';
import { ask, BACK_ENDS, type BackEnd, resultsOf } from '../support/back-ends.js';
import { run, server } from './support.js';

const ANY = { type: 'object' as const, properties: {}, additionalProperties: true };

interface Case {
  servers?: Record<string, string[]>;
  calls?: string[];
  options?: Options;
}

/** Servers whose tools note their calls, as `server/tool`. */
function noting(servers: Record<string, string[]>, ran: string[], inputs: unknown[] = []) {
  const serverOf = (name: string, tools: string[]) =>
    createSdkMcpServer({
      name,
      tools: tools.map((each) =>
        tool(each, each, ANY, (input) => {
          ran.push(`${name}/${each}`);
          inputs.push(input);
          return 'ran';
        }),
      ),
    });
  return Object.fromEntries(Object.entries(servers).map(([name, tools]) => [name, serverOf(name, tools)]));
}

/** The calls one after the other: which handlers ran, and what the developer was told. */
async function callUnder(
  backEnd: BackEnd,
  { servers = { s: ['drop', 'keep'] }, calls = ['mcp__s__drop'], options = {} }: Case,
) {
  const ran: string[] = [];
  const inputs: unknown[] = [];
  let told = '';
  await using agent = await backEnd.start([
    ...calls.map((each) => ({ tool: each, input: { path: 'safe' } })),
    'Done.',
  ]);
  const outcome = await ask(
    agent.options({
      mcpServers: noting(servers, ran, inputs),
      mcpReady: true,
      throwOnErrorResult: false,
      stderr: (text) => {
        told += text;
      },
      ...options,
    }),
  );
  return { ...outcome, ran, inputs, told, results: resultsOf(outcome.messages) };
}

const ALLOWED: Options = { allowedTools: ['mcp__s'] };

describe.each(BACK_ENDS)('$name', (backEnd) => {
  it.each([
    ['a neighbour that only closes', ['mcp__s__drop', 'x)']],
    ['a neighbour before it that only opens', ['x(', 'mcp__s__drop']],
    ['a neighbour with an open specifier', ['Bash(echo :(', 'mcp__s__drop']],
    ['a list in one entry', ['mcp__s__other, mcp__s__drop']],
    ['a list with blanks', ['mcp__s__other mcp__s__drop']],
    ['a specifier that tools of servers do not have', ['mcp__s__drop(x)']],
    ['parentheses that do not close', ['mcp__s__drop(x']],
  ])('keeps a rule that denies, with %s (R21, pain 16)', async (_, disallowedTools) => {
    const { ran } = await callUnder(backEnd, { options: { ...ALLOWED, disallowedTools } });
    expect(ran).toEqual([]);
  });

  it('tells of a rule that cannot be used as it is written (R21)', async () => {
    const { told } = await callUnder(backEnd, { options: { disallowedTools: ['mcp__s__drop', 'x('] } });
    expect(told).toContain('The deny rule "x(" cannot be used: its parentheses do not match');
  });

  it.each<[string, Options, string[]]>([
    ['denies', { allowedTools: ['mcp__my_server'], disallowedTools: ['mcp__my.server__drop'] }, []],
    ['denies the server', { allowedTools: ['mcp__my_server'], disallowedTools: ['mcp__my.server'] }, []],
    ['allows', { allowedTools: ['mcp__my.server__drop'] }, ['my.server/drop']],
    [
      'denies in settings',
      {
        allowedTools: ['mcp__my_server'],
        settings: { permissions: { deny: ['mcp__my.server__drop'] } },
      },
      [],
    ],
    [
      'denies in a policy',
      {
        allowedTools: ['mcp__my_server'],
        managedSettings: { permissions: { deny: ['mcp__my.server__*'] } },
      },
      [],
    ],
  ])('reads a rule that %s in the server’s own spelling (R21)', async (_, options, expected) => {
    const { ran } = await callUnder(backEnd, {
      servers: { 'my.server': ['drop'] },
      calls: ['mcp__my_server__drop'],
      options,
    });
    expect(ran).toEqual(expected);
  });

  it('says how it reads the name of a server with other characters (R21)', async () => {
    const { told } = await callUnder(backEnd, { options: { disallowedTools: ['mcp__my server__drop'] } });
    expect(told).toContain('"mcp__my server__drop" is read as "mcp__my_server__drop"');
  });

  it('refuses servers of which two tools would have one name (R8, R21)', async () => {
    await using agent = await backEnd.start(['Done.']);
    const options = agent.options({ mcpServers: noting({ a: ['b__c'], a__b: ['c'] }, []) });
    const start = () => query({ prompt: 'Go.', options });
    expect(start).toThrow(OptionError);
    expect(start).toThrow(
      'a tool of the server "a" and one of "a__b" would both be named "mcp__a__b__c", so rules for one would count for the other',
    );
  });

  it.each<[string, PermissionUpdate]>([
    [
      'removes it',
      {
        type: 'removeRules',
        rules: [{ toolName: 'mcp__s__drop' }],
        behavior: 'deny',
        destination: 'cliArg',
      },
    ],
    [
      'replaces it',
      {
        type: 'replaceRules',
        rules: [{ toolName: 'mcp__s__other' }],
        behavior: 'deny',
        destination: 'cliArg',
      },
    ],
  ])('keeps a rule of disallowedTools when an answer %s (R21)', async (_, update) => {
    const { ran, told } = await callUnder(backEnd, {
      calls: ['mcp__s__keep', 'mcp__s__drop'],
      options: {
        disallowedTools: ['mcp__s__drop'],
        canUseTool: async () => ({ behavior: 'allow', updatedPermissions: [update] }),
      },
    });
    expect(ran).toEqual(['s/keep']);
    expect(told).toContain('cannot take back what `disallowedTools` forbids');
  });

  it('still takes back what an answer has allowed (R21)', async () => {
    const asked: string[] = [];
    const update = (type: 'addRules' | 'removeRules'): PermissionUpdate => ({
      type,
      rules: [{ toolName: 'mcp__s__drop' }],
      behavior: 'allow',
      destination: 'cliArg',
    });
    const { ran } = await callUnder(backEnd, {
      calls: ['mcp__s__drop', 'mcp__s__drop', 'mcp__s__keep', 'mcp__s__drop'],
      options: {
        canUseTool: async (name) => {
          asked.push(name);
          const type = name === 'mcp__s__keep' ? 'removeRules' : 'addRules';
          return { behavior: 'allow', updatedPermissions: [update(type)] };
        },
      },
    });
    expect(ran).toEqual(['s/drop', 's/drop', 's/keep', 's/drop']);
    expect(asked).toEqual(['mcp__s__drop', 'mcp__s__keep', 'mcp__s__drop']);
  });
});

const hooked = (...hooks: HookCallback[]): Options => ({ ...ALLOWED, hooks: { PreToolUse: [{ hooks }] } });
const saying = (answer: unknown): HookCallback => {
  return async () => answer as HookJSONOutput;
};
const PRE = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });

describe.each(BACK_ENDS)('$name, before a tool', (backEnd) => {
  it.each<[string, HookCallback, string]>([
    [
      'throws',
      async () => {
        throw new Error('kaboom');
      },
      'kaboom',
    ],
    [
      'decides in capitals',
      saying(PRE({ permissionDecision: 'Deny' })),
      'unknown `permissionDecision`: "Deny"',
    ],
    ['decides with nothing', saying(PRE({ permissionDecision: null })), 'unknown `permissionDecision`: null'],
    ['blocks in capitals', saying({ decision: 'Block' }), 'unknown `decision`: "Block"'],
    ['answers with a number', saying(7), '7 is not an answer'],
    ['answers no', saying(false), 'false is not an answer'],
    [
      'replaces the input with a text',
      saying(PRE({ updatedInput: 'safe' })),
      '`updatedInput` must be an object',
    ],
    ['forgets the event', saying({ hookSpecificOutput: { permissionDecision: 'deny' } }), ''],
  ])('does not run it when a hook %s (R22)', async (_, hook, reason) => {
    const { ran, results } = await callUnder(backEnd, { options: hooked(hook) });
    expect(ran).toEqual([]);
    expect(results).toEqual([expect.stringContaining(reason)]);
  });

  it('tells the user that a hook failed (R22)', async () => {
    const { messages } = await callUnder(backEnd, { options: hooked(saying(7)) });
    const told = messages.filter((message) => message.type === 'system');
    expect(JSON.stringify(told)).toContain('PreToolUse hook failed: 7 is not an answer');
  });

  it('runs it after a failure where the host has asked for that (R22)', async () => {
    const { ran } = await callUnder(backEnd, {
      options: {
        ...ALLOWED,
        hooks: {
          PreToolUse: [
            {
              onFailure: 'continue',
              hooks: [
                async () => {
                  throw new Error('kaboom');
                },
              ],
            },
          ],
        },
      },
    });
    expect(ran).toEqual(['s/drop']);
  });

  it('runs what was approved, whatever a hook or the host does to its copy (R21, R22)', async () => {
    const seen: unknown[] = [];
    const changes: HookCallback = async (input) => {
      if (input.hook_event_name !== 'PreToolUse') return {};
      seen.push(structuredClone(input.tool_input));
      (input.tool_input as { path: string }).path = '/etc';
      return {};
    };
    const { inputs } = await callUnder(backEnd, {
      options: {
        ...hooked(changes, changes),
        allowedTools: [],
        canUseTool: async (_, input) => {
          seen.push(structuredClone(input));
          input.path = '/etc';
          return { behavior: 'allow' };
        },
      },
    });
    expect(seen).toEqual([{ path: 'safe' }, { path: 'safe' }, { path: 'safe' }]);
    expect(inputs).toEqual([{ path: 'safe' }]);
  });
});

describe('the embedded runtime', () => {
  it('does not run what a hook changes after the host has approved it (R21, R22)', async () => {
    const replacement = { path: 'safe' };
    const ran: unknown[] = [];
    await run([{ toolUses: [{ name: 'mcp__s__a', input: {} }] }, 'Done.'], {
      mcpServers: { s: server({ a: (input) => ran.push(input) }) },
      hooks: { PreToolUse: [{ hooks: [saying(PRE({ updatedInput: replacement }))] }] },
      canUseTool: async () => {
        replacement.path = '/etc';
        return { behavior: 'allow' };
      },
    });
    expect(ran).toEqual([{ path: 'safe' }]);
  });

  it('uses no tool whose name two servers have, once it knows of both (R8, R21)', async () => {
    const ran: string[] = [];
    const a = createSdkMcpServer({ name: 'a', tools: [] });
    const open = tool('open', 'Adds a tool', ANY, () => {
      a.instance.addTool(tool('b__c', 'Has the name of another', ANY, () => void ran.push('a/b__c')));
      return 'opened';
    });
    const { model, messages } = await run(
      [
        { toolUses: [{ name: 'mcp__s__open', input: {} }] },
        { toolUses: [{ name: 'mcp__a__b__c', input: {} }] },
        'Done.',
      ],
      {
        mcpServers: {
          ...noting({ a__b: ['c'] }, ran),
          a,
          s: createSdkMcpServer({ name: 's', tools: [open] }),
        },
        permissionMode: 'bypassPermissions',
      },
    );
    expect(model.requests.map(({ toolNames }) => toolNames.includes('mcp__a__b__c'))).toEqual([
      true,
      false,
      false,
    ]);
    expect(ran).toEqual([]);
    expect(JSON.stringify(messages)).toContain('Neither is used');
  });

  it('keeps rules of files that an answer removes (R21, R51)', async () => {
    const [, runtime] = BACK_ENDS;
    const ran: string[] = [];
    await using agent = await (runtime as BackEnd).start([
      { tool: 'mcp__s__keep' },
      { tool: 'mcp__s__drop' },
      'Done.',
    ]);
    await mkdir(join(agent.box.cwd, '.claude'));
    const files = {
      [join(agent.box.configDir, 'settings.json')]: { permissions: { deny: ['mcp__s__drop'] } },
      [join(agent.box.cwd, '.claude', 'settings.json')]: { permissions: { ask: ['mcp__s__keep'] } },
    };
    for (const [path, content] of Object.entries(files)) await writeFile(path, JSON.stringify(content));
    const removed = (
      destination: PermissionUpdate['destination'],
      behavior: 'deny' | 'ask',
      toolName: string,
    ): PermissionUpdate => ({ type: 'removeRules', rules: [{ toolName }], behavior, destination });
    let told = '';
    await ask(
      agent.options({
        mcpServers: noting({ s: ['drop', 'keep'] }, ran),
        mcpReady: true,
        stderr: (text) => {
          told += text;
        },
        canUseTool: async () => ({
          behavior: 'allow',
          updatedPermissions: [
            removed('userSettings', 'deny', 'mcp__s__drop'),
            removed('projectSettings', 'ask', 'mcp__s__keep'),
          ],
        }),
      }),
    );
    expect(ran).toEqual(['s/keep']);
    expect(told).toContain('The deny rule "mcp__s__drop" stays');
    expect(told).toContain('The ask rule "mcp__s__keep" stays');
  });
});
