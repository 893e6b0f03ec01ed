/**
 * What only a running agent can show: whether it responds, and the state of its MCP servers. No model is
 * called.
 */
import { once } from 'node:events';
import {
  type McpServerStatus,
  type Options,
  query,
  type ResolvedMcpConfig,
  resolveMcpConfig,
  type SDKUserMessage,
  TenonError,
} from '../../index.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { placeText, shortPath } from '../mcp/server-text.js';
import { timeText } from '../run/tool-text.js';
import { oneLine } from '../terminal/harmless.js';
import type { Finding } from './finding.js';

export interface AgentCheck {
  name: string;
  options: Pick<Options, 'runtime' | 'pathToClaudeCodeExecutable'>;
  /** How long servers may take to connect. */
  serverTimeoutMs: number;
}

export async function checkAgent({ name, options, serverTimeoutMs }: AgentCheck): Promise<Finding[]> {
  const config = resolveMcpConfig();
  const checkEnded = new AbortController();
  const agent = query({
    // Nothing is ever sent: the input stays open until the check ends.
    prompt: silence(checkEnded.signal),
    options: {
      ...options,
      startupTimeoutMs: LIMITS.doctorHandshakeMs,
      controlTimeoutMs: LIMITS.doctorHandshakeMs,
      stderr: () => {},
    },
  });
  // The messages must be consumed; the requests below report how it ends.
  const reading = (async () => {
    for await (const _ of agent);
  })().catch(() => {});
  const started = performance.now();
  try {
    await agent.initializationResult();
    const handshake = handshakeFinding(name, performance.now() - started);
    await agent.mcpReady({ timeout: serverTimeoutMs });
    const rows = await agent.mcpServerStatus();
    return [handshake, ...rows.map((row) => serverFinding(row, config, serverTimeoutMs))];
  } catch (error) {
    return [failedHandshake(name, error)];
  } finally {
    checkEnded.abort();
    await agent.close().catch(() => {});
    await reading;
  }
}

// biome-ignore lint/correctness/useYield: it deliberately yields nothing.
async function* silence(signal: AbortSignal): AsyncGenerator<SDKUserMessage, void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** A healthy agent needs about one second. */
const SLOW_MS = 10_000;

function handshakeFinding(name: string, milliseconds: number): Finding {
  const message = `${name} answers (${timeText(milliseconds)})`;
  const details = { milliseconds: Math.round(milliseconds) };
  if (milliseconds < SLOW_MS) return { check: 'handshake', state: 'ok', message, details };
  const remedy =
    'That is slow. Without a network the CLI waits at every start: check the connection and the proxy.';
  return { check: 'handshake', state: 'warning', message, remedy, details };
}

function failedHandshake(name: string, error: unknown): Finding {
  return {
    check: 'handshake',
    state: 'error',
    message: `${name} does not answer: ${messageOf(error)}`,
    remedy: 'Start it by hand to see its output: claude -p "Hello"',
    details: { code: TenonError.is(error) ? error.code : 'UNKNOWN' },
  };
}

function serverFinding(row: McpServerStatus, config: ResolvedMcpConfig, timeoutMs: number): Finding {
  const { name, status, error, source, tools } = row;
  const known = Object.hasOwn(config.servers, name) ? config.servers[name] : undefined;
  const place = known === undefined ? (source ?? 'the agent') : placeText(known.origin);
  const label = `MCP server "${oneLine(name)}" (${oneLine(place)})`;
  const details = { name, status, source: known?.origin ?? source ?? null, error: error ?? null };
  const finding = (state: Finding['state'], message: string, remedy?: string): Finding => ({
    check: 'mcp',
    state,
    message: `${label} ${message}`,
    ...(remedy === undefined ? {} : { remedy }),
    details,
  });
  switch (status) {
    case 'connected':
      return finding('ok', tools === undefined ? 'is connected' : `is connected: ${count(tools.length)}`);
    case 'disabled':
      return finding(
        'warning',
        'is disabled',
        'Enable it in Claude Code with /mcp, or remove it from the file.',
      );
    case 'needs-auth':
      return finding(
        'error',
        `needs a login${reason(error)}`,
        'Log in with /mcp in Claude Code, or set a token in its `headers`.',
      );
    case 'pending':
      return finding(
        'error',
        `was still connecting after ${timeText(timeoutMs)}`,
        'Give it more time with --timeout, or start it by hand to see what it is waiting for.',
      );
    default:
      return finding(
        'error',
        `failed${reason(known?.error?.message ?? error)}`,
        remedyOf(row, known?.error?.file),
      );
  }
}

function remedyOf(
  { config, error = '', lastStderr }: McpServerStatus,
  brokenFile: string | undefined,
): string {
  const server = (config ?? {}) as { command?: string; args?: readonly string[]; url?: string };
  const lastLine = lastStderr?.trim().split('\n').at(-1);
  const lastOutput = lastLine ? `its last output: ${oneLine(lastLine)}\n` : '';
  if (brokenFile !== undefined) return `Correct ${shortPath(brokenFile)}`;
  if (server.url !== undefined) return `Check whether it answers: curl -i ${oneLine(server.url)}`;
  if (server.command === undefined) return `${lastOutput}See: tenon mcp list`;
  if (/ENOENT|not found/i.test(error)) return `Install it, or give its full path: ${oneLine(server.command)}`;
  return `${lastOutput}Start it by hand: ${oneLine([server.command, ...(server.args ?? [])].join(' '))}`;
}

function reason(error: string | undefined): string {
  return error === undefined ? '' : `: ${oneLine(error)}`;
}

function count(tools: number): string {
  return tools === 1 ? '1 tool' : `${tools} tools`;
}
