/** `explainPermissions()`: what it says is what then happens (wish 16, pain 16). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSdkMcpServer, explainPermissions, type Options, query, tool } from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { sandbox } from '../support/real-cli.js';

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
const RULES: Options[] = [
  {},
  { allowedTools: ['mcp__s'] },
  { allowedTools: ['mcp__s__read', 'mcp__s__w*'] },
  { allowedTools: ['mcp__*', 'mcp__s__write(x)'] },
  { allowedTools: ['mcp__s'], disallowedTools: ['mcp__s__write'] },
  { disallowedTools: ['mcp__*'] },
  { disallowedTools: ['mcp__s__write(x)'] },
];
const HOSTS: Options[] = [
  {},
  { canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }) },
  { canUseTool: async (_, input) => ({ behavior: 'allow', updatedInput: input }), permissionPrompts: 'none' },
];

const serverWith = (ran: string[]) =>
  createSdkMcpServer({
    name: 's',
    tools: ['read', 'write'].map((name) =>
      tool(name, name, {}, () => void ran.push(name), { annotations: { readOnlyHint: name === 'read' } }),
    ),
  });

/** What really becomes of a call of each tool. */
async function happens(options: Options) {
  const ran: string[] = [];
  const asked: string[] = [];
  const model = scriptedModel([{ toolUses: [{ name: 'mcp__s__read' }, { name: 'mcp__s__write' }] }, 'Done.']);
  const { canUseTool, ...rest } = options;
  const listening: NonNullable<Options['canUseTool']> = async (name, input, context) => {
    asked.push(name);
    return canUseTool?.(name, input, context) ?? null;
  };
  await query({
    prompt: 'Go.',
    options: {
      ...rest,
      ...(canUseTool === undefined ? {} : { canUseTool: listening }),
      mcpServers: { s: serverWith(ran) },
      runtime: embedded({ model }),
    },
  }).done;
  return ['read', 'write'].map((name) => ({
    tool: `mcp__s__${name}`,
    visible: model.requests[0]?.tools.some((each) => each.name === `mcp__s__${name}`),
    decision: asked.includes(`mcp__s__${name}`) ? 'ask' : ran.includes(name) ? 'allow' : 'deny',
  }));
}

describe.each(MODES)('in the mode %s', (permissionMode) => {
  test('what is explained is what happens, for every kind of rule and host', async () => {
    for (const rules of RULES) {
      for (const host of HOSTS) {
        const options: Options = { ...rules, ...host, permissionMode, allowDangerouslySkipPermissions: true };
        const { tools } = explainPermissions({ ...options, mcpServers: { s: serverWith([]) } });
        const explained = tools.map(({ tool: name, visible, decision }) => ({
          tool: name,
          visible,
          decision,
        }));
        expect(explained, JSON.stringify({ ...rules, permissionMode })).toEqual(await happens(options));
      }
    }
  });
});

test('the rule, the option or the mode is named', () => {
  const mcpServers = { s: serverWith([]) };
  const why = (options: Options) =>
    explainPermissions({ mcpServers, ...options }).tools.map((each) => each.why);
  expect(why({ allowedTools: ['mcp__s__read'] })).toEqual([
    'allowedTools "mcp__s__read"',
    'no rule allows it, and there is no canUseTool to ask',
  ]);
  expect(why({ permissionMode: 'plan', allowedTools: ['mcp__s'], canUseTool: async () => null })).toEqual([
    'allowedTools "mcp__s"',
    'permissionMode "plan": canUseTool decides',
  ]);
  expect(why({ disallowedTools: ['mcp__s__w*'], permissionMode: 'dontAsk' })).toEqual([
    'no rule allows it, and permissionMode "dontAsk" asks nobody',
    'disallowedTools "mcp__s__w*" removes it',
  ]);
});

test('tools of the agent itself are known by what names them, and `tools` is what there is', () => {
  const { tools, warnings } = explainPermissions({
    tools: ['Read', 'Bash'],
    allowedTools: ['Bash(npm run:*)', 'Edit'],
    disallowedTools: ['Bash(rm:*)'],
  });
  expect(tools).toMatchObject([
    { tool: 'Read', visible: true, decision: 'allow' },
    {
      tool: 'Bash',
      visible: true,
      decision: 'deny',
      exceptions: ['deny by disallowedTools "Bash(rm:*)"', 'allow by allowedTools "Bash(npm run:*)"'],
    },
    { tool: 'Edit', visible: false, why: '`tools` does not name it' },
  ]);
  expect(warnings).toEqual(['allowedTools "Edit" has no effect: `tools` does not name it.']);
});

test('rules for paths and commands are named at every tool whose calls they concern (R51)', () => {
  const { tools, warnings } = explainPermissions({
    tools: ['Bash', 'Edit', 'Glob', 'Read', 'Write'],
    allowedTools: ['Edit(docs/**)', 'Bash(npm run:*)', 'Write(x)'],
    disallowedTools: ['Read(./secret/**)', 'Edit(*.lock)'],
  });
  const deniedRead = 'deny by disallowedTools "Read(./secret/**)"';
  const deniedEdit = 'deny by disallowedTools "Edit(*.lock)"';
  const allowed = 'allow by allowedTools "Edit(docs/**)"';
  expect(Object.fromEntries(tools.map(({ tool: name, exceptions }) => [name, exceptions]))).toEqual({
    Bash: [deniedRead, deniedEdit, 'allow by allowedTools "Bash(npm run:*)"'],
    Edit: [deniedRead, deniedEdit, allowed],
    Glob: [deniedRead],
    Read: [deniedRead, allowed],
    Write: [deniedRead, deniedEdit, allowed, 'allow by allowedTools "Write(x)"'],
  });
  expect(warnings.join()).toContain('"Write(x)" allows nothing');
});

test('a server outside is known by its name, its policies and the rules that name its tools', () => {
  const { tools } = explainPermissions({
    mcpServers: {
      files: {
        type: 'http',
        url: 'http://127.0.0.1:1',
        tools: [{ name: 'drop', permission_policy: 'always_deny' }],
      },
    },
    allowedTools: ['mcp__files__list'],
  });
  expect(tools).toMatchObject([
    { tool: 'mcp__files__drop', decision: 'deny', why: expect.stringContaining('policy') },
    { tool: 'mcp__files__*', server: 'files', decision: 'deny' },
    { tool: 'mcp__files__list', server: 'files', decision: 'allow' },
  ]);
});

test.each<[string, Options, RegExp]>([
  [
    'a rule that never matches',
    { allowedTools: ['mcp__*'] },
    /"mcp__\*" cannot be used.*mcp__server__\*.*allows nothing/,
  ],
  [
    'a rule with a typing error',
    { disallowedTools: ['Bash(rm'] },
    /"Bash\(rm" cannot be used.*parentheses.*applied to every call of "Bash"/,
  ],
  ['an allow list that restricts nothing', { allowedTools: ['Read'] }, /does not remove tools/],
  [
    'a callback that nobody calls',
    { canUseTool: async () => null, permissionMode: 'bypassPermissions', mcpServers: { s: serverWith([]) } },
    /canUseTool is never called/,
  ],
])('warns of %s', (_, options, expected) => {
  expect(explainPermissions(options).warnings.join('\n')).toMatch(expected);
});

describe('settings', () => {
  const DENY = { permissions: { deny: ['mcp__s__write'] } };
  const mcpServers = { s: serverWith([]) };

  test('are explained with their source, and hold as explained (R51)', async () => {
    await using box = sandbox();
    const { cwd } = box;
    await mkdir(join(cwd, '.claude'));
    await writeFile(join(cwd, '.claude', 'settings.local.json'), JSON.stringify(DENY));
    const settings = { permissions: { allow: ['mcp__s'], defaultMode: 'dontAsk' as const } };
    const options: Options = { cwd, env: box.env(), settings, allowedTools: ['mcp__s__read'] };
    const { mode, tools } = explainPermissions({ ...options, mcpServers });
    expect(mode).toBe('dontAsk');
    expect(tools).toMatchObject([
      { tool: 'mcp__s__read', decision: 'allow', why: 'allowedTools "mcp__s__read"' },
      { tool: 'mcp__s__write', visible: false, why: 'localSettings "mcp__s__write" removes it' },
    ]);
    expect(await happens(options)).toMatchObject([{ decision: 'allow' }, { decision: 'deny' }]);
  });

  test.each<[string, Options, string]>([
    ['a policy', { managedSettings: DENY }, 'policySettings "mcp__s__write" removes it'],
    ['inline settings', { settings: DENY }, 'flagSettings "mcp__s__write" removes it'],
    [
      'a policy that counts alone',
      { managedSettings: { allowManagedPermissionRulesOnly: true } },
      'no rule allows it, and there is no canUseTool to ask',
    ],
  ])('of %s decide (R51)', (_, options, why) => {
    const { tools } = explainPermissions({
      settingSources: [],
      allowedTools: ['mcp__s'],
      mcpServers,
      ...options,
    });
    expect(tools[1]?.why).toBe(why);
  });

  test('that cannot be read or enforced are warned of (R51)', async () => {
    await using box = sandbox();
    await writeFile(join(box.configDir, 'settings.json'), '{ no');
    const { warnings } = explainPermissions({
      cwd: box.cwd,
      env: box.env(),
      settings: { sandbox: { enabled: true } },
      managedSettings: { permissions: { disableBypassPermissionsMode: 'disable' } },
      permissionMode: 'bypassPermissions',
    });
    expect(warnings).toEqual([
      expect.stringContaining('settings.json: is not valid JSON'),
      expect.stringContaining('options.settings: `sandbox` is enabled'),
      'permissionMode "bypassPermissions" is disabled in options.managedSettings: the mode is "default".',
    ]);
  });
});
