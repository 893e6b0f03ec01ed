import { expect } from 'vitest';
import type { PermissionMode } from '../../../src/index.js';
import { text, toolUse } from '../../../src/testing/index.js';
import { waitUntil } from '../../support/real-cli.js';
import { calc, results, textResult } from '../support/calc.js';
import { outcomeOf } from '../support/run-scenario.js';
import type { Outcome, Scenario } from '../support/scenario.js';
import { nthResult, whileIdle } from '../support/while-idle.js';

type Steps = Record<string, { value?: unknown; threw?: { message: string } }>;
const steps = (outcome: Outcome) => outcome.driven as Steps;

export const control: readonly Scenario[] = [
  {
    name: 'what the agent says about itself',
    claudeCodeOnly: 'What it tells is about Claude Code itself.',
    cites: 's08-control-requests, protocol 3.1',
    script: [text('Hello.')],
    ...whileIdle({
      commands: (query) => query.supportedCommands(),
      models: (query) => query.supportedModels(),
      agents: (query) => query.supportedAgents(),
      account: (query) => query.accountInfo(),
      initialization: (query) => query.initializationResult(),
      usage: (query) => query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(),
    }),
    check: (outcome) => {
      expect(steps(outcome).account?.value).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY' });
      expect(steps(outcome).models?.value).toContainEqual(expect.objectContaining({ value: 'default' }));
    },
  },
  {
    name: 'how full the context is',
    claudeCodeOnly: 'What it tells is about Claude Code itself.',
    cites: 's08-control-requests',
    script: [text('Hello.')],
    ...whileIdle({
      whole: (query) => query.getContextUsage(),
      summary: (query) => query.getContextUsage({ detail: 'summary' }),
    }),
    check: (outcome) => {
      expect(steps(outcome).whole?.value).toMatchObject({ totalTokens: expect.any(Number) });
    },
  },
  {
    name: 'how full the context is, as far as the API has counted',
    cites: 's08-control-requests, R44',
    script: [text('Hello.', { usage: { input_tokens: 500_000 } })],
    ...whileIdle({
      counted: async (query) => {
        const usage = await query.getContextUsage();
        const { maxTokens, rawMaxTokens, percentage, model, isAutoCompactEnabled, apiUsage } = usage;
        return { maxTokens, rawMaxTokens, percentage, model, isAutoCompactEnabled, apiUsage };
      },
    }),
    check: (outcome) => {
      expect(steps(outcome).counted?.value).toMatchObject({ maxTokens: 1_000_000, percentage: 50 });
    },
  },
  {
    name: 'another model for the next turn',
    cites: 's08b-set-model',
    script: [text('Hello.'), text('Hello again.')],
    ...whileIdle({ set: (query) => query.setModel('sonnet') }, 'and now'),
    check: (outcome) => {
      expect(outcome.requests.map(({ body }) => body.model?.includes('sonnet'))).toEqual([false, true]);
    },
  },
  {
    name: 'another permission mode',
    cites: 's08-control-requests',
    script: [text('Hello.')],
    ...whileIdle({
      acceptEdits: (query) => query.setPermissionMode('acceptEdits'),
      bypass: (query) => query.setPermissionMode('bypassPermissions'),
      nonsense: (query) => query.setPermissionMode('nonsense' as PermissionMode),
    }),
    check: (outcome) => {
      expect(steps(outcome).acceptEdits).toEqual({ value: null });
      expect(steps(outcome).nonsense?.threw?.message).toBeTruthy();
    },
  },
  {
    name: 'settings that change while the agent runs',
    claudeCodeOnly: 'The settings are those of Claude Code.',
    cites: 's08-control-requests',
    script: [text('Hello.')],
    ...whileIdle({
      thinking: (query) => query.setMaxThinkingTokens(2000),
      noThinking: (query) => query.setMaxThinkingTokens(null),
      flags: (query) => query.applyFlagSettings({ model: 'sonnet' }),
      local: (query) => query.updateSettings('localSettings', { includeCoAuthoredBy: false }),
    }),
    check: (outcome) => expect(steps(outcome).thinking).toEqual({ value: null }),
  },
  {
    name: 'the state of an in-process server, switched off and on',
    cites: 's08c-sdk-server-reconnect-toggle-remove, R30',
    script: [text('Hello.'), toolUse('mcp__calc__add', { a: 1, b: 2 }), text('Three.')],
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc'] }),
    ...whileIdle(
      {
        before: (query) => query.mcpServerStatus(),
        off: (query) => query.toggleMcpServer('calc', false),
        whileOff: (query) => query.mcpServerStatus(),
        on: (query) => query.toggleMcpServer('calc', true),
        unknown: (query) => query.reconnectMcpServer('nobody'),
      },
      'and now',
    ),
    // The handshake after switching on runs beside the answers.
    unordered: ['stdin'],
    check: (outcome) => {
      expect(steps(outcome).before?.value).toMatchObject([{ name: 'calc', status: 'connected' }]);
      expect(steps(outcome).whileOff?.value).toMatchObject([{ name: 'calc', status: 'disabled' }]);
      expect(steps(outcome).unknown?.threw?.message).toContain('Server not found: nobody');
      expect(outcome.calls).toContainEqual({ name: 'add', input: { a: 1, b: 2 } });
    },
  },
  {
    name: 'another set of servers for the next turn',
    cites: 's08d-sdk-setMcpServers, R30, pain 32',
    script: [text('Hello.'), toolUse('mcp__two__mul', {}), text('Six.')],
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc', 'mcp__two'] }),
    ...whileIdle(
      {
        set: (query, { sdk: { tool, createSdkMcpServer } }) =>
          query.setMcpServers({
            two: createSdkMcpServer({
              name: 'two',
              version: '1.0.0',
              tools: [tool('mul', 'Multiplies', {}, async () => textResult('6'))],
            }),
            bad: { type: 'stdio', command: '/no/such/program', args: [] },
          }),
      },
      'and now',
    ),
    unordered: ['stdin'],
    check: (outcome) => {
      expect(steps(outcome).set?.value).toMatchObject({ added: expect.arrayContaining(['two', 'bad']) });
      expect(outcome.requests.at(-1)?.toolResults).toMatchObject([{ content: [{ text: '6' }] }]);
    },
  },
  {
    name: 'no servers any more',
    cites: 's08d-sdk-setMcpServers, R30, pain 32',
    script: [text('Hello.'), text('Still here.')],
    servers: calc,
    options: () => ({ allowedTools: ['mcp__calc'] }),
    ...whileIdle(
      {
        set: (query) => query.setMcpServers({}),
        after: (query) => query.mcpServerStatus(),
      },
      'and now',
    ),
    unordered: ['stdin'],
    check: (outcome) => {
      expect(steps(outcome).after?.value).toEqual([]);
    },
  },
  {
    name: 'tasks, skills and plugins',
    claudeCodeOnly: 'The runtime has none of them.',
    cites: 's08-control-requests',
    script: [text('Hello.')],
    ...whileIdle({
      stop: (query) => query.stopTask('nothing'),
      background: (query) => query.backgroundTasks(),
      skills: (query) => query.reloadSkills(),
      styles: (query) => query.reloadOutputStyles(),
      plugins: (query) => query.reloadPlugins(),
      override: (query) => query.setMcpPermissionModeOverride('calc', 'auto'),
      resource: (query) => query.readMcpResource('nobody', 'ui://x'),
    }),
    check: (outcome) => expect(steps(outcome).resource?.threw?.message).toBeTruthy(),
  },
  {
    name: 'initialize a second time',
    cites: 's08e-reinitialize-idle',
    script: [text('Hello.')],
    servers: calc,
    ...whileIdle({
      again: async (query) => {
        const { commands, models } = await query.reinitialize();
        return { commands: commands.length > 0, models: models.length > 0 };
      },
    }),
    check: (outcome) => expect(steps(outcome).again?.value).toEqual({ commands: true, models: true }),
  },
  {
    name: 'methods after the end',
    processOnly: 'It waits for the end of the process.',
    cites: 'R20',
    script: [text('Hello.')],
    drive: async (query, context) => {
      await nthResult(context, 1);
      // The loop has its last message; the end of the process follows.
      await waitUntil(() => context.child.hasExited, { what: 'the end of the process' });
      return {
        interrupt: await outcomeOf(query.interrupt()),
        setModel: await outcomeOf(query.setModel('sonnet')),
        commands: await outcomeOf(query.supportedCommands().then((commands) => commands.length > 0)),
        next: await outcomeOf(query.next()),
        close: await outcomeOf(Promise.resolve(query.close())),
      };
    },
    check: (outcome) => {
      expect(steps(outcome).interrupt?.threw).toBeDefined();
      expect(steps(outcome).commands?.value).toBe(true);
      expect(steps(outcome).next?.value).toMatchObject({ done: true });
      expect(results(outcome)).toHaveLength(1);
    },
  },
];
