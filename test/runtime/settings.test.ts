/**
 * Settings act on both agents alike. That what they forbid does not happen is shown in
 * test/options/restrictions.test.ts.
 */
import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.js';
import { BACK_ENDS } from '../support/back-ends.js';
import {
  ALLOWED,
  allowing,
  BLOCK,
  type Case,
  callUnder,
  DENY,
  type Files,
  fixture,
  hook,
  outside,
} from '../support/call-under.js';

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

describe.each(BACK_ENDS)('$name', (backEnd) => {
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
