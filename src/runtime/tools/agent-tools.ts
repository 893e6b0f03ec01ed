import { wait } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import { currentToolName } from '../../protocol/wire/names.js';
import type { Host } from '../host.js';
import { configuredServers } from '../mcp/configured-servers.js';
import { McpHub } from '../mcp/hub.js';
import type { ModelTool } from '../model.js';
import type { Permissions } from '../permissions/permissions.js';
import type { ConversationSettings } from '../settings/conversation-settings.js';
import { DEFAULT_DEFER_ABOVE, type PlacedConfig, type RuntimeStart } from '../start/runtime-config.js';
import {
  type AgentContext,
  builtInContext,
  type Surroundings,
  type WorkspaceParts,
} from './built-in-context.js';
import { type BuiltInContext, openBuiltIns } from './built-ins.js';
import { freeTools } from './free-tools.js';
import { mcpPromptTools } from './mcp-prompt-tools.js';
import { mcpResourceTools } from './mcp-resource-tools.js';
import { placesIn } from './places.js';
import { DEFAULT_MAX_RESULT_CHARS, READ_ON, ResultBounds } from './result-bounds.js';
import { StructuredOutput } from './structured-output.js';
import { byToolName, definition } from './tool-definition.js';
import { isCalled, type RuntimeTool } from './tool-port.js';
import { ToolSearch } from './tool-search.js';
import { NO_TOOLS, openTools, type ToolSet } from './tool-source.js';

/** All tools of an agent: those of the runtime, of a user's tool source, and of MCP servers. */
export class AgentTools {
  readonly hub: McpHub;
  readonly bounds: ResultBounds;
  readonly #builtInNames: readonly string[] | undefined;
  readonly #permissions: Permissions;
  readonly #own: ToolSet;
  /** Those that work on the workspace, if there is one. */
  #builtIns: ToolSet = NO_TOOLS;
  /** Those that need no workspace. */
  readonly #free: readonly RuntimeTool[];
  readonly #more: ToolSet[] = [];
  #workspaceParts: WorkspaceParts | undefined;
  /** What the agent that leads the conversation has of them. */
  #isMeant: (tool: RuntimeTool) => boolean = () => true;
  readonly #surroundings: Surroundings;
  readonly #search: ToolSearch;
  readonly #warn: (text: string) => void;
  /** Warnings that have already been given. */
  #reported: Set<string> | undefined;
  #structured: StructuredOutput | undefined;
  #listed: ToolLists | undefined;

  constructor(
    config: PlacedConfig,
    start: RuntimeStart,
    settings: ConversationSettings,
    host: Host,
    permissions: Permissions,
    warn: (text: string) => void,
    windowTokens: () => number,
  ) {
    const { flags, cwd, env = {} } = start;
    this.#builtInNames = flags.tools === 'default' ? undefined : flags.tools?.map(currentToolName);
    this.#permissions = permissions;
    this.#warn = warn;
    this.#surroundings = { flags, env, platform: config.platform };
    this.#free = freeTools(config, flags);
    const { maxResultChars } = config;
    this.bounds = new ResultBounds(
      // As many characters as the window has tokens are about a quarter of it.
      () => maxResultChars ?? Math.min(DEFAULT_MAX_RESULT_CHARS, windowTokens()),
      (tool) => !permissions.isRemoved(tool),
    );
    this.hub = new McpHub({
      host,
      startProgram: config.platform.startProgram,
      cwd,
      additionalDirectories: flags.addDirectories,
      env: start.env,
      connectTimeoutMs: config.mcpConnectTimeoutMs,
      reconnect: config.mcpReconnect,
      auth: config.mcpAuth,
      problem: settings.serverProblem,
      onLog: config.onMcpLog,
    });
    this.#own = openTools(config.tools, { cwd, additionalDirectories: flags.addDirectories, env });
    this.#search = new ToolSearch(() => this.all(), config.deferAbove ?? DEFAULT_DEFER_ABOVE);
    this.#useSchema(flags.jsonSchema);
    for (const server of configuredServers(config.platform, start, settings)) {
      this.hub.addAtStart(server.name, server.config);
    }
  }

  /** Adds tools that are there with or without a workspace. */
  use(set: ToolSet): void {
    this.#more.push(set);
    this.#listed = undefined;
  }

  /** Only these are for the main agent. Subagents have what their own definitions give them. */
  restrict(isMeant: (tool: RuntimeTool) => boolean): void {
    this.#isMeant = isMeant;
    this.#listed = undefined;
  }

  /** Called before the first turn. Throws if the tools cannot be opened. */
  async openBuiltIns(parts: WorkspaceParts): Promise<void> {
    const { env, platform } = this.#surroundings;
    await this.#permissions.openFiles({
      workspace: parts.workspace,
      places: () => placesIn(parts.workspace, this.#surroundings, parts.sessionId()),
      userSettings: platform.userKnowledge?.(parts.workspace.root, env).configDirectory,
    });
    this.#workspaceParts = parts;
    const offers = (name: string): boolean => this.find(name) !== undefined;
    this.#builtIns = await this.#open(parts, { isNamed: () => false, offers, ...parts.about });
    this.#listed = undefined;
  }

  /** The same for a subagent, which has seen other files. Nothing without a workspace. */
  async openBuiltInsFor(agent: Pick<BuiltInContext, 'isNamed' | 'offers' | 'onRead'>): Promise<ToolSet> {
    const parts = this.#workspaceParts;
    if (parts === undefined) return NO_TOOLS;
    const { beforeChange } = parts.about;
    return this.#open(parts, { ...agent, ...(beforeChange === undefined ? {} : { beforeChange }) });
  }

  /** Undefined without a workspace. */
  places(): ReturnType<BuiltInContext['places']> | undefined {
    const parts = this.#workspaceParts;
    return parts === undefined ? undefined : placesIn(parts.workspace, this.#surroundings, parts.sessionId());
  }

  #open(parts: WorkspaceParts, agent: AgentContext): Promise<ToolSet> {
    return openBuiltIns(builtInContext(parts, agent, this.#surroundings, this.#permissions));
  }

  get structured(): StructuredOutput | undefined {
    return this.#structured;
  }

  /** Registers what the host offers; a second call adds servers. */
  initialize(request: InitializeRequest): void {
    this.#useSchema(request.jsonSchema);
    for (const name of request.sdkMcpServers ?? []) {
      const known = this.hub.get(name);
      // A server of the host takes precedence over one from a file with the same name.
      if (known !== undefined && known.source.transport !== 'sdk') void this.hub.remove(name);
      if (known?.source.transport !== 'sdk') this.hub.addInProcess(name, request);
    }
  }

  /** Changes when what `offeredWith` returns does. */
  get version(): string {
    const { own, builtIn, servers, rules, hasCut } = this.#lists();
    return [own, builtIn, servers, rules, hasCut].join();
  }

  /** Every tool that the model can use now, including those it has to search for. */
  all(): readonly RuntimeTool[] {
    return this.#lists().all;
  }

  find(name: string): RuntimeTool | undefined {
    return this.#lists().byName.get(name);
  }

  /** Whether the tool exists at all, even if rules remove it. */
  has(name: string): boolean {
    if ([this.#search.tool.name, this.#structured?.tool.name, READ_ON].includes(name)) return true;
    return this.#builtIn(this.#builtIns).some((tool) => isCalled(tool, [currentToolName(name)]));
  }

  /** The tools of the next request, as the model sees them, sorted by name. */
  definitions(): readonly ModelTool[] {
    const lists = this.#lists();
    if (lists.definitions === undefined || lists.searches !== this.#search.version) {
      lists.searches = this.#search.version;
      lists.definitions = this.#search.select(lists.all).map(definition).sort(byToolName);
    }
    return lists.definitions;
  }

  /** Resolves when nothing is left of any of them. */
  async close(): Promise<void> {
    await Promise.all([
      this.hub.close(),
      this.#closeSet(this.#own, 'The tools of embedded({ tools })'),
      this.#closeSet(this.#builtIns, 'The built-in tools'),
    ]);
  }

  async #closeSet(set: ToolSet, what: string): Promise<void> {
    if (set.close === undefined) return;
    const late = new AbortController();
    const closed = (async () => set.close?.())().catch((error) =>
      this.#warn(`${what} could not be closed: ${messageOf(error)}`),
    );
    await Promise.race([closed, wait(LIMITS.toolsCloseMs, { signal: late.signal }).catch(() => {})]);
    late.abort();
  }

  /**
   * Rebuilt only when something they depend on has changed, because they are needed several times per call.
   */
  #lists(): ToolLists {
    const own = this.#own.version;
    // Both only ever increase.
    const builtIn = this.#more.reduce((sum, set) => sum + set.version, this.#builtIns.version);
    const servers = this.hub.version;
    const rules = this.#permissions.book.version;
    const { hasCut, reader } = this.bounds;
    const known = this.#listed;
    const isSame = known?.own === own && known.servers === servers && known.rules === rules;
    if (isSame && known.builtIn === builtIn && known.hasCut === hasCut) return known;
    const all = this.offeredWith(this.#builtIns).filter((tool) => this.#isMeant(tool));
    const aliases = all.flatMap((tool) => (tool.aliases ?? []).map((alias) => [alias, tool] as const));
    const named = [this.#search.tool, reader, ...all].map((tool) => [tool.name, tool] as const);
    const byName = new Map([...aliases, ...named]);
    this.#listed = { own, builtIn, servers, rules, hasCut, all, byName, definitions: undefined, searches: 0 };
    return this.#listed;
  }

  /**
   * One tool per name: the runtime's own take precedence over those of servers, and earlier ones of a server
   * over later ones. A name that two servers have is nobody's: a rule about one tool would be about the other.
   */
  offeredWith(builtIns: ToolSet): RuntimeTool[] {
    const byName = new Map<string, RuntimeTool>();
    const contested = new Set<string>();
    const chosen = this.#builtInNames;
    const offered = this.#builtIn(builtIns).filter((tool) => chosen === undefined || isCalled(tool, chosen));
    if (this.#structured !== undefined) offered.unshift(this.#structured.tool);
    // Only then: every tool costs tokens, and most conversations never need this one.
    if (this.bounds.hasCut) offered.unshift(this.bounds.reader);
    for (const tool of [...offered, ...this.hub.tools()]) {
      const known = tool.name === this.#search.tool.name ? this.#search.tool : byName.get(tool.name);
      if (known === undefined) byName.set(tool.name, tool);
      else {
        if (isOfOtherServer(tool, known)) contested.add(tool.name);
        this.#report(tool, known);
      }
    }
    return [...byName.values()].filter(
      (tool) => !contested.has(tool.name) && !this.#permissions.isRemoved(tool),
    );
  }

  #builtIn(builtIns: ToolSet): RuntimeTool[] {
    return [
      ...mcpResourceTools(this.hub),
      ...mcpPromptTools(this.hub),
      ...this.#free,
      ...builtIns.tools(),
      ...this.#more.flatMap((set) => set.tools()),
      ...this.#own.tools(),
    ];
  }

  #report(tool: RuntimeTool, winner: RuntimeTool): void {
    const outcome = isOfOtherServer(tool, winner)
      ? `one of ${owner(winner)} and one of ${owner(tool)}. Neither is used, because rules for one would count for the other: rename a server or a tool.`
      : `the one of ${owner(winner)} is used, the one of ${owner(tool)} is ignored.`;
    const text = `Two tools are named "${tool.name}": ${outcome}`;
    this.#reported ??= new Set();
    if (this.#reported.has(text)) return;
    this.#reported.add(text);
    this.#warn(text);
  }

  #useSchema(schema: Record<string, unknown> | undefined): void {
    if (schema === undefined) return;
    this.#structured = new StructuredOutput(schema);
    this.#listed = undefined;
  }
}

interface ToolLists {
  /** The versions of what the lists were built from. */
  readonly own: number;
  readonly builtIn: number;
  readonly servers: number;
  readonly rules: number;
  readonly hasCut: boolean;
  readonly all: readonly RuntimeTool[];
  readonly byName: ReadonlyMap<string, RuntimeTool>;
  definitions: readonly ModelTool[] | undefined;
  /** The version of the search for which `definitions` were built. */
  searches: number;
}

function isOfOtherServer({ server }: RuntimeTool, { server: other }: RuntimeTool): boolean {
  return server !== undefined && other !== undefined && server.name !== other.name;
}

function owner({ server }: RuntimeTool): string {
  return server === undefined ? 'the agent itself' : `the MCP server "${server.name}"`;
}
