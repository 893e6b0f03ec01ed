/** A plan and its command line say the same: what is written is read back (R11, pain 25). */
import { describe, expect, it } from 'vitest';
import { FlagError, parseArguments, writeArguments } from '../../src/options/flags.js';
import { type AgentPlan, emptyPlan } from '../../src/options/plan.js';
import fc from '../support/property.js';

const word = fc.stringMatching(/^[\w./-]{1,12}$/).filter((text) => text !== 'default');
const words = fc.array(word, { maxLength: 4 });
const line = fc.string({ maxLength: 40 });
const rule = fc.oneof(
  word,
  word.map((name) => `Bash(${name} a, b *)`),
  word.map((name) => `mcp__${name}__*`),
  // Rules that do not close, or only close, take no neighbour with them.
  fc.constantFrom('x(', 'x)', 'Bash(echo :(', 'Bash(echo :))'),
);
const rules = fc.array(rule, { maxLength: 5 });
const json = fc.dictionary(word, fc.jsonValue());
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/** One value for each field; the compiler refuses a table with one missing. */
const FIELDS: { [Field in keyof AgentPlan]-?: fc.Arbitrary<AgentPlan[Field]> } = {
  addDirectories: fc.array(line, { maxLength: 3 }),
  agent: optional(line),
  agents: optional(json as never),
  allowBypass: fc.boolean(),
  allowedTools: rules,
  appendSystemPrompt: optional(line),
  awaitInitialize: fc.boolean(),
  betas: words,
  continue: fc.boolean(),
  debug: fc.boolean(),
  debugFile: optional(line),
  debugToStderr: fc.boolean(),
  disallowedTools: rules,
  effort: optional(word),
  // Become the fields that they are about, and have no flag of their own.
  extraArgs: fc.constant(undefined),
  fallbackModel: optional(line),
  forkSession: fc.boolean(),
  includeHookEvents: fc.boolean(),
  includePartialMessages: fc.boolean(),
  jsonSchema: optional(json),
  managedSettings: optional(json),
  maxBudgetUsd: optional(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
  maxThinkingTokens: optional(fc.nat()),
  maxTurns: optional(fc.nat()),
  mcpServers: fc.dictionary(word, fc.record({ command: line, args: words })),
  model: optional(line),
  permissionMode: optional(fc.constantFrom('default', 'plan', 'dontAsk', 'acceptEdits')),
  permissionPromptTool: optional(word),
  permissionPrompts: optional(word),
  persistSession: fc.boolean(),
  pluginDirectories: fc.array(line, { maxLength: 3 }),
  projectConfigRoot: optional(line),
  replayUserMessages: fc.boolean(),
  resume: optional(line),
  resumeDropsTurn: optional(line),
  resumeSessionAt: optional(line),
  // Goes with the settings.
  sandbox: fc.constant(undefined),
  sessionId: optional(line),
  sessionMirror: fc.boolean(),
  settingSources: optional(fc.subarray(['user', 'project', 'local'] as const)),
  settings: optional(fc.oneof(json, word)),
  strictMcpConfig: fc.boolean(),
  systemPrompt: optional(line),
  taskBudget: optional(fc.nat()),
  thinking: optional(word),
  thinkingDisplay: optional(word),
  tools: optional(fc.oneof(words, fc.constant('default' as const))),
};

describe('a plan', () => {
  it('is the same after it was written as arguments and read again', () => {
    const plans = fc.record(FIELDS) as unknown as fc.Arbitrary<AgentPlan>;
    fc.assert(
      fc.property(plans, (plan) => {
        // JSON has no -0, and no keys such as __proto__ to go by.
        const same = JSON.parse(JSON.stringify(plan));
        expect(JSON.parse(JSON.stringify(parseArguments(writeArguments(plan), JSON.parse)))).toEqual(same);
      }),
    );
  });

  it('of nothing is no arguments, and of no arguments nothing', () => {
    expect(writeArguments(emptyPlan())).toEqual([]);
    expect(parseArguments([], JSON.parse)).toEqual(emptyPlan());
  });

  it('says what a file says instead, where it is told so', () => {
    const plan = { ...emptyPlan(), mcpServers: { a: { command: 'x' } }, settings: { env: { A: 'secret' } } };
    expect(writeArguments(plan, { mcpServers: '/tmp/m.json', settings: '/tmp/s.json' })).toEqual([
      '--mcp-config',
      '/tmp/m.json',
      '--settings',
      '/tmp/s.json',
    ]);
  });
});

describe('arguments', () => {
  it('add up where they are lists, and later ones win elsewhere', () => {
    const plan = parseArguments(
      [
        '--allowedTools=A,B',
        '--allowedTools',
        'C',
        '--model=one',
        '--model=two',
        '--add-dir',
        'x',
        '--add-dir=y',
      ],
      JSON.parse,
    );
    expect(plan).toMatchObject({ allowedTools: ['A', 'B', 'C'], model: 'two', addDirectories: ['x', 'y'] });
  });

  it.each([
    [['--no-such-flag'], "error: unknown option '--no-such-flag'"],
    [['--model'], "error: option '--model' argument missing"],
    [['--permission-mode=often'], /'often' is invalid\. One of: default, /],
  ])('%j are refused', (args, message) => {
    expect(() => parseArguments(args, JSON.parse)).toThrow(FlagError);
    expect(() => parseArguments(args, JSON.parse)).toThrow(message);
  });

  it('about the form of the talk are taken, and leave no trace', () => {
    const base = [
      '-p',
      '--print',
      '--verbose',
      '--input-format',
      'stream-json',
      '--output-format=stream-json',
    ];
    expect(parseArguments(base, JSON.parse)).toEqual(emptyPlan());
  });
});
