/**
 * Every option, and what the embedded runtime does with it: it acts, refuses or ignores, and what is not acted on is
 * never passed over in silence (R11). The compiler refuses this table when an option is missing from it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSession, OptionError, type Options, query } from '../../src/index.js';
import type { AgentStart } from '../../src/options/agent-runtime.js';
import { OPTION_TABLE } from '../../src/options/option-table.js';
import { otel } from '../../src/otel/index.js';
import { embedded, InMemorySessionStore } from '../../src/runtime/index.js';
import { scriptedModel } from '../../src/testing/index.js';

type Given<Name extends keyof Options> = NonNullable<Options[Name]>;

type Expected =
  /** Part of the plan, of `initialize` or of the environment. */
  | { plan: Partial<AgentStart['plan']> }
  | { initialize: Record<string, unknown> }
  | { env: Record<string, string> }
  /** Its effect is shown by a test in this file. */
  | { shownBy: string }
  | { refuses: RegExp }
  | { ignores: RegExp };

const callback = async (): Promise<never> => {
  throw new Error('not called in this test');
};

const ROWS: { [Name in keyof Options]-?: [value: Given<Name>, expected: Expected, others?: Options] } = {
  abortController: [new AbortController(), { shownBy: 'test/client/stopping-moments.test.ts' }],
  additionalDirectories: [['/a'], { plan: { addDirectories: ['/a'] } }],
  agent: [
    'reviewer',
    { plan: { agent: 'reviewer' } },
    { agents: { reviewer: { description: 'd', prompt: 'p' } } },
  ],
  agentProgressSummaries: [true, { ignores: /does not sum up/ }],
  agents: [
    { a: { description: 'd', prompt: 'p' } },
    { initialize: { agents: { a: { description: 'd', prompt: 'p' } } } },
  ],
  allowDangerouslySkipPermissions: [true, { plan: { allowBypass: true } }],
  allowedTools: [['mcp__a__*'], { plan: { allowedTools: ['mcp__a__*'] } }],
  betas: [['context-1m-2025-08-07'], { plan: { betas: ['context-1m-2025-08-07'] } }],
  canUseTool: [callback, { plan: { permissionPromptTool: 'stdio' } }],
  closeGraceMs: [5, { shownBy: 'test/client/end-of-input.test.ts' }],
  continue: [true, { plan: { continue: true } }, { sessionStore: new InMemorySessionStore() }],
  controlTimeoutMs: [5, { shownBy: 'test/client/faults-control.test.ts' }],
  cwd: ['/', { shownBy: 'test/runtime/sessions.test.ts' }],
  debug: [true, { ignores: /no debug log/ }],
  debugFile: ['/tmp/x', { ignores: /no debug log/ }],
  disallowedTools: [['A'], { plan: { disallowedTools: ['A'] } }],
  effort: ['high', { plan: { effort: 'high' } }],
  enableFileCheckpointing: [true, { refuses: /has no files that could be rewound/ }],
  env: [{ A: '1' }, { env: { A: '1' } }],
  executable: ['bun', { ignores: /starts no process/ }],
  executableArgs: [['--x'], { ignores: /starts no process/ }],
  extraArgs: [{ 'replay-user-messages': null }, { shownBy: 'test/runtime/turns.test.ts' }],
  fallbackModel: ['other', { plan: { fallbackModel: 'other' } }],
  forkSession: [true, { plan: { forkSession: true } }],
  forwardSubagentText: [true, { initialize: { forwardSubagentText: true } }],
  hermetic: [true, { plan: { strictMcpConfig: true, settingSources: [] } }],
  hooks: [{ Notification: [{ hooks: [callback] }] }, { ignores: /never calls hooks of Notification/ }],
  includeHookEvents: [true, { ignores: /no messages about the hooks/ }],
  includePartialMessages: [true, { plan: { includePartialMessages: true } }],
  isolation: ['session', { ignores: /starts no process/ }],
  loadTimeoutMs: [5, { shownBy: 'test/sessions/stores.test.ts' }],
  managedSettings: [
    { permissions: { deny: ['A'] } },
    { plan: { managedSettings: { permissions: { deny: ['A'] } } } },
  ],
  maxBudgetUsd: [1, { plan: { maxBudgetUsd: 1 } }],
  maxLineBytes: [5, { ignores: /starts no process/ }],
  maxThinkingTokens: [5, { plan: { maxThinkingTokens: 5 } }],
  maxTurns: [5, { plan: { maxTurns: 5 } }],
  maxUnreadBytes: [5, { shownBy: 'test/client/backpressure.test.ts' }],
  mcpReady: [true, { shownBy: 'test/client/mcp-controls.test.ts' }],
  mcpServers: [
    { a: { command: 'no-such-program' } },
    { plan: { mcpServers: { a: { command: 'no-such-program' } } } },
  ],
  model: ['other', { plan: { model: 'other' } }],
  onDebug: [() => {}, { shownBy: 'test/client/faults-output.test.ts' }],
  onElicitation: [callback, { shownBy: 'test/authoring/server/questions.test.ts' }],
  onFrame: [() => {}, { shownBy: 'test/client/frame-tap.test.ts' }],
  onMcpStatus: [() => {}, { shownBy: 'test/client/mcp-controls.test.ts' }],
  onSampling: [callback, { shownBy: 'test/in-process/live.test.ts' }],
  onUserDialog: [callback, { ignores: /opens no dialogs/ }],
  outputFormat: [
    { type: 'json_schema', schema: { type: 'object' } },
    { initialize: { jsonSchema: { type: 'object' } } },
  ],
  pathToClaudeCodeExecutable: ['/claude', { ignores: /starts no process/ }],
  perTaskStopAffordance: [true, { ignores: /`stopTask\(\)` ends a single one/ }],
  permissionMode: ['plan', { plan: { permissionMode: 'plan' } }],
  permissionPromptToolName: ['mcp__a__b', { refuses: /asks no tool for permission/ }],
  permissionPrompts: ['none', { plan: { permissionPrompts: 'none' } }],
  persistSession: [false, { plan: { persistSession: false } }],
  planModeInstructions: ['x', { ignores: /plan mode/ }],
  pluginDelivery: ['initialize', { refuses: /at its start/ }],
  plugins: [[{ type: 'local', path: '/p' }], { refuses: /need embedded\(\{ workspace/ }],
  projectConfigRoot: ['/', { refuses: /settings of a project/ }],
  promptSuggestions: [true, { ignores: /suggests no prompts/ }],
  record: ['run.tape', { shownBy: 'test/observe/record.test.ts' }],
  resume: [
    '00000000-0000-4000-8000-000000000000',
    { plan: { resume: '00000000-0000-4000-8000-000000000000' } },
  ],
  resumeDropsTurn: ['x', { refuses: /cannot leave a turn out/ }],
  resumeSessionAt: ['x', { plan: { resumeSessionAt: 'x' } }],
  runtime: [embedded({ model: scriptedModel(['Hello.']) }), { shownBy: 'test/runtime/turns.test.ts' }],
  sandbox: [{ enabled: true }, { refuses: /no sandbox/ }],
  sessionId: [
    '00000000-0000-4000-8000-000000000000',
    { plan: { sessionId: '00000000-0000-4000-8000-000000000000' } },
  ],
  sessionStore: [new InMemorySessionStore(), { shownBy: 'test/sessions/stores.test.ts' }],
  sessionStoreFlush: ['eager', { shownBy: 'test/sessions/stores.test.ts' }],
  settingSources: [['user'], { plan: { settingSources: ['user'] } }],
  settings: [{ model: 'x' }, { plan: { settings: { model: 'x' } } }],
  signal: [new AbortController().signal, { shownBy: 'test/client/stopping.test.ts' }],
  skills: [['greet'], { plan: { allowedTools: ['Skill(greet)'] } }],
  spawnClaudeCodeProcess: [callback as never, { ignores: /starts no process/ }],
  startupTimeoutMs: [5_000, { shownBy: 'test/client/end-of-input.test.ts' }],
  stderr: [() => {}, { shownBy: 'test/client/mcp-secrets.test.ts' }],
  strictMcpConfig: [true, { plan: { strictMcpConfig: true } }],
  strictOptions: [true, { shownBy: 'test/options/normalise.test.ts' }],
  supportedDialogKinds: [['x'], { ignores: /opens no dialogs/ }],
  systemPrompt: [
    { type: 'preset', preset: 'claude_code', snapshot: true },
    { ignores: /keeps no snapshots/ },
  ],
  taskBudget: [{ total: 5 }, { refuses: /budget of tokens/ }],
  thinking: [{ type: 'disabled' }, { plan: { thinking: 'disabled' } }],
  throwOnErrorResult: [false, { shownBy: 'test/client/faults-after-result.test.ts' }],
  title: ['x', { ignores: /no titles/ }],
  toolAliases: [{ A: 'mcp__a__b' }, { ignores: /by its own name/ }],
  toolConfig: [{ askUserQuestion: { previewFormat: 'html' } }, { ignores: /AskUserQuestion/ }],
  toolMiddleware: [[], { shownBy: 'test/client/tool-middleware.test.ts' }],
  tracer: [otel(), { shownBy: 'test/otel/spans.test.ts' }],
  tools: [['A'], { plan: { tools: ['A'] } }],
  transport: [callback as never, { shownBy: 'test/client/transport.test.ts' }],
  verbatimPrompts: [true, { shownBy: 'test/client/options-table.test.ts' }],
};

/** What a query with these options starts, says and throws. */
async function start(options: Options) {
  const warnings: string[] = [];
  const inner = embedded({ model: scriptedModel(['Hello.']) });
  let begun: AgentStart | undefined;
  let initialize: Record<string, unknown> | undefined;
  const runtime = {
    open: (given: AgentStart) => {
      begun = given;
      return inner.open(given);
    },
  };
  const run = query({
    prompt: 'Go.',
    options: {
      runtime,
      stderr: (text) => text.startsWith('tenon: ') && warnings.push(text),
      onFrame: (frame) => {
        const { request } = frame as { request?: { subtype?: string } };
        if (request?.subtype === 'initialize') initialize = request as Record<string, unknown>;
      },
      ...options,
    },
  });
  await run.close();
  if (begun === undefined) throw new Error('nothing was started');
  return { start: begun, initialize, warnings };
}

const named = Object.entries(ROWS) as [keyof Options, [unknown, Expected, Options?]][];

describe('the embedded runtime and the option', () => {
  it.each(named)('%s', async (name, [value, expected, others]) => {
    const options = { ...others, [name]: value } as Options;
    if ('shownBy' in expected) {
      const file = new URL(`../../${expected.shownBy}`, import.meta.url);
      expect(existsSync(file), expected.shownBy).toBe(true);
      expect(readFileSync(file, 'utf8').includes(name), expected.shownBy).toBe(true);
      expect(OPTION_TABLE[name].embedded).toBe('acts');
    } else if ('refuses' in expected) {
      await expect(start(options)).rejects.toThrow(OptionError);
      await expect(start(options)).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
        option: name,
        message: expect.stringMatching(expected.refuses),
      });
    } else if ('ignores' in expected) {
      const { warnings } = await start(options);
      expect(warnings).toEqual([expect.stringMatching(expected.ignores)]);
      expect(warnings[0]).toContain(`\`${name}\``);
      await expect(start({ ...options, strictOptions: true })).rejects.toMatchObject({
        code: 'NOT_SUPPORTED',
        option: name,
      });
    } else {
      const begun = await start(options);
      expect(begun.warnings).toEqual([]);
      if ('plan' in expected) expect(begun.start.plan).toMatchObject(expected.plan);
      else if ('env' in expected) expect(begun.start.env).toMatchObject(expected.env);
      else expect(begun.initialize).toMatchObject(expected.initialize);
    }
  });
});

describe('what is refused or ignored depends on the value:', () => {
  it.each<[string, Options, RegExp | undefined]>([
    [
      'agents with limits',
      { agents: { a: { description: '', prompt: '', tools: [], maxTurns: 1 } } },
      undefined,
    ],
    [
      'agents with servers of their own',
      { agents: { a: { description: '', prompt: '', mcpServers: [{ s: { command: 'x' } }] } } },
      /the agent "a" defines servers/,
    ],
    [
      'agents in a mode that there is not',
      { agents: { a: { description: '', prompt: '', permissionMode: 'auto' } } },
      /the permissionMode "auto"/,
    ],
    ['no agents', { agents: {} }, undefined],
    ['hooks that could say no', { hooks: { PermissionRequest: [{ hooks: [callback] }] } }, /canUseTool/],
    ['hooks that are called', { hooks: { PreToolUse: [{ hooks: [callback] }] } }, undefined],
    ['a sandbox that is off', { sandbox: { enabled: false } }, undefined],
    ['a plain prompt', { systemPrompt: 'x' }, undefined],
    [
      'a switch that is off',
      { debug: false, agentProgressSummaries: false, enableFileCheckpointing: false },
      undefined,
    ],
    ['no plugins', { plugins: [] }, undefined],
  ])('%s', async (_, options, refusal) => {
    if (refusal !== undefined) await expect(start(options)).rejects.toThrow(refusal);
    else expect((await start(options)).warnings).toEqual([]);
  });

  it('a preset adds what it is told to add to the prompt of the runtime', async () => {
    const model = scriptedModel(['Hello.']);
    const systemPrompt = { type: 'preset' as const, preset: 'claude_code' as const, append: 'Be brief.' };
    const options = { runtime: embedded({ model }), systemPrompt, stderr: () => {} };
    await query({ prompt: 'Go.', options }).done;
    expect(JSON.stringify(model.requests[0]?.system)).toContain('Be brief.');
  });

  it('rules for tools that this agent does not have are named with the first turn', async () => {
    const heard: string[] = [];
    const options: Options = {
      runtime: embedded({ model: scriptedModel(['Hello.', 'Again.']) }),
      allowedTools: ['Read', 'Bash(ls *)', 'mcp__later__*', 'ToolSearch'],
      tools: ['Glob'],
      disallowedTools: ['Write'],
      stderr: (text) => heard.push(text),
    };
    const session = createSession(options);
    await session.ask('Go.');
    await session.ask('Go on.');
    await session.close();
    expect(heard).toEqual([
      'warning: `allowedTools` has "Read", but this agent has no such tool: it allows nothing.\n',
      'warning: `allowedTools` has "Bash(ls *)", but this agent has no such tool: it allows nothing.\n',
      'warning: `tools` has "Glob", but this agent has no such tool.\n',
    ]);
  });

  it('flags in `extraArgs` are held against the table too', async () => {
    const budget = { extraArgs: { 'task-budget': '100' } };
    await expect(start(budget)).rejects.toMatchObject({ option: 'taskBudget' });
    const { warnings } = await start({ extraArgs: { 'debug-file': '/tmp/x' } });
    expect(warnings).toEqual([expect.stringContaining('`debugFile`')]);
  });
});
