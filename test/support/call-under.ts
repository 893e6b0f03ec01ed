/** One call of a tool under options and files that restrict, on either agent. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CanUseTool,
  createSdkMcpServer,
  type Options,
  type SDKMessage,
  type Settings,
  tool,
} from '../../src/index.js';
import type { Script } from '../../src/testing/index.js';
import { ask, type BackEnd, resultsOf, serversOf } from './back-ends.js';

export type Files = Partial<Record<'user' | 'project' | 'local' | 'mcp' | 'trust', unknown>>;

export const fixture = fileURLToPath(new URL('../fixtures/environment-server.mjs', import.meta.url));
export const outside = { command: process.execPath, args: [fixture] };
export const ALLOWED: Options = { allowedTools: ['mcp__calc'] };
export const DENY: Settings = { permissions: { deny: ['mcp__calc__add'] } };

export interface Case {
  files?: Files;
  options?: Options;
  calls?: string;
  /** What the model does instead of one call. */
  script?: Script;
  /** Options that name the working directory. */
  optionsIn?(cwd: string): Options;
  /** More files, by their paths in the working directory. */
  work?: Record<string, unknown>;
  prompt?: string;
}

/** One call of a tool under these options and files: whether its handler ran, who was asked, and what the host read. */
export async function callUnder(
  backEnd: BackEnd,
  { files: given = {}, options = {}, calls = 'mcp__calc__add', script, optionsIn, work = {}, prompt }: Case,
) {
  const files = { ...given };
  const ran: unknown[] = [];
  const asked: string[] = [];
  const add = tool('add', 'Adds', { type: 'object', properties: {}, additionalProperties: true }, (input) => {
    ran.push(input);
    return '42';
  });
  const calc = createSdkMcpServer({ name: 'calc', tools: [add] });
  await using agent = await backEnd.start(script ?? [{ tool: calls, input: { a: 1 } }, 'Done.']);
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
  for (const [path, content] of Object.entries(work)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const { mcpServers = {}, canUseTool, env, ...rest } = { ...options, ...optionsIn?.(cwd) };
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
    prompt,
  );
  const messages = outcome.messages;
  return {
    ...outcome,
    ran,
    asked,
    results: resultsOf(messages),
    servers: serversOf(messages),
    mode: modeOf(messages),
    requests: agent.player.requests.length,
  };
}

function modeOf(messages: readonly SDKMessage[]): string | undefined {
  const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  return (init as { permissionMode?: string } | undefined)?.permissionMode;
}

export const hook = (command: string, matcher?: string, more: object = {}): Settings => ({
  hooks: {
    PreToolUse: [
      { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, ...more }] },
    ],
  },
});
export const BLOCK = 'echo "not today" >&2; exit 2';
export const JSON_DENY = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not today"}}'`;
export const BYPASS: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

export async function allowing(): ReturnType<CanUseTool> {
  return { behavior: 'allow' };
}
