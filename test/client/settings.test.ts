/** Constants and settings (issue 6), beside those of the official SDK. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as tenon from '../../src/index.js';

const entry = createRequire(new URL('../reference/package.json', import.meta.url)).resolve(
  '@anthropic-ai/claude-agent-sdk',
);
const official = (await import(pathToFileURL(entry).href)) as typeof tenon;

describe('the constant', () => {
  it.each([
    'BUILTIN_TOOL_NAMES',
    'EXIT_REASONS',
    'HOOK_EVENTS',
    'LEGACY_TOOL_NAME_ALIASES',
    'ORG_POLICY_LIMIT_PREFIXES',
    'SYSTEM_PROMPT_DYNAMIC_BOUNDARY',
    'USAGE_LIMIT_ERROR_PREFIXES',
    'USAGE_TRANSITION_PREFIXES',
    'USAGE_WARNING_PREFIXES',
  ] as const)('%s has the value that the official one has', (name) => {
    const ours: Record<string, unknown> = { ...tenon };
    expect(ours[name]).toEqual(official[name]);
  });
});

describe('settings', () => {
  let root: string;
  let cwd: string;
  const before = process.env.CLAUDE_CONFIG_DIR;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tenon-settings-'));
    cwd = join(root, 'work');
    process.env.CLAUDE_CONFIG_DIR = join(root, 'config');
    await mkdir(join(root, 'config'));
    await mkdir(join(cwd, '.claude'), { recursive: true });
  });
  afterAll(async () => {
    if (before === undefined) delete process.env.CLAUDE_CONFIG_DIR;
    else process.env.CLAUDE_CONFIG_DIR = before;
    await rm(root, { recursive: true, force: true });
  });

  const FILES = {
    user: 'config/settings.json',
    project: 'work/.claude/settings.json',
    local: 'work/.claude/settings.local.json',
  };
  async function write(files: Partial<Record<keyof typeof FILES, unknown>>): Promise<void> {
    for (const [source, path] of Object.entries(FILES)) {
      const content = files[source as keyof typeof FILES];
      if (content === undefined) await rm(join(root, path), { force: true });
      else await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
    }
  }
  async function expectSame(options: tenon.ResolveSettingsOptions): Promise<tenon.ResolvedSettings> {
    const resolved = await tenon.resolveSettings(options);
    const theirs = await official.resolveSettings(options);
    expect(resolved).toEqual(theirs);
    expect(tenon.filterEscalatingDefaultMode(resolved)).toEqual(official.filterEscalatingDefaultMode(theirs));
    return resolved;
  }

  const user = {
    model: 'of the user',
    env: { A: '1', B: 'user' },
    permissions: { allow: ['Bash'], deny: ['X'], defaultMode: 'plan' },
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'u' }] }] },
    cleanupPeriodDays: 3,
  };
  const project = {
    model: 'of the project',
    env: { B: 'project', C: '3' },
    permissions: { allow: ['Read', 'Bash'], defaultMode: 'bypassPermissions' },
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'p' }] }] },
  };

  it('of all files are merged as the official function does', async () => {
    await write({ user, project, local: { permissions: { ask: ['Write'] }, outputStyle: 'x' } });
    const { effective, provenance } = await expectSame({ cwd });
    expect(effective).toMatchObject({ model: 'of the project', env: { A: '1', B: 'project', C: '3' } });
    expect(provenance.model).toMatchObject({ source: 'project' });
    await expectSame({ cwd, settingSources: ['user'] });
    await expectSame({ cwd, settingSources: [] });
    await expectSame({ cwd: join(root, 'config') });
  });

  it('of a program only restrict, and those of the server win over them', async () => {
    await write({ user });
    const managedSettings = {
      model: 'm',
      env: { X: '1' },
      permissions: { deny: ['D'], ask: ['Q'], allow: ['Z'], defaultMode: 'default' as const },
      allowManagedPermissionRulesOnly: true,
      deniedModels: ['m'],
      availableModels: ['a'],
      cleanupPeriodDays: 1,
    };
    const { effective } = await expectSame({ cwd, managedSettings });
    expect(effective.model).toBe('of the user');
    expect(effective.permissions?.deny).toEqual(['X', 'D']);
    await expectSame({ cwd, managedSettings, serverManagedSettings: { model: 'of the server' } });
  });

  it.each([
    { permissions: { allow: ['Z'], ask: ['Q'], defaultMode: 'plan', additionalDirectories: ['d'] } },
    { disableAllHooks: true, hooks: { Stop: [] }, env: { A: '1' } },
    { disableAllHooks: false, allowManagedPermissionRulesOnly: false, sandbox: { enabled: false } },
    { allowedMcpServers: [], allowManagedMcpServersOnly: true, disabledMcpjsonServers: ['a'] },
    { permissions: { deny: 'a' } },
  ])('of a program are taken as the official function takes them: %j', async (managedSettings) => {
    await write({});
    await expectSame({ cwd, managedSettings: managedSettings as never });
  });

  it.each([
    ['no JSON', 'no json'],
    ['a list', []],
    ['a rule that is no list', { permissions: { allow: 'x' }, env: { Q: '1' } }],
    ['a model that is no text', { model: 5 }],
    ['nothing', {}],
  ])('in a file with %s are none, as for the official function', async (_, local) => {
    await write({ user, local });
    await expectSame({ cwd });
  });

  it.each(['auto', 'acceptEdits', 'bypassPermissions', 'plan', 'default', 'dontAsk'])(
    'with the mode %s in a repository lose what escalates',
    async (defaultMode) => {
      await write({ project: { permissions: { defaultMode, allow: ['L'] } } });
      await expectSame({ cwd });
      await write({ project: { permissions: { defaultMode } }, local: { permissions: { defaultMode } } });
      await expectSame({ cwd });
    },
  );
});

describe('denied models', () => {
  it.each([
    [['claude-opus-5-5', 'claude-sonnet-5-5', 'opus', 'claude-3-opus-20240229', 'Opus'], ['opus']],
    [
      [
        'claude-opus-5-5',
        'claude-opus-5-5-20260101',
        'claude-opus-5-5[1m]',
        'CLAUDE-OPUS-5-5',
        'claude-opus-5',
      ],
      ['claude-opus-5-5'],
    ],
    [
      ['us.anthropic.claude-opus-5-5-v1:0', 'anthropic/claude-opus-5-5', 'claude-opus-5-6'],
      ['claude-opus-5-5'],
    ],
    [['claude-opus-5-5', 'claude-opus-5', 'gpt-4', 'claude-sonnet-4-5'], ['claude-opus-5']],
    [
      ['a', '*', 'claude-x'],
      ['*', 'claude-*'],
    ],
    [
      ['default', 'haiku', 'claude-haiku-4-5'],
      ['haiku', 'default'],
    ],
    [['my-model', 'my-model-2'], ['my-model']],
    [['claude-opus-5-5'], ['claude-opus-5-5[1m]']],
    [
      ['a', 5, ''],
      ['a', 5, ''],
    ],
    ['a', ['a']],
    [['a'], 'a'],
    [['a'], undefined],
  ] as [never, never][])('%j against %j are what the official function says', async (models, denied) => {
    const ours = await tenon.matchDeniedModels(models, denied);
    const theirs = await official.matchDeniedModels(models, denied);
    expect(ours.denied).toEqual(theirs.denied);
    // The texts are ours; what is warned of is the same.
    expect(ours.warnings).toHaveLength(theirs.warnings.length);
  });
});
