/**
 * Every option, compared with what the official SDK was seen to make of it (test/fixtures/option-table.json: argv, added
 * environment, `initialize` and user message, recorded from outside). Purposeful differences are listed here, each with
 * its reason.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Options } from '../../src/index.js';
import { OPTION_TABLE } from '../../src/options/option-table.js';
import { BASE_ARGUMENTS, type CapturedLaunch, captureLaunch, flagsOf } from '../support/captured-launch.js';

interface Row {
  option: string;
  value: Record<string, unknown>;
  argv: string[];
  env: Record<string, string>;
  init: Record<string, unknown>;
  cwd?: string;
  user?: unknown;
}

const rows: Row[] = JSON.parse(
  readFileSync(new URL('../fixtures/option-table.json', import.meta.url), 'utf8'),
);

/** Functions cannot be recorded: these rows are about an option that is one. */
const CALLBACKS: Record<string, Options> = {
  canUseTool: { canUseTool: async () => ({ behavior: 'allow' }) },
  onElicitation: { onElicitation: async () => ({ action: 'decline' }) },
  onUserDialog: { onUserDialog: async () => ({ behavior: 'cancelled' }) },
  stderr: { stderr: () => {} },
};

const DIFFERENCES: Record<string, Partial<Row> & { reason: string; hasPrompt?: false }> = {
  agent: {
    hasPrompt: false,
    reason: 'an empty prompt in `initialize` would replace the prompt of an agent that a file defines',
  },
  outputFormat: {
    argv: [],
    reason: 'a schema can be long, and a `$schema` key in the flag ends the CLI; `initialize` has it',
  },
  mcpStdio: {
    argv: [
      '--mcp-config',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the CLI expands it.
      '{"mcpServers":{"a":{"command":"node","args":["${TENON_MCP_VALUE_0}"],"env":{"TENON_MCP_VALUE_0":""}}}}',
    ],
    env: { TENON_MCP_VALUE_0: 'x.js' },
    reason:
      'arguments can be secrets: with a custom spawn they go by the environment, else by a private file',
  },
  mcpHttp: {
    argv: [
      '--mcp-config',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the CLI expands it.
      '{"mcpServers":{"h":{"type":"http","url":"${TENON_MCP_VALUE_0}","headers":{"A":"${TENON_MCP_VALUE_1}"}}}}',
    ],
    env: { TENON_MCP_VALUE_0: 'http://127.0.0.1:9/mcp', TENON_MCP_VALUE_1: 'b' },
    reason:
      'URLs and headers can be secrets: with a custom spawn they go by the environment, else by a private file',
  },
  executableNode: {
    argv: [],
    reason: 'the recording shows a rest of the base; see the test of the interpreter in find-claude-code',
  },
};

const functionsForNull = (value: unknown): unknown => {
  if (value === null) return () => ({});
  if (Array.isArray(value)) return value.map(functionsForNull);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, functionsForNull(item)]));
};

function optionsOf({ option, value }: Row): Options {
  const { hooks, ...rest } = value;
  return { ...rest, ...(hooks ? { hooks: functionsForNull(hooks) } : {}), ...CALLBACKS[option] } as Options;
}

function expectedOf(row: Row): Row {
  const { hasPrompt = row.value.systemPrompt === undefined, ...difference } = DIFFERENCES[row.option] ?? {};
  const expected: Row = { ...row, ...difference };
  // The recording shows what a row adds to the launch without options, whose prompt is an empty one.
  const init = hasPrompt ? { systemPrompt: [''], ...expected.init } : expected.init;
  return { ...expected, init };
}

/** The flags, those with JSON in them as what it says: the order of its keys means nothing. */
function parsed(args: readonly string[]): unknown[][] {
  return flagsOf(args).map((flag) => flag.map((part) => (part.startsWith('{') ? JSON.parse(part) : part)));
}

/** What the child has in its environment beyond the host's. */
function addedEnvironment({ spawn }: CapturedLaunch): Record<string, string | undefined> {
  const added = Object.entries(spawn.env).filter(([name, value]) => process.env[name] !== value);
  return Object.fromEntries(added);
}

/** Set for every child. `CLAUDE_AGENT_SDK_VERSION` of the official SDK is not: it would be a false statement. */
const ALWAYS = { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_CODE_SDK_READS_SESSION_STATE: '1' };

const PLAIN_MESSAGE = {
  type: 'user',
  session_id: '',
  message: { role: 'user', content: [{ type: 'text', text: 'hi' }] },
  parent_tool_use_id: null,
};

describe('an option goes where the official SDK puts it', () => {
  it.each(rows.map((row) => [row.option, row] as const))('%s', async (_, row) => {
    const launch = await captureLaunch(optionsOf(row));
    const expected = expectedOf(row);
    const start = launch.spawn.args.indexOf(BASE_ARGUMENTS[0]);
    const args = launch.spawn.args.slice(start);
    expect(args.slice(0, BASE_ARGUMENTS.length)).toEqual(BASE_ARGUMENTS);
    expect(parsed(args.slice(BASE_ARGUMENTS.length))).toEqual(parsed(expected.argv));
    expect(launch.initialize).toEqual(expected.init);
    expect(addedEnvironment(launch)).toEqual({ ...ALWAYS, ...expected.env });
    expect(launch.spawn.cwd).toBe(row.cwd);
    expect(launch.user).toEqual(row.user ?? PLAIN_MESSAGE);
  });

  it('needs no difference that is not one', () => {
    for (const [option, { reason: _, ...difference }] of Object.entries(DIFFERENCES)) {
      const row = rows.find((each) => each.option === option);
      expect(row, option).toBeDefined();
      expect({ ...row, ...difference }, option).not.toEqual(row);
    }
  });
});

/** The keys of the two types that make up `Options`, as their source lists them. */
function keysOf(type: 'OfficialOptions' | 'TenonOptions'): string[] {
  const source = readFileSync(new URL('../../src/options/options.ts', import.meta.url), 'utf8');
  const [, body = ''] = new RegExp(`^type ${type} = \\{\\n(.*?)^\\};`, 'ms').exec(source) ?? [];
  return [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(([, key = '']) => key);
}

describe('the table of options', () => {
  it('has a row for every key of Options, and no other', () => {
    expectTypeOf<keyof typeof OPTION_TABLE>().toEqualTypeOf<keyof Options>();
    const keys = [...keysOf('OfficialOptions'), ...keysOf('TenonOptions')];
    expect(keys).toEqual(expect.arrayContaining(['verbatimPrompts', 'maxLineBytes']));
    expect(Object.keys(OPTION_TABLE).sort()).toEqual(keys.sort());
  });

  it('is compared above for every option of the official SDK', () => {
    const compared = new Set(rows.flatMap((row) => Object.keys(optionsOf(row))));
    const missing = keysOf('OfficialOptions').filter((key) => !compared.has(key));
    // Nothing on the wire, or functions; each has tests of its own.
    expect(missing).toEqual([
      'abortController',
      'loadTimeoutMs',
      'sessionStore',
      'sessionStoreFlush',
      'spawnClaudeCodeProcess',
    ]);
  });
});

describe('what is off, empty or null', () => {
  it('puts nothing on the command line', async () => {
    const none = await captureLaunch({});
    const off = await captureLaunch({
      allowedTools: [],
      betas: [],
      continue: false,
      debug: false,
      disallowedTools: [],
      enableFileCheckpointing: false,
      forkSession: false,
      includePartialMessages: false,
      mcpServers: {},
      permissionPrompts: 'host',
      persistSession: true,
      strictMcpConfig: false,
      // Programs pass `null` for "not set", against the types, and the official SDK lets them.
      ...({ model: null, resume: null, maxTurns: null, cwd: undefined } as unknown as Options),
    });
    expect(off.spawn.args).toEqual(none.spawn.args);
    expect(off.initialize).toEqual(none.initialize);
  });
});

describe('a limit of zero', () => {
  it('means no limit, as programs write it for the official SDK', async () => {
    const none = await captureLaunch({});
    const zero = await captureLaunch({ maxTurns: 0, maxBudgetUsd: 0 });
    expect(zero.spawn.args).toEqual(none.spawn.args);
  });
});

describe('options that meet on one flag', () => {
  it('allowedTools and skills make one --allowedTools', async () => {
    const { spawn } = await captureLaunch({ allowedTools: ['Read'], skills: ['a'] });
    expect(spawn.args.filter((arg) => arg.startsWith('--allowedTools'))).toEqual([
      '--allowedTools=Read,Skill(a)',
    ]);
  });

  it('thinking wins over maxThinkingTokens, in whatever order they are given', async () => {
    for (const options of [
      { thinking: { type: 'disabled' }, maxThinkingTokens: 5 },
      { maxThinkingTokens: 5, thinking: { type: 'disabled' } },
    ] satisfies Options[]) {
      const { spawn } = await captureLaunch(options);
      expect(flagsOf(spawn.args.slice(BASE_ARGUMENTS.length))).toEqual([['--thinking=disabled']]);
    }
  });

  it('extraArgs come as two elements, or as one where the value looks like a flag', async () => {
    const { spawn } = await captureLaunch({ extraArgs: { one: 'x', two: '--y', three: null } });
    expect(spawn.args.slice(BASE_ARGUMENTS.length)).toEqual(['--one', 'x', '--two=--y', '--three']);
  });
});
