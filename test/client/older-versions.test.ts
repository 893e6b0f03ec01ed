/** What CLIs of older versions need instead: the launch is adapted, or refused, in one place. */

import { describe, expect, it } from 'vitest';
import { adaptToVersion, isOlder, type LaunchPlan } from '../../src/client/launch/older-versions.js';
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

describe('the launch of', () => {
  const plan = (): LaunchPlan => ({
    args: ['--verbose'],
    initialize: {
      systemPrompt: ['One.', 'Two.'],
      appendSystemPrompt: 'Three.',
      agents: { a: { description: 'd', prompt: 'p' } },
      jsonSchema: { type: 'object' },
    },
    mcpServers: { external: { command: 'x' } },
    sdkServerNames: ['calc'],
    settings: {},
  });
  const adapted = (version: string | undefined) => {
    const made = plan();
    adaptToVersion(made, version);
    return made;
  };
  const JSON_SCHEMA = ['--json-schema', '{"type":"object"}'];
  const PROMPTS = [
    '--system-prompt',
    'One.\n\nTwo.',
    '--append-system-prompt',
    'Three.',
    '--agents',
    '{"a":{"description":"d","prompt":"p"}}',
  ];
  const withServer = { external: { command: 'x' }, calc: { type: 'sdk', name: 'calc' } };

  it.each<[string | undefined, Partial<LaunchPlan> & { prompt: unknown }]>([
    [undefined, { args: [], mcpServers: plan().mcpServers, prompt: ['One.', 'Two.'] }],
    ['2.1.325', { args: [], mcpServers: plan().mcpServers, prompt: ['One.', 'Two.'] }],
    ['2.1.139', { args: [], mcpServers: plan().mcpServers, prompt: 'One.\n\nTwo.' }],
    ['2.0.75', { args: PROMPTS, mcpServers: plan().mcpServers, prompt: 'One.\n\nTwo.' }],
    ['2.0.49', { args: [...JSON_SCHEMA, ...PROMPTS], mcpServers: plan().mcpServers, prompt: 'One.\n\nTwo.' }],
    [
      '1.0.127',
      {
        args: [...JSON_SCHEMA, ...PROMPTS],
        mcpServers: withServer as LaunchPlan['mcpServers'],
        prompt: 'One.\n\nTwo.',
      },
    ],
  ])('version %s', (version, { args = [], mcpServers, prompt }) => {
    const made = adapted(version);
    expect(made.args).toEqual(['--verbose', ...args]);
    expect(made.mcpServers).toEqual(mcpServers);
    expect(made.initialize.systemPrompt).toEqual(prompt);
  });

  it('before 2.0.76 a rule for all tools of a server becomes its name', () => {
    const args = [
      '--allowedTools=mcp__a__*,Bash(ls mcp__a__*),mcp__b__x',
      '--disallowedTools=mcp__my__calc__*',
    ];
    const rules = (version: string) => {
      const made: LaunchPlan = { ...plan(), args: [...args], initialize: {} };
      adaptToVersion(made, version);
      return made.args;
    };
    expect(rules('2.0.75')).toEqual([
      '--allowedTools=mcp__a,Bash(ls mcp__a__*),mcp__b__x',
      '--disallowedTools=mcp__my__calc',
    ]);
    expect(rules('2.0.76')).toEqual(args);
  });

  it('from 2.1.285 to 2.1.301 the permission mode is said, unless the user says one', () => {
    const bare = (): LaunchPlan => ({
      args: [],
      initialize: {},
      mcpServers: {},
      sdkServerNames: [],
      settings: {},
    });
    const modes = (version: string, given: Partial<LaunchPlan> = {}) => {
      const made = { ...bare(), ...given };
      adaptToVersion(made, version);
      return made.args;
    };
    const said = ['--permission-mode=default'];
    expect(['2.1.284', '2.1.285', '2.1.301', '2.1.302'].map((version) => modes(version))).toEqual([
      [],
      said,
      said,
      [],
    ]);
    expect(modes('2.1.290', { args: ['--permission-mode=plan'] })).toEqual(['--permission-mode=plan']);
    expect(modes('2.1.290', { args: ['--permission-mode', 'plan'] })).toEqual(['--permission-mode', 'plan']);
    expect(modes('2.1.290', { settings: { permissions: { defaultMode: 'plan' } } })).toEqual([]);
  });

  it('an old version without prompts, agents or schema has nothing added', () => {
    const bare: LaunchPlan = { args: [], initialize: {}, mcpServers: {}, sdkServerNames: [], settings: {} };
    adaptToVersion(bare, '1.0.0');
    expect(bare).toEqual({ args: [], initialize: {}, mcpServers: {}, sdkServerNames: [], settings: {} });
  });
});

describe('what a version would silently leave out is refused', () => {
  const hooks = { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] };
  it.each<[string, string, Partial<LaunchPlan>]>([
    ['1.0.85', 'hooks', { initialize: { hooks } }],
    ['1.0.93', 'in-process MCP servers', { sdkServerNames: ['calc'] }],
    ['2.1.83', 'sandbox', { settings: { sandbox: { enabled: true, failIfUnavailable: true } } }],
  ])('before %s: %s', (since, what, wanted) => {
    const plan: LaunchPlan = { args: [], initialize: {}, mcpServers: {}, sdkServerNames: [], settings: {} };
    const [major, minor, patch] = since.split('.').map(Number);
    const before = [major, minor, Number(patch) - 1].join('.');
    expect(() => adaptToVersion({ ...plan, ...wanted }, before)).toThrow(
      expect.objectContaining({
        code: 'CLI_TOO_OLD',
        cliVersion: before,
        message: expect.stringMatching(new RegExp(`^Claude Code ${before} .*${what}.*${since}`)),
      }),
    );
    adaptToVersion({ ...plan, ...wanted }, since);
    adaptToVersion({ ...plan, ...wanted }, undefined);
    adaptToVersion(plan, before);
  });

  it('but not a sandbox of which the user said that it may be missing', () => {
    const settings = { sandbox: { enabled: true, failIfUnavailable: false } };
    adaptToVersion({ args: [], initialize: {}, mcpServers: {}, sdkServerNames: [], settings }, '2.0.76');
  });
});
