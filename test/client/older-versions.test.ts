/** What CLIs of older versions need instead: the launch is adapted, or refused, in one place (pain 35). */

import { describe, expect, it } from 'vitest';
import { adaptToVersion, isOlder, type LaunchPlan } from '../../src/client/launch/cli-versions.js';
import { writeArguments } from '../../src/options/flags.js';
import { type AgentPlan, emptyPlan } from '../../src/options/plan.js';
import fc from '../support/property.js';

describe('isOlder', () => {
  it.each<[string, string, boolean]>([
    ['1.0.127', '1.0.128', true],
    ['1.0.128', '1.0.128', false],
    ['1.0.129', '1.0.128', false],
    ['1.9.0', '1.10.0', true],
    ['2.0.0', '1.99.99', false],
    ['2.1', '2.1.1', true],
    ['2.1.5-beta.1', '2.1.6', true],
  ])('%s than %s: %s', (version, than, expected) => {
    expect(isOlder(version, than)).toBe(expected);
  });

  it('orders versions: none is older than itself, and of two others exactly one is', () => {
    const version = fc.tuple(fc.nat(9), fc.nat(20), fc.nat(400)).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(version, version, (left, right) => {
        const answers = [isOlder(left, right), isOlder(right, left)].filter(Boolean);
        expect(answers).toHaveLength(left === right ? 0 : 1);
      }),
    );
  });
});

const launchOf = (plan: Partial<AgentPlan> = {}, initialize: LaunchPlan['initialize'] = {}): LaunchPlan => ({
  plan: { ...emptyPlan(), ...plan },
  initialize,
  sdkServerNames: [],
});

describe('the launch of', () => {
  const external = { external: { command: 'x' } };
  const launch = (): LaunchPlan => ({
    ...launchOf(
      { debug: true, mcpServers: external },
      {
        systemPrompt: ['One.', 'Two.'],
        appendSystemPrompt: 'Three.',
        agents: { a: { description: 'd', prompt: 'p' } },
        jsonSchema: { type: 'object' },
      },
    ),
    sdkServerNames: ['calc'],
  });
  const JSON_SCHEMA = ['--json-schema', '{"type":"object"}'];
  const PROMPTS = [
    '--system-prompt',
    'One.\n\nTwo.',
    '--append-system-prompt',
    'Three.',
    '--agents',
    '{"a":{"description":"d","prompt":"p"}}',
  ];
  const withServer = { ...external, calc: { type: 'sdk' as const, name: 'calc' } };

  it.each<[string | undefined, { args?: string[]; mcpServers?: object; prompt: unknown }]>([
    [undefined, { prompt: ['One.', 'Two.'] }],
    ['2.1.325', { prompt: ['One.', 'Two.'] }],
    ['2.1.139', { prompt: 'One.\n\nTwo.' }],
    ['2.0.75', { args: PROMPTS, prompt: 'One.\n\nTwo.' }],
    ['2.0.49', { args: [...JSON_SCHEMA, ...PROMPTS], prompt: 'One.\n\nTwo.' }],
    ['1.0.127', { args: [...JSON_SCHEMA, ...PROMPTS], mcpServers: withServer, prompt: 'One.\n\nTwo.' }],
  ])('version %s', (version, { args = [], mcpServers = external, prompt }) => {
    const made = launch();
    adaptToVersion(made, version);
    expect(writeArguments({ ...made.plan, mcpServers: {} })).toEqual(['--debug', ...args]);
    expect(made.plan.mcpServers).toEqual(mcpServers);
    expect(made.initialize.systemPrompt).toEqual(prompt);
  });

  it('before 2.0.76 the rule for all tools of a server is its name', () => {
    const given = {
      allowedTools: ['mcp__a__*', 'Bash(ls mcp__a__*)', 'mcp__b__x'],
      disallowedTools: ['mcp__my__calc__*'],
    };
    const rules = (version: string) => {
      const made = launchOf(given);
      adaptToVersion(made, version);
      return writeArguments(made.plan);
    };
    expect(rules('2.0.75')).toEqual([
      '--allowedTools=mcp__a,Bash(ls mcp__a__*),mcp__b__x',
      '--disallowedTools=mcp__my__calc',
    ]);
    expect(rules('2.0.76')).toEqual(writeArguments(launchOf(given).plan));
  });

  it('from 2.1.285 to 2.1.301 the permission mode is said, unless the user says one', () => {
    const modes = (version: string, given: Partial<AgentPlan> = {}) => {
      const made = launchOf(given);
      adaptToVersion(made, version);
      return writeArguments({ ...made.plan, settings: undefined });
    };
    const said = ['--permission-mode=default'];
    expect(['2.1.284', '2.1.285', '2.1.301', '2.1.302'].map((version) => modes(version))).toEqual([
      [],
      said,
      said,
      [],
    ]);
    expect(modes('2.1.290', { permissionMode: 'plan' })).toEqual(['--permission-mode=plan']);
    expect(modes('2.1.290', { extraArgs: { 'permission-mode': 'plan' } })).toEqual([
      '--permission-mode',
      'plan',
    ]);
    expect(modes('2.1.290', { settings: { permissions: { defaultMode: 'plan' } } })).toEqual([]);
  });

  it('an old version without prompts, agents or schema has nothing added', () => {
    const bare = launchOf();
    adaptToVersion(bare, '1.0.0');
    expect(bare).toEqual(launchOf());
  });
});

describe('what a version would silently leave out is refused', () => {
  const hooks = { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] };
  it.each<[string, string, () => LaunchPlan]>([
    ['1.0.85', 'hooks', () => launchOf({}, { hooks })],
    ['1.0.93', 'in-process MCP servers', () => ({ ...launchOf(), sdkServerNames: ['calc'] })],
    ['2.1.83', 'sandbox', () => launchOf({ sandbox: { enabled: true, failIfUnavailable: true } })],
    [
      '2.1.83',
      'sandbox',
      () => launchOf({ settings: { sandbox: { enabled: true, failIfUnavailable: true } } }),
    ],
  ])('before %s: %s', (since, what, wanted) => {
    const [major, minor, patch] = since.split('.').map(Number);
    const before = [major, minor, Number(patch) - 1].join('.');
    expect(() => adaptToVersion(wanted(), before)).toThrow(
      expect.objectContaining({
        code: 'CLI_TOO_OLD',
        cliVersion: before,
        message: expect.stringMatching(new RegExp(`^Claude Code ${before} .*${what}.*${since}`)),
      }),
    );
    adaptToVersion(wanted(), since);
    adaptToVersion(wanted(), undefined);
    adaptToVersion(launchOf(), before);
  });

  it('but not a sandbox of which the user said that it may be missing', () => {
    adaptToVersion(launchOf({ sandbox: { enabled: true, failIfUnavailable: false } }), '2.0.76');
  });
});
