/** Settings restrict both agents alike: what they forbid does not happen, whoever drives the conversation. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type CanUseTool,
  createSdkMcpServer,
  type Options,
  type SDKMessage,
  type Settings,
  tool,
} from '../../src/index.js';
import { ask, BACK_ENDS, type BackEnd, resultsOf, serversOf } from '../support/back-ends.js';

type Files = Partial<Record<'user' | 'project' | 'local' | 'mcp' | 'trust', unknown>>;

const fixture = fileURLToPath(new URL('../fixtures/environment-server.mjs', import.meta.url));
const outside = { command: process.execPath, args: [fixture] };
const ALLOWED: Options = { allowedTools: ['mcp__calc'] };
const DENY: Settings = { permissions: { deny: ['mcp__calc__add'] } };

interface Case {
  files?: Files;
  options?: Options;
  calls?: string;
}

/** One call of a tool under these options and files: whether its handler ran, who was asked, and what the host read. */
async function callUnder(
  backEnd: BackEnd,
  { files: given = {}, options = {}, calls = 'mcp__calc__add' }: Case,
) {
  const files = { ...given };
  const ran: unknown[] = [];
  const asked: string[] = [];
  const add = tool('add', 'Adds', { type: 'object', properties: {}, additionalProperties: true }, (input) => {
    ran.push(input);
    return '42';
  });
  const calc = createSdkMcpServer({ name: 'calc', tools: [add] });
  await using agent = await backEnd.start([{ tool: calls, input: { a: 1 } }, 'Done.']);
  const { cwd, configDir } = agent.box;
  await mkdir(join(cwd, '.claude'));
  const paths = {
    user: join(configDir, 'settings.json'),
    project: join(cwd, '.claude', 'settings.json'),
    local: join(cwd, '.claude', 'settings.local.json'),
    mcp: join(cwd, '.mcp.json'),
    trust: join(configDir, '.claude.json'),
  };
  if (files.trust === true) files.trust = { projects: { [cwd]: { hasTrustDialogAccepted: true } } };
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(paths[name as keyof Files], text);
  }
  const { mcpServers = {}, canUseTool, env, ...rest } = options;
  const listening: CanUseTool = async (name, input, context) => {
    asked.push(`${name} ${context.matchedAskRule?.source ?? ''}`.trim());
    return canUseTool?.(name, input, context) ?? null;
  };
  const outcome = await ask(
    agent.options({
      mcpServers: { calc, ...mcpServers },
      // IS_SANDBOX: tests may run as root, where the CLI has no bypassPermissions otherwise.
      env: { IS_SANDBOX: '1', ...env },
      mcpReady: true,
      throwOnErrorResult: false,
      ...rest,
      ...(canUseTool === undefined ? {} : { canUseTool: listening }),
    }),
  );
  const messages = outcome.messages;
  return {
    ...outcome,
    ran,
    asked,
    results: resultsOf(messages),
    servers: serversOf(messages),
    mode: modeOf(messages),
  };
}

function modeOf(messages: readonly SDKMessage[]): string | undefined {
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  return (init as { permissionMode?: string } | undefined)?.permissionMode;
}

const hook = (command: string, matcher?: string, more: object = {}): Settings => ({
  hooks: {
    PreToolUse: [
      { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, ...more }] },
    ],
  },
});
const BLOCK = 'echo "not today" >&2; exit 2';
const JSON_DENY = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not today"}}'`;
const BYPASS: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

/** Every restricting setting is a row: the tool must not run. */
const FORBIDDEN: Record<string, Case> = {
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
  'sandbox that cannot be had': {
    options: { ...ALLOWED, settings: { sandbox: { enabled: true, failIfUnavailable: true } } },
  },
};

/** What is not forbidden still runs: the same settings, turned the other way. */
const PERMITTED: Record<string, Case> = {
  'permissions.allow, inline': { options: { settings: { permissions: { allow: ['mcp__calc__add'] } } } },
  'permissions.allow of the person in the project': {
    files: { local: { permissions: { allow: ['mcp__calc'] } } },
  },
  'permissions.allow of a project that is trusted': {
    files: { project: { permissions: { allow: ['mcp__calc'] } }, trust: true },
  },
  'permissions.allow of a policy that counts alone': {
    options: {
      managedSettings: { allowManagedPermissionRulesOnly: true, permissions: { allow: ['mcp__calc__add'] } },
    },
  },
  'permissions.deny of a source that is not read': {
    files: { project: DENY },
    options: { ...ALLOWED, settingSources: ['user'] },
  },
  'permissions.deny of the user in a hermetic query': {
    files: { user: DENY, project: DENY },
    options: { ...ALLOWED, hermetic: true },
  },
  'permissions.defaultMode bypassPermissions of the user': {
    files: { user: { permissions: { defaultMode: 'bypassPermissions' } } },
  },
  'permissions.defaultMode against the option': {
    files: { user: { permissions: { defaultMode: 'plan' } } },
    options: { ...ALLOWED, permissionMode: 'default' },
  },
  'hooks that exit with 1': { options: { ...ALLOWED, settings: hook('exit 1') } },
  'hooks with a matcher that is only the beginning of the name': {
    options: { ...ALLOWED, settings: hook(BLOCK, 'mcp__calc__ad') },
  },
  'hooks with a condition that is not met': {
    options: { ...ALLOWED, settings: hook(BLOCK, '*', { if: 'Bash(git *)' }) },
  },
  'hooks that nobody waits for': { options: { ...ALLOWED, settings: hook(BLOCK, '*', { async: true }) } },
  'hooks that are all disabled': {
    options: { ...ALLOWED, settings: { ...hook(BLOCK), disableAllHooks: true } },
  },
  'hooks that are not the policy’s own': {
    files: { user: hook(BLOCK) },
    options: { ...ALLOWED, managedSettings: { allowManagedHooksOnly: true } },
  },
  'deniedMcpServers of a server in the process': {
    options: { ...ALLOWED, managedSettings: { deniedMcpServers: [{ serverName: 'calc' }] } },
  },
  'a key that nobody knows': { options: { ...ALLOWED, settings: { somethingNew: { deny: true } } } },
};

async function allowing(): ReturnType<CanUseTool> {
  return { behavior: 'allow' };
}

describe.each(BACK_ENDS)('$name', (backEnd) => {
  it.each(Object.keys(FORBIDDEN))('does not run a tool against %s (R51)', async (name) => {
    const { ran } = await callUnder(backEnd, FORBIDDEN[name] as Case);
    expect(ran).toEqual([]);
  });

  it.each(Object.keys(PERMITTED))('runs a tool under %s (R51)', async (name) => {
    const { ran, error } = await callUnder(backEnd, PERMITTED[name] as Case);
    expect(error).toBeUndefined();
    expect(ran).toHaveLength(1);
  });

  it('asks the host where a file says so, and names the file (R51)', async () => {
    const { ran, asked } = await callUnder(backEnd, {
      files: { project: { permissions: { ask: ['mcp__calc__add'] } } },
      options: { ...ALLOWED, canUseTool: allowing },
    });
    expect(ran).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it('tells the model why a hook said no (R51)', async () => {
    const { results } = await callUnder(backEnd, { options: { ...ALLOWED, settings: hook(BLOCK) } });
    expect(results[0]).toContain(`PreToolUse:mcp__calc__add hook error: [${BLOCK}]: not today`);
  });

  it.each([
    ['the process', {}, 'of the process'],
    ['the user', { user: { env: { TOKEN: 'of the user' } } }, 'of the user'],
    [
      'the project, which is stronger',
      { user: { env: { TOKEN: 'of the user' } }, project: { env: { TOKEN: 'of the project' } } },
      'of the project',
    ],
  ] as [string, Files, string][])('gives servers the variables of %s (R51)', async (_, files, expected) => {
    const { results } = await callUnder(backEnd, {
      files,
      options: {
        mcpServers: { outside },
        allowedTools: ['mcp__outside'],
        env: { TOKEN: 'of the process' },
      },
      calls: 'mcp__outside__tell',
    });
    expect(results).toEqual([`TOKEN is ${expected}`]);
  });

  it.each([
    ['denied by name in a policy', { managedSettings: { deniedMcpServers: [{ serverName: 'outside' }] } }],
    ['denied by name inline', { settings: { deniedMcpServers: [{ serverName: 'outside' }] } }],
    [
      'denied by its command',
      { managedSettings: { deniedMcpServers: [{ serverCommand: [process.execPath, fixture] }] } },
    ],
    ['not allowed', { managedSettings: { allowedMcpServers: [{ serverName: 'another' }] } }],
    ['not allowed, as none is', { managedSettings: { allowedMcpServers: [] } }],
    [
      'allowed by name where commands are listed',
      { managedSettings: { allowedMcpServers: [{ serverName: 'outside' }, { serverCommand: ['another'] }] } },
    ],
  ] as [string, Options][])('starts no server that is %s (R51)', async (_, options) => {
    const { servers } = await callUnder(backEnd, {
      options: { ...options, mcpServers: { outside }, mcpReady: false },
    });
    expect(servers.map(({ name }) => name)).toEqual(['calc']);
  });

  it('starts a server of .mcp.json unless it is disabled (R51)', async () => {
    const files = { mcp: { mcpServers: { outside, other: outside } } };
    const options = { settings: { disabledMcpjsonServers: ['outside'] } };
    const { servers } = await callUnder(backEnd, { files, options });
    expect(servers.map(({ name }) => name).sort()).toEqual(['calc', 'other']);
  });

  it('takes the model of the strongest settings, unless the options name one (R51)', async () => {
    const files = { user: { model: 'claude-haiku-4-5' }, project: { model: 'claude-sonnet-4-5' } };
    const modelUnder = async (options: Options) => {
      const { messages } = await callUnder(backEnd, { files, options });
      const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
      return (init as { model?: string } | undefined)?.model;
    };
    expect(await modelUnder({})).toBe('claude-sonnet-4-5');
    expect(await modelUnder({ settings: { model: 'claude-opus-4-5' } })).toBe('claude-opus-4-5');
    expect(await modelUnder({ model: 'claude-haiku-4-5' })).toBe('claude-haiku-4-5');
  });
});
