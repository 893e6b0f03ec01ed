import { OWN_TOOL, type RuntimeTool, type ToolCall, type ToolOutcome } from './tool-port.js';

const TOOL_SEARCH = 'ToolSearch';

const MAX_FOUND = 10;

/** Shared by all conversations, most of which never use the tool. */
const DEFINITION = {
  name: TOOL_SEARCH,
  description:
    'Finds tools that are not in the list, by words of their names and descriptions, or by "select:" and exact ' +
    'names with commas between. The tools that it returns can be called from then on.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, max_results: { type: 'number' } },
    required: ['query'],
  },
  ...OWN_TOOL,
} as const;

/**
 * The descriptions of many tools would fill every prompt. Above a threshold, tools that are not marked
 * `alwaysLoad` are left out and the model finds them with this tool; it can call what it found from then
 * on, in the same turn.
 */
export class ToolSearch {
  #tool: RuntimeTool | undefined;
  readonly #loaded = new Set<string>();
  readonly #all: () => readonly RuntimeTool[];
  readonly #threshold: number;

  constructor(all: () => readonly RuntimeTool[], threshold: number) {
    this.#all = all;
    this.#threshold = threshold;
  }

  /** Made when it is asked for: most conversations wait for long for their first prompt. */
  get tool(): RuntimeTool {
    this.#tool ??= { ...DEFINITION, run: async ({ input }) => this.#run(input) };
    return this.#tool;
  }

  #run(input: ToolCall['input']): ToolOutcome {
    const found = this.#find(String(input.query), Number(input.max_results ?? MAX_FOUND));
    for (const { name } of found) this.#loaded.add(name);
    const content =
      found.length === 0
        ? 'No tool matches.'
        : found.map(({ name, description }) => `${name}: ${description}`).join('\n');
    const matches = found.map(({ name }) => name);
    const total_deferred_tools = this.#all().filter((tool) => tool.isDeferrable).length;
    return { content, detail: { matches, query: input.query, total_deferred_tools } };
  }

  /** Increases whenever `select` would return more. */
  get version(): number {
    return this.#loaded.size;
  }

  /** The tools for the next request: all of them, or the loaded ones and the search. */
  select(tools: readonly RuntimeTool[]): readonly RuntimeTool[] {
    const deferrable = tools.filter((tool) => tool.isDeferrable);
    const isMany = deferrable.length > this.#threshold;
    const choosing = isMany ? undefined : choosingServers(tools);
    const isLeftOut = ({ name, isDeferrable, server }: RuntimeTool): boolean =>
      isDeferrable === true &&
      !this.#loaded.has(name) &&
      (choosing === undefined || choosing.has(server?.name ?? ''));
    if (!isMany && !deferrable.some(({ server }) => choosing?.has(server?.name ?? ''))) return tools;
    return [...tools.filter((tool) => !isLeftOut(tool)), this.tool];
  }

  #find(query: string, limit: number): RuntimeTool[] {
    const tools = this.#all().filter((tool) => tool.isDeferrable);
    const [, names] = /^select:(.*)$/s.exec(query.trim()) ?? [];
    if (names !== undefined) {
      const wanted = new Set(names.split(',').map((name) => name.trim()));
      return tools.filter(({ name }) => wanted.has(name));
    }
    const words = query
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word !== '');
    return tools
      .map((tool) => ({ tool, score: scoreOf(tool, words) }))
      .filter(({ score }) => score > 0)
      .sort((left, right) => right.score - left.score)
      .slice(0, limit)
      .map(({ tool }) => tool);
  }
}

/** Whoever marks some tools of a server `alwaysLoad` does not want the others in every prompt, however few they are. */
function choosingServers(tools: readonly RuntimeTool[]): ReadonlySet<string> {
  return new Set(
    tools.flatMap(({ server, isDeferrable }) => (server === undefined || isDeferrable ? [] : [server.name])),
  );
}

/** A match in the name counts more than one in the description. */
function scoreOf({ name, description, searchHint }: RuntimeTool, words: readonly string[]): number {
  const inName = name.toLowerCase();
  const inText = `${description} ${searchHint ?? ''}`.toLowerCase();
  return words.reduce(
    (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inText.includes(word) ? 1 : 0),
    0,
  );
}
