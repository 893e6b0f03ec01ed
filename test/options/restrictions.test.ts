/**
 * Every option and every setting that restricts is a row: on both agents what it forbids does not happen. The
 * embedded runtime may refuse to start instead, with `NOT_SUPPORTED`.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_KEYS } from '../../src/config/settings/keys.js';
import { createSdkMcpServer, type HookCallback, TenonError, tool } from '../../src/index.js';
import { OPTION_TABLE } from '../../src/options/option-table.js';
import { type ScriptedRequest, type Step, text, toolUse } from '../../src/testing/index.js';
import { BACK_ENDS, type BackEnd } from '../support/back-ends.js';
import {
  ALLOWED,
  allowing,
  BLOCK,
  BYPASS,
  type Case,
  callUnder,
  DENY,
  fixture,
  hook,
  JSON_DENY,
  outside,
} from '../support/call-under.js';

type Outcome = Awaited<ReturnType<typeof callUnder>>;

interface Row extends Case {
  /** The embedded runtime does not start. */
  refused?: true;
  /** What must hold, unless it is that the tool does not run. */
  holds?(outcome: Outcome): void;
}

const deny: HookCallback = async () => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
});

/** Without any program on its PATH the CLI has no sandbox, wherever the tests run. */
const NO_PROGRAMS = { PATH: '/nowhere' };

const onlyCalc = ({ servers }: Outcome): void => expect(servers.map(({ name }) => name)).toEqual(['calc']);
function guarded() {
  return createSdkMcpServer({ name: 'guarded', tools: [tool('add', 'Adds', {}, () => 'ADDED')] });
}

/** The main agent sends for the helper, who calls the tool. */
function withHelper({ body, toolResults }: ScriptedRequest): Step {
  const said = JSON.stringify(body.messages);
  if (said.includes('HELP ME') && !said.includes('MAIN PROMPT')) {
    return toolResults.length > 0 ? text('The helper is done.') : toolUse('mcp__calc__add', { a: 1 });
  }
  if (said.includes('"tool_result"')) return text('All is done.');
  const input = { subagent_type: 'helper', run_in_background: false };
  return toolUse('Agent', { description: 'Get help', prompt: 'HELP ME', ...input });
}

const helped = (limits: object): Row => ({
  prompt: 'MAIN PROMPT',
  script: withHelper,
  options: { ...ALLOWED, agents: { helper: { description: 'Helps', prompt: 'Help.', ...limits } } },
});

const plugin = (command: string): Case => ({
  work: {
    'plugin/.claude-plugin/plugin.json': { name: 'guard', version: '1.0.0', description: 'Guards' },
    'plugin/hooks/hooks.json': hook(command),
  },
  options: { ...ALLOWED, plugins: [{ type: 'local', path: './plugin' }] },
});

/** Named by the option, or by the key of the settings, that restricts. */
const ROWS: Record<string, Row> = {
  'disallowedTools of a tool': { options: { ...ALLOWED, ...BYPASS, disallowedTools: ['mcp__calc__add'] } },
  'disallowedTools of a server': { options: { ...ALLOWED, disallowedTools: ['mcp__calc'] } },
  'canUseTool that denies': { options: { canUseTool: async () => ({ behavior: 'deny', message: 'No.' }) } },
  'permissionMode plan': { options: { ...ALLOWED, permissionMode: 'plan' } },
  'permissionMode dontAsk': { options: { permissionMode: 'dontAsk', canUseTool: allowing } },
  'permissionPrompts none': { options: { permissionPrompts: 'none', canUseTool: allowing } },
  'permissionPromptToolName of a tool that nobody has': {
    refused: true,
    options: { permissionPromptToolName: 'mcp__calc__nobody' },
  },
  'hooks of the options before a tool': {
    options: { ...ALLOWED, hooks: { PreToolUse: [{ hooks: [deny] }] } },
  },
  'hooks of the options before a prompt': {
    options: {
      ...ALLOWED,
      hooks: { UserPromptSubmit: [{ hooks: [async () => ({ decision: 'block', reason: 'No.' })] }] },
    },
    holds: ({ requests }) => expect(requests).toBe(0),
  },
  'hooks of the options about a permission': {
    refused: true,
    options: {
      hooks: {
        PermissionRequest: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: {
                  hookEventName: 'PermissionRequest',
                  decision: { behavior: 'deny', message: 'No.' },
                },
              }),
            ],
          },
        ],
      },
    },
  },
  'toolMiddleware that lets nothing through': {
    options: {
      ...ALLOWED,
      toolMiddleware: [
        async () => {
          throw new Error('Not today.');
        },
      ],
    },
  },
  'mcpServers with a policy for a tool': {
    options: {
      ...BYPASS,
      mcpServers: {
        guarded: { ...guarded(), tools: [{ name: 'add', permission_policy: 'always_deny' as const }] },
      },
    },
    calls: 'mcp__guarded__add',
    holds: ({ results }) => expect(results.join()).not.toContain('ADDED'),
  },
  'tools of the agent itself that are not named': {
    options: { ...BYPASS, tools: [] },
    calls: 'Bash',
    holds: ({ results }) => expect(results.join()).toContain('No such tool available'),
  },
  'maxTurns of one': {
    options: { ...ALLOWED, maxTurns: 1 },
    holds: ({ requests }) => expect(requests).toBe(1),
  },
  'maxBudgetUsd that the first answer spends': {
    options: { ...ALLOWED, maxBudgetUsd: 0.000001 },
    holds: ({ requests }) => expect(requests).toBeLessThan(2),
  },
  'strictMcpConfig and servers of a file': {
    files: { mcp: { mcpServers: { outside } } },
    options: { strictMcpConfig: true },
    holds: onlyCalc,
  },
  'hermetic and servers of a file': {
    files: { mcp: { mcpServers: { outside } } },
    options: { hermetic: true },
    holds: onlyCalc,
  },
  'settingSources without the project': {
    files: { project: { permissions: { allow: ['mcp__calc'] } }, trust: true },
    options: { settingSources: ['user'] },
  },
  'extraArgs that disallow': { options: { ...ALLOWED, extraArgs: { disallowedTools: 'mcp__calc__add' } } },
  'sandbox of the options that cannot be had': {
    refused: true,
    options: { ...ALLOWED, sandbox: { enabled: true }, env: NO_PROGRAMS },
  },
  'agents with tools of their own': helped({ tools: ['Read'] }),
  'agents with tools that they may not use': helped({ disallowedTools: ['mcp__calc__add'] }),
  'agent with tools of its own': {
    options: {
      ...ALLOWED,
      agent: 'reader',
      agents: { reader: { description: 'Reads', prompt: 'Read.', tools: ['Read'] } },
    },
  },
  'plugins with a hook': { refused: true, ...plugin(BLOCK) },
  'projectConfigRoot with rules': {
    refused: true,
    work: { 'elsewhere/.claude/settings.json': DENY },
    options: ALLOWED,
    optionsIn: (cwd) => ({ projectConfigRoot: join(cwd, 'elsewhere') }),
  },
  'settings that are a file': { work: { 'own.json': DENY }, options: { ...ALLOWED, settings: './own.json' } },
  'managedSettings that deny': { options: { ...ALLOWED, ...BYPASS, managedSettings: DENY } },
  'permissions.deny, inline': { options: { ...ALLOWED, settings: DENY } },
  'permissions.deny of the user': { files: { user: DENY }, options: ALLOWED },
  'permissions.deny of the project': { files: { project: DENY }, options: ALLOWED },
  'permissions.deny of the person in the project': { files: { local: DENY }, options: ALLOWED },
  'permissions.deny of a whole server': {
    options: { ...ALLOWED, settings: { permissions: { deny: ['mcp__calc'] } } },
  },
  'permissions.deny against the mode that asks nobody': { files: { project: DENY }, options: BYPASS },
  'permissions.deny against an allow rule of a stronger source': {
    files: { user: DENY },
    options: { settings: { permissions: { allow: ['mcp__calc__add'] } } },
  },
  'permissions.deny of a policy against everything that the host allows': {
    options: { ...ALLOWED, ...BYPASS, managedSettings: DENY, canUseTool: allowing },
  },
  'permissions.ask, with nobody to ask': {
    files: { project: { permissions: { ask: ['mcp__calc__add'] } } },
    options: ALLOWED,
  },
  'permissions.ask of a policy in the mode that asks nobody': {
    options: { ...BYPASS, managedSettings: { permissions: { ask: ['mcp__calc__add'] } } },
  },
  'permissions.allow of a project that nobody has trusted': {
    files: { project: { permissions: { allow: ['mcp__calc'] } } },
  },
  'permissions.defaultMode dontAsk': {
    options: { settings: { permissions: { defaultMode: 'dontAsk' } }, canUseTool: allowing },
  },
  'permissions.defaultMode plan': {
    files: { project: { permissions: { defaultMode: 'plan' } } },
    options: ALLOWED,
  },
  'permissions.defaultMode bypassPermissions of a project, which may not set it': {
    files: { project: { permissions: { defaultMode: 'bypassPermissions' } } },
  },
  'permissions.disableBypassPermissionsMode of the user': {
    files: { user: { permissions: { disableBypassPermissionsMode: 'disable' } } },
    options: BYPASS,
  },
  'permissions.disableBypassPermissionsMode of a policy': {
    options: { ...BYPASS, managedSettings: { permissions: { disableBypassPermissionsMode: 'disable' } } },
  },
  'allowManagedPermissionRulesOnly and a rule of the host': {
    options: { ...ALLOWED, managedSettings: { allowManagedPermissionRulesOnly: true } },
  },
  'hooks that exit with 2': { options: { ...ALLOWED, settings: hook(BLOCK) } },
  'hooks that deny in JSON': { options: { ...ALLOWED, settings: hook(JSON_DENY) } },
  'hooks of a project with a matcher': {
    files: { project: hook(BLOCK, 'Read|mcp__calc__add') },
    options: ALLOWED,
  },
  'hooks with a matcher that is an expression': {
    options: { ...ALLOWED, settings: hook(BLOCK, 'calc__.*') },
  },
  'hooks with a condition that is met': {
    options: { ...ALLOWED, settings: hook(BLOCK, '*', { if: 'mcp__calc__add' }) },
  },
  'sandbox of settings that cannot be had': {
    refused: true,
    options: {
      ...ALLOWED,
      settings: { sandbox: { enabled: true, failIfUnavailable: true } },
      env: NO_PROGRAMS,
    },
  },
  'sandbox of a policy that cannot be had': {
    refused: true,
    options: {
      ...ALLOWED,
      managedSettings: { sandbox: { enabled: true, failIfUnavailable: true } },
      env: NO_PROGRAMS,
    },
  },
  'deniedMcpServers by name': {
    options: {
      managedSettings: { deniedMcpServers: [{ serverName: 'outside' }] },
      mcpServers: { outside },
      mcpReady: false,
    },
    holds: onlyCalc,
  },
  'deniedMcpServers by command, in settings': {
    options: {
      settings: { deniedMcpServers: [{ serverCommand: [process.execPath, fixture] }] },
      mcpServers: { outside },
      mcpReady: false,
    },
    holds: onlyCalc,
  },
  'allowedMcpServers without it': {
    options: {
      managedSettings: { allowedMcpServers: [{ serverName: 'another' }] },
      mcpServers: { outside },
      mcpReady: false,
    },
    holds: onlyCalc,
  },
  'allowManagedMcpServersOnly and a list of the user': {
    files: { user: { allowedMcpServers: [{ serverName: 'outside' }] } },
    options: {
      managedSettings: { allowManagedMcpServersOnly: true, allowedMcpServers: [{ serverName: 'another' }] },
      mcpServers: { outside },
      mcpReady: false,
    },
    holds: onlyCalc,
  },
  'disabledMcpjsonServers of a project': {
    files: { mcp: { mcpServers: { outside } } },
    options: { settings: { disabledMcpjsonServers: ['outside'] } },
    holds: onlyCalc,
  },
};

/** Options that allow, describe or observe something; what they leave out happens to nobody. */
const NOT_RESTRICTING = `
  abortController additionalDirectories agentProgressSummaries allowDangerouslySkipPermissions allowedTools betas
  closeGraceMs continue controlTimeoutMs cwd debug debugFile effort enableFileCheckpointing env executable executableArgs
  fallbackModel forkSession forwardSubagentText includeHookEvents includePartialMessages isolation loadTimeoutMs
  maxLineBytes maxThinkingTokens maxUnreadBytes mcpReady model onDebug onElicitation onFrame onMcpStatus onSampling
  onUserDialog outputFormat pathToClaudeCodeExecutable perTaskStopAffordance persistSession planModeInstructions
  pluginDelivery promptSuggestions record resume resumeDropsTurn resumeSessionAt runtime sessionId sessionStore sessionStoreFlush
  signal skills spawnClaudeCodeProcess startupTimeoutMs stderr strictOptions supportedDialogKinds systemPrompt taskBudget
  thinking throwOnErrorResult title toolAliases toolConfig tracer transport verbatimPrompts
`
  .trim()
  .split(/\s+/);

/** Keys of the settings of the same kind; models are in test/runtime/settings-fail-closed.test.ts. */
const NOT_RESTRICTING_KEYS = [
  'autoCompactEnabled',
  'outputStyle',
  'permissions.additionalDirectories',
  'env',
  'disableAllHooks',
  'allowManagedHooksOnly',
  'model',
  'availableModels',
  'deniedModels',
];

const isRow = (name: string): boolean =>
  Object.keys(ROWS).some((row) => row === name || row.startsWith(`${name} `) || row.startsWith(`${name},`));

describe('the table', () => {
  it('has a row for every option that restricts (R51)', () => {
    const missing = Object.keys(OPTION_TABLE).filter(
      (name) => !isRow(name) && !NOT_RESTRICTING.includes(name),
    );
    expect(missing).toEqual([]);
    expect(NOT_RESTRICTING.filter((name) => isRow(name) || !Object.hasOwn(OPTION_TABLE, name))).toEqual([]);
  });

  it('has a row for every key of the settings that restricts (R51)', () => {
    const acting = Object.keys(SETTING_KEYS).filter((key) => SETTING_KEYS[key]?.effect !== 'ignored');
    expect(acting.filter((key) => !isRow(key) && !NOT_RESTRICTING_KEYS.includes(key))).toEqual([]);
  });
});

/** The same without the restriction, so that a row does not hold for another reason. Only the CLI has these. */
const LETS_THROUGH: Record<string, Case> = {
  'a sandbox that is not wanted': {
    options: { ...ALLOWED, sandbox: { enabled: false }, env: NO_PROGRAMS },
  },
  'a helper without limits': helped({}),
  'an agent without limits': {
    options: { ...ALLOWED, agent: 'reader', agents: { reader: { description: 'Reads', prompt: 'Read.' } } },
  },
  'a plugin whose hook has no objection': plugin('exit 0'),
  'a root of the project without rules': {
    work: { 'elsewhere/.claude/settings.json': {} },
    options: ALLOWED,
    optionsIn: (cwd) => ({ projectConfigRoot: join(cwd, 'elsewhere') }),
  },
};

describe('Claude Code', () => {
  it.each(Object.keys(LETS_THROUGH))('runs the tool with %s (R51)', async (name) => {
    const { ran } = await callUnder(BACK_ENDS[0] as BackEnd, LETS_THROUGH[name] as Case);
    expect(ran).toHaveLength(1);
  });
});

describe.each(BACK_ENDS)('$name', (backEnd) => {
  it('runs the tool where nothing forbids it (R51)', async () => {
    const { ran } = await callUnder(backEnd, { options: ALLOWED });
    expect(ran).toHaveLength(1);
  });

  it.each(Object.keys(ROWS))('does nothing against %s (R51)', async (name) => {
    const { refused, holds, ...row } = ROWS[name] as Row;
    if (refused && !backEnd.isCli) {
      const error = await callUnder(backEnd, row).then(
        (outcome) => outcome.error,
        (thrown: unknown) => thrown,
      );
      expect(TenonError.is(error) && error.code).toBe('NOT_SUPPORTED');
      return;
    }
    const outcome = await callUnder(backEnd, row);
    if (holds === undefined) expect(outcome.ran).toEqual([]);
    else holds(outcome);
  });
});
