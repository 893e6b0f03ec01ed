import type { MessageParam, UserContentBlock } from '../protocol/content.js';
import type { InitializeRequest } from '../protocol/control-requests.js';
import { messageOf } from '../protocol/errors.js';
import type { MessageFrame } from '../protocol/frames.js';
import { LIMITS } from '../protocol/limits.js';
import type { McpServerConfigForProcessTransport } from '../protocol/mcp.js';
import type { McpSetServersResult } from '../protocol/mcp-status.js';
import { untilAborted } from './abortable.js';
import { HookRunner } from './hook-runner.js';
import type { Host } from './host.js';
import type { Lines } from './lines.js';
import { McpHub } from './mcp/hub.js';
import { inProcessSource } from './mcp/in-process-source.js';
import { processSource } from './mcp/process-source.js';
import { Permissions } from './permissions.js';
import { modelRequest, systemPrompt } from './prompt.js';
import { resultLine } from './result-line.js';
import {
  DEFAULT_DEFER_ABOVE,
  DEFAULT_MAX_TOKENS,
  RUNTIME_VERSION,
  type RuntimeConfig,
  type RuntimeStart,
} from './runtime-config.js';
import { Transcript } from './sessions/transcript.js';
import { offeredTools } from './tools/offered-tools.js';
import { StructuredOutput } from './tools/structured-output.js';
import type { RuntimeTool } from './tools/tool-port.js';
import { ToolSearch } from './tools/tool-search.js';
import { Turn, type TurnOutcome } from './turn.js';
import { UsageLedger } from './usage.js';

/** One conversation: what was said, what waits to be said, and the turn that runs. */
export class RuntimeSession {
  readonly permissions: Permissions;
  readonly hub: McpHub;
  model: string;
  readonly #config: RuntimeConfig;
  readonly #start: RuntimeStart;
  readonly #lines: Lines;
  readonly #host: Host;
  readonly #hooks: HookRunner;
  readonly #usage: UsageLedger;
  readonly #search: ToolSearch;
  #transcript: Transcript | undefined;
  #opening: Promise<void> = Promise.resolve();
  readonly #queue: MessageFrame[] = [];
  readonly #denials: object[] = [];
  #initialize: InitializeRequest = {};
  #structured: StructuredOutput | undefined;
  #turn: AbortController | undefined;
  #working: Promise<void> = Promise.resolve();
  #isWorking = false;
  #results = 0;
  #lastWasError = false;
  #closed = false;

  constructor(config: RuntimeConfig, start: RuntimeStart, host: Host, lines: Lines) {
    this.#config = config;
    this.#start = start;
    this.#host = host;
    this.#lines = lines;
    this.model = start.flags.model ?? config.model.name;
    this.permissions = new Permissions(start.flags, host, lines);
    this.#usage = new UsageLedger(config.prices);
    this.#hooks = new HookRunner(host, lines, () => ({
      session_id: lines.sessionId,
      transcript_path: '',
      cwd: start.cwd,
      permission_mode: this.permissions.mode,
    }));
    this.hub = new McpHub(config.mcpConnectTimeoutMs ?? LIMITS.proxyConnectMs, async () => {
      throw new Error('Method not found');
    });
    this.#useSchema(start.flags.jsonSchema);
    this.#search = new ToolSearch(() => this.#tools(), config.deferAbove ?? DEFAULT_DEFER_ABOVE);
    for (const [name, server] of Object.entries(start.flags.mcpServers)) this.#addServer(name, server);
  }

  get state(): 'idle' | 'running' {
    return this.#isWorking ? 'running' : 'idle';
  }

  get exitCode(): number {
    return this.#lastWasError ? 1 : 0;
  }

  /** Before anything else: a new conversation, or an old one. Rejects when that cannot be gone on with. */
  open(): Promise<void> {
    const opening = this.#open();
    this.#opening = opening.catch(() => {});
    return opening;
  }

  async #open(): Promise<void> {
    const { flags, cwd } = this.#start;
    const { sessionStore, history = [] } = this.#config;
    this.#transcript = await Transcript.open(flags, cwd, sessionStore, history);
    this.#lines.sessionId = this.#transcript.sessionId;
    if (this.#queue.length > 0 && !this.#isWorking) this.#working = this.#work();
  }

  /** Takes what the host says of itself; a second time replaces the hooks and adds servers. */
  initialize(request: InitializeRequest): void {
    this.#initialize = { ...this.#initialize, ...request };
    this.#hooks.register(request.hooks ?? {});
    this.#useSchema(request.jsonSchema);
    for (const name of request.sdkMcpServers ?? []) {
      if (this.hub.get(name) === undefined) this.hub.add(inProcessSource(name, request, this.#host));
    }
  }

  /** Replaces the servers: those that are named stay as they are, new ones are connected, the others go. */
  async setServers(
    servers: Record<string, McpServerConfigForProcessTransport>,
  ): Promise<McpSetServersResult> {
    const removed = this.hub.names.filter((name) => !(name in servers));
    await Promise.all(removed.map((name) => this.hub.remove(name)));
    const added = Object.keys(servers).filter((name) => this.hub.get(name) === undefined);
    const errors: Record<string, string> = {};
    for (const name of added) {
      try {
        this.#addServer(name, servers[name] as McpServerConfigForProcessTransport);
      } catch (error) {
        errors[name] = messageOf(error);
      }
    }
    return { added: added.filter((name) => !(name in errors)), removed, errors };
  }

  #addServer(name: string, config: McpServerConfigForProcessTransport): void {
    this.hub.add(config.type === 'sdk' ? inProcessSource(name, {}, this.#host) : processSource(name, config));
  }

  /** Queued; read by the model in a turn of its own, or beside the results of the tools that run now. */
  say(message: MessageFrame): void {
    this.#queue.push(message);
    if (!this.#isWorking && this.#transcript !== undefined) this.#working = this.#work();
  }

  /** Ends the turn that runs; the conversation goes on. */
  interrupt(): { still_queued: string[] } {
    this.#turn?.abort(new Error('interrupted'));
    return {
      still_queued: this.#queue.map((message) => String(message.uuid ?? '')).filter((id) => id !== ''),
    };
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    await this.#opening;
    await this.#working;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.length = 0;
    this.#turn?.abort(new Error('closed'));
    await this.hub.close();
  }

  #useSchema(schema: Record<string, unknown> | undefined): void {
    if (schema !== undefined) this.#structured = new StructuredOutput(schema);
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    this.#reportState('running');
    for (let message = this.#queue.shift(); message !== undefined; message = this.#queue.shift()) {
      await this.#runTurn(message);
    }
    this.#isWorking = false;
    this.#reportState('idle');
  }

  async #runTurn(message: MessageFrame): Promise<void> {
    const started = performance.now();
    const turn = new AbortController();
    this.#turn = turn;
    this.#usage.beginTurn();
    this.#structured?.reset();
    this.#denials.length = 0;
    let outcome: TurnOutcome;
    try {
      outcome = await this.#prompt(message, turn.signal);
    } catch (error) {
      // A fault of our own must not leave the host waiting.
      outcome = {
        subtype: 'error_during_execution',
        isError: true,
        terminalReason: undefined,
        text: messageOf(error),
        stopReason: null,
        numTurns: 0,
      };
    }
    this.#turn = undefined;
    await this.#saved();
    if (this.#closed) return;
    this.#lastWasError = outcome.isError;
    this.#lines.send(
      resultLine(outcome, {
        durationMs: performance.now() - started,
        usage: this.#usage,
        denials: [...this.#denials],
        structured: this.#structured,
        index: this.#results++,
        queued: this.#queue.length,
      }),
    );
  }

  async #prompt(message: MessageFrame, signal: AbortSignal): Promise<TurnOutcome> {
    const content = contentOf(message);
    const verdict = await this.#hooks.run({
      event: 'UserPromptSubmit',
      fields: { prompt: textOf(content) },
      signal,
    });
    // An interrupt need not wait for a server that does not answer; the turn itself then sees it.
    await untilAborted(this.hub.settled(), signal).catch(() => {});
    if (verdict.stop !== undefined) return { ...emptyTurn(''), terminalReason: 'hook_stopped' };
    if (verdict.block !== undefined) return this.#blockedPrompt(verdict.block);
    this.#initLine();
    const contexts = verdict.contexts.map((text) => ({ type: 'text' as const, text }));
    const line = this.#replay(message) ?? message.uuid;
    this.#remember(
      { role: 'user', content: [...content, ...contexts] },
      line === undefined ? [] : [String(line)],
    );
    if (message.shouldQuery === false) return emptyTurn('');
    return this.#newTurn(signal).run();
  }

  /** Says back what the host said, under the id that it was said with. */
  #replay({ message, uuid }: MessageFrame): string | undefined {
    if (!this.#start.flags.replayUserMessages) return undefined;
    const { content } = (message ?? {}) as MessageParam;
    return this.#lines.user(content, { isReplay: true, ...(uuid === undefined ? {} : { uuid }) });
  }

  #newTurn(signal: AbortSignal): Turn {
    const { flags } = this.#start;
    return new Turn(
      {
        model: this.#config.model,
        lines: this.#lines,
        hooks: this.#hooks,
        permissions: this.permissions,
        usage: this.#usage,
        remember: (said, lines) => this.#remember(said, lines),
        ready: () => this.hub.relisted(),
        structured: this.#structured,
        maxTurns: flags.maxTurns,
        maxBudgetUsd: flags.maxBudgetUsd,
        includePartialMessages: flags.includePartialMessages,
        find: (name) => [...this.#tools(), this.#search.tool].find((tool) => tool.name === name),
        request: () =>
          modelRequest(
            this.model,
            this.#config.maxTokens ?? DEFAULT_MAX_TOKENS,
            systemPrompt(this.#initialize, flags, this.hub.instructions()),
            this.#search.select(this.#tools()),
            this.#transcript?.messages ?? [],
          ),
        takeQueued: () => this.#queue.splice(0).flatMap(contentOf),
        noteDenial: ({ block }) =>
          this.#denials.push({ tool_name: block.name, tool_use_id: block.id, tool_input: block.input }),
      },
      signal,
    );
  }

  #remember(message: MessageParam, lines?: readonly string[]): void {
    this.#transcript?.add(message, lines);
    void this.#transcript?.save().catch(() => {});
  }

  /** A result that the host has seen is one that can be gone on from. */
  async #saved(): Promise<void> {
    try {
      await this.#transcript?.save();
    } catch (error) {
      this.#lines.system('mirror_error', {
        error: messageOf(error),
        key: { projectKey: this.#start.cwd, sessionId: this.#lines.sessionId },
      });
    }
  }

  #tools(): RuntimeTool[] {
    const { tools } = this.#start.flags;
    return offeredTools(this.hub, this.permissions, this.#structured?.tool, tools);
  }

  #blockedPrompt(reason: string): TurnOutcome {
    const content = `UserPromptSubmit operation blocked by hook:\n${reason}`;
    this.#lines.system('informational', { content, level: 'warning', prevent_continuation: true });
    return emptyTurn('');
  }

  #initLine(): void {
    this.#lines.system('init', {
      cwd: this.#start.cwd,
      tools: this.#tools().map(({ name }) => name),
      mcp_servers: this.hub.status().map(({ name, status, source }) => ({ name, status, source })),
      model: this.model,
      permissionMode: this.permissions.mode,
      slash_commands: [],
      apiKeySource: 'none',
      claude_code_version: RUNTIME_VERSION,
      output_style: 'default',
      agents: [],
      skills: [],
      plugins: [],
      capabilities: ['interrupt_receipt_v1', 'sdk_mcp_manifests'],
    });
  }

  #reportState(state: 'running' | 'idle'): void {
    if (this.#start.reportsState && !this.#closed) {
      this.#lines.system('session_state_changed', { state, sdk_host_only: true });
    }
  }
}

function contentOf(message: MessageFrame): UserContentBlock[] {
  const { content } = (message.message ?? {}) as MessageParam;
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : ((content ?? []) as UserContentBlock[]);
}

function textOf(content: readonly UserContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

function emptyTurn(text: string): TurnOutcome {
  return {
    subtype: 'success',
    isError: false,
    terminalReason: undefined,
    text,
    stopReason: null,
    numTurns: 0,
  };
}
