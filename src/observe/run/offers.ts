import type { Run } from './run.js';
import { type Fields, fieldsOf, recordsOf, stringOf, stringsOf } from './values.js';

/** What the requests to the model say about one tool. */
export interface Offer {
  /** In how many requests the model could call it. */
  requests: number;
  /** In how many it was only announced, and had to be searched for. */
  deferred: number;
  /** As the model last saw it. */
  definition: Fields;
}

export interface Offers {
  readonly byTool: ReadonlyMap<string, Offer>;
  /** The requests whose bodies the tape has. */
  readonly requests: number;
}

const SEARCH = 'ToolSearch';
/** What the Claude Code CLI sends in the place of tools that must be searched for. */
const PLACEHOLDER = 'DeferredToolPlaceholder';

/** What the model was offered, where the tape has its requests. */
export function offersOf(run: Run): Offers {
  return run.view(makeOffers);
}

function makeOffers(run: Run): Offers {
  const byTool = new Map<string, Offer>();
  let requests = 0;
  for (const { request } of run.models.all) {
    const tools = recordsOf(request?.tools);
    // Without tools it is a question of the agent's own, such as for a title.
    if (tools.length === 0) continue;
    requests += 1;
    for (const tool of tools) {
      const name = stringOf(tool.name);
      if (name === undefined || name === PLACEHOLDER) continue;
      const offer = byTool.get(name) ?? { requests: 0, deferred: 0, definition: tool };
      if (tool.defer_loading === true) offer.deferred += 1;
      else offer.requests += 1;
      offer.definition = tool;
      byTool.set(name, offer);
    }
  }
  return { byTool, requests };
}

/** Whether the agent keeps tools behind a search. */
export function hasToolSearch(run: Run): boolean {
  return run.inits.some(({ tools }) => tools.has(SEARCH)) || offersOf(run).byTool.has(SEARCH);
}

interface Search {
  readonly query: string;
  readonly found: readonly string[];
}

/** The searches of the model, and what they found. */
export function searchesOf(run: Run): readonly Search[] {
  return run.view(makeSearches);
}

function makeSearches(run: Run): readonly Search[] {
  return run.tools.all
    .filter(({ name }) => name === SEARCH)
    .map(({ input, content, detail }) => ({
      query: stringOf(fieldsOf(input).query) ?? '',
      found: [
        ...stringsOf(fieldsOf(detail).matches),
        ...recordsOf(content).flatMap((block) => stringOf(block.tool_name) ?? []),
      ],
    }));
}

/** What `get_context_usage` said last about the tool: whether it is in the prompt. */
export function loadedBySurvey(run: Run, tool: string): boolean | undefined {
  return run.view(lastSurvey).get(tool);
}

function lastSurvey(run: Run): ReadonlyMap<unknown, boolean> {
  const survey = run.controls.all.findLast(
    ({ subtype, outcome }) => subtype === 'get_context_usage' && outcome === 'ok',
  );
  const tools = recordsOf(fieldsOf(survey?.answer).mcpTools);
  return new Map(
    tools.flatMap(({ name, isLoaded }) => (typeof isLoaded === 'boolean' ? [[name, isLoaded]] : [])),
  );
}
