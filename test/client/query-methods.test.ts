/** Every method of the official `Query` (issue 6), on the real CLI and on the runtime. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createSdkMcpServer,
  createSession,
  type Options,
  type Query,
  type SDKUserMessage,
  type Session,
  tool,
} from '../../src/index.js';
import { embedded } from '../../src/runtime/index.js';
import { scriptedModel, text, toolUse } from '../../src/testing/index.js';
import { collect, waitUntil } from '../support/real-cli.js';
import { type ScriptedCli, scriptedCli } from '../support/scripted-cli.js';

const entry = createRequire(new URL('../reference/package.json', import.meta.url)).resolve(
  '@anthropic-ai/claude-agent-sdk',
);
const typings = await readFile(entry.replace(/\.mjs$/, '.d.ts'), 'utf8');
const body = /export declare interface Query extends[^{]*\{(.*?)^\}/ms.exec(typings)?.[1] ?? '';
const OFFICIAL = [...body.matchAll(/^ {4}(\w+)\(/gm)].map(([, name = '']) => name);

let claude: ScriptedCli;
let cli: Session;
let runtime: Session;
let running: () => void = () => {};
/** The next answer of either model is a call of the tool. */
let callNext = false;

function takeCall(): boolean {
  const call = callNext;
  callNext = false;
  return call;
}

const wait = tool('wait', 'Waits', {}, (_, { signal }) => {
  running();
  return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
});
const server = () => createSdkMcpServer({ name: 'here', tools: [wait] });
/** A server of its own process, which both back ends start themselves. */
const outside = () => ({
  command: process.execPath,
  args: [new URL('../fixtures/mcp/by-hand.mjs', import.meta.url).pathname],
});

beforeAll(async () => {
  claude = await scriptedCli(() => (takeCall() ? toolUse('mcp__here__wait') : text('Hello.')));
  const { cwd } = claude.box;
  await writeFile(join(cwd, 'note.txt'), 'A note.');
  await mkdir(join(cwd, '.claude'));
  const common: Options = { cwd, allowedTools: ['mcp__here'] };
  cli = createSession(
    claude.options({ ...common, mcpServers: { here: server() }, enableFileCheckpointing: true }),
  );
  const model = scriptedModel(() => (takeCall() ? { toolUses: [{ name: 'mcp__here__wait' }] } : 'Hello.'));
  runtime = createSession({ ...common, runtime: embedded({ model }), mcpServers: { here: server() } });
  await Promise.all([cli.ask('Hi'), runtime.ask('Hi')]);
});
afterAll(async () => {
  await Promise.all([cli.close(), runtime.close()]);
  await claude[Symbol.asyncDispose]();
});

type Check = (query: Query, session: Session) => Promise<void>;
interface Row {
  cli: Check;
  /** The same as on the CLI, another check, or what its error says. */
  runtime: 'same' | Check | RegExp;
}

const PROMPT: SDKUserMessage = {
  type: 'user',
  message: { role: 'user', content: 'More' },
  parent_tool_use_id: null,
};

const ROWS: Record<string, Row> = {
  initializationResult: {
    cli: async (query) => {
      expect(await query.initializationResult()).toMatchObject({
        models: expect.any(Array),
        output_style: 'default',
      });
    },
    runtime: 'same',
  },
  reinitialize: {
    cli: async (query) => {
      expect(await query.reinitialize()).toMatchObject({ session_state: 'idle' });
    },
    runtime: 'same',
  },
  supportedCommands: {
    cli: async (query) => {
      expect((await query.supportedCommands()).map(({ name }) => name)).toContain('compact');
    },
    runtime: 'same',
  },
  supportedModels: {
    cli: async (query) => expect((await query.supportedModels()).length).toBeGreaterThan(0),
    runtime: 'same',
  },
  supportedAgents: {
    cli: async (query) => {
      expect((await query.supportedAgents()).map(({ name }) => name)).toContain('general-purpose');
    },
    runtime: async (query) => expect(await query.supportedAgents()).toEqual([]),
  },
  accountInfo: {
    cli: async (query) =>
      expect(await query.accountInfo()).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' }),
    runtime: async (query) => expect(await query.accountInfo()).toEqual({}),
  },
  setPermissionMode: {
    cli: async (query) => {
      await query.setPermissionMode('plan');
      expect((await query.reinitialize()).current_permission_mode).toBe('plan');
      await query.setPermissionMode('default');
      await expect(query.setPermissionMode('nonsense' as never)).rejects.toMatchObject({
        code: 'CONTROL_ERROR',
      });
    },
    runtime: 'same',
  },
  setMcpPermissionModeOverride: {
    cli: async (query) => {
      expect(await query.setMcpPermissionModeOverride('here', 'default')).toEqual({});
      expect((await query.setMcpPermissionModeOverride('nobody', 'auto')).warning).toContain('nobody');
      await query.setMcpPermissionModeOverride('here', null);
    },
    runtime: /the runtime has one mode for all of them/,
  },
  setModel: {
    cli: async (query, session) => {
      await query.setModel('claude-sonnet-5-5');
      await session.ask('Which model?');
      await query.setModel(undefined);
    },
    runtime: 'same',
  },
  setMaxThinkingTokens: {
    cli: async (query) => {
      await query.setMaxThinkingTokens(2_000);
      await query.setMaxThinkingTokens(null);
    },
    runtime: 'same',
  },
  applyFlagSettings: {
    cli: async (query) => {
      await query.applyFlagSettings({ permissions: { deny: ['WebFetch'] } });
      const { state } = await query.controlRequest('list_permission_rules', {});
      expect(JSON.stringify(state)).toContain('WebFetch');
    },
    runtime: /Settings cannot be changed while a conversation runs/,
  },
  updateSettings: {
    cli: async (query) => {
      await query.updateSettings('localSettings', { outputStyle: 'Proactive' });
      const written = await readFile(join(claude.box.cwd, '.claude/settings.local.json'), 'utf8');
      expect(JSON.parse(written)).toMatchObject({ outputStyle: 'Proactive' });
    },
    runtime: /Settings cannot be changed while a conversation runs/,
  },
  mcpServerStatus: {
    cli: async (query) => {
      expect(await query.mcpServerStatus()).toMatchObject([{ name: 'here', status: 'connected' }]);
    },
    runtime: 'same',
  },
  toggleMcpServer: {
    cli: async (query) => {
      await query.toggleMcpServer('here', false);
      expect(await query.mcpServerStatus()).toMatchObject([{ name: 'here', status: 'disabled' }]);
      await query.toggleMcpServer('here', true);
      const connected = async () => (await query.mcpServerStatus())[0]?.status === 'connected';
      await waitUntil(connected, { what: 'the server to be connected again' });
    },
    runtime: 'same',
  },
  setMcpServers: {
    cli: async (query) => {
      const result = await query.setMcpServers({ here: server(), outside: outside() });
      expect(result.added).toContain('outside');
      const connected = async () =>
        (await query.mcpServerStatus()).every(({ status }) => status === 'connected');
      await waitUntil(connected, { what: 'both servers to be connected' });
    },
    runtime: 'same',
  },
  reconnectMcpServer: {
    cli: async (query) => {
      await query.reconnectMcpServer('outside');
      await expect(query.reconnectMcpServer('nobody')).rejects.toThrow(/nobody/);
    },
    runtime: 'same',
  },
  readMcpResource: {
    cli: async (query) => {
      await expect(query.readMcpResource('nobody', 'ui://x')).rejects.toThrow(/nobody/);
    },
    runtime: 'same',
  },
  getContextUsage: {
    cli: async (query) => {
      const usage = await query.getContextUsage({ detail: 'summary' });
      expect(usage).toMatchObject({ totalTokens: expect.any(Number), maxTokens: expect.any(Number) });
    },
    runtime: 'same',
  },
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET: {
    cli: async (query) => {
      const usage = await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET({
        skipBehaviors: true,
      });
      expect(usage.session.total_cost_usd).toEqual(expect.any(Number));
    },
    runtime: 'same',
  },
  readFile: {
    cli: async (query) => {
      expect(await query.readFile('note.txt')).toMatchObject({ contents: 'A note.' });
      expect(await query.readFile('missing.txt')).toBeNull();
    },
    // Its contract: null for what cannot be read, whatever the reason.
    runtime: async (query) => expect(await query.readFile('note.txt')).toBeNull(),
  },
  seedReadState: {
    cli: async (query) =>
      expect(await query.seedReadState(join(claude.box.cwd, 'note.txt'), 1)).toBeUndefined(),
    runtime: /No file can be marked as read: the runtime has no workspace/,
  },
  reloadPlugins: {
    cli: async (query) => expect(await query.reloadPlugins()).toMatchObject({ plugins: expect.any(Array) }),
    runtime: 'same',
  },
  reloadSkills: {
    cli: async (query) => expect(await query.reloadSkills()).toMatchObject({ skills: expect.any(Array) }),
    runtime: 'same',
  },
  reloadOutputStyles: {
    cli: async (query) => {
      expect((await query.reloadOutputStyles()).available_output_styles).toContain('default');
    },
    runtime: 'same',
  },
  rewindFiles: {
    cli: async (query) => {
      const nothing = query.rewindFiles('00000000-0000-4000-8000-000000000000', { dryRun: true });
      await expect(nothing).resolves.toMatchObject({ canRewind: false });
    },
    runtime: /Files cannot be rewound/,
  },
  stopTask: {
    // A task that is not there is stopped already.
    cli: async (query) => expect(await query.stopTask('no-task')).toBeUndefined(),
    runtime: 'same',
  },
  backgroundTasks: {
    cli: async (query) => expect(await query.backgroundTasks('toolu_none')).toBe(false),
    runtime: 'same',
  },
  interrupt: {
    cli: async (query, session) => {
      const started = new Promise<void>((resolve) => {
        running = resolve;
      });
      callNext = true;
      const answer = session.ask('Wait');
      await started;
      expect(await query.interrupt()).toMatchObject({ still_queued: [] });
      expect(await answer).toMatchObject({ is_error: true });
      expect(await session.ask('And now?')).toMatchObject({ result: 'Hello.' });
    },
    runtime: 'same',
  },
  streamInput: {
    cli: async (query, session) => {
      const before = session.stream();
      await query.streamInput(
        (async function* () {
          yield PROMPT;
        })(),
      );
      const { messages } = await collect(before);
      expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Hello.' });
    },
    runtime: 'same',
  },
  close: {
    cli: async (query, session) => {
      await session.close();
      await expect(query.mcpServerStatus()).rejects.toMatchObject({ code: 'CLOSED' });
      expect(await query.next()).toEqual({ done: true, value: undefined });
    },
    runtime: 'same',
  },
};

it('every method of the official interface is tried here', () => {
  expect(OFFICIAL.length).toBeGreaterThan(25);
  expect(Object.keys(ROWS).sort()).toEqual([...OFFICIAL].sort());
});

// In the order of the table: one conversation each, closed by the last row.
describe.each(['the CLI', 'the runtime'] as const)('on %s', (backEnd) => {
  it.each(Object.entries(ROWS))('%s', async (name, row) => {
    const session = backEnd === 'the CLI' ? cli : runtime;
    if (backEnd === 'the CLI') return row.cli(session.query, session);
    if (row.runtime === 'same') return row.cli(session.query, session);
    if (typeof row.runtime === 'function') return row.runtime(session.query, session);
    const call = session.query[name as keyof Query] as (...args: unknown[]) => Promise<unknown>;
    await expect(call.call(session.query, 'x', {})).rejects.toMatchObject({
      code: 'CONTROL_ERROR',
      message: expect.stringMatching(row.runtime),
    });
  });
});
