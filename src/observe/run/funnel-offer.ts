import { deniesWholeTool, parseRule, rulesIn } from '../../protocol/permissions/permission-rules.js';
import { currentToolName } from '../../protocol/wire/names.js';
import { hasToolSearch, loadedBySurvey, offersOf, searchesOf } from './offers.js';
import type { Run } from './run.js';
import type { ServerFacts } from './servers.js';
import type { Subject } from './tool-subject.js';
import { counted, short, stringsOf } from './values.js';
import type { FunnelStep } from './views.js';

/** What was found out about one step. Who says `broken` also says how to mend it. */
export interface Finding {
  readonly state: Exclude<FunnelStep['state'], 'not reached'>;
  readonly detail: string;
  readonly frame?: number | undefined;
  readonly remedy?: string;
}

const MOST_NAMES = 8;

export const done = (detail: string, frame?: number): Finding => ({ state: 'done', detail, frame });
const unknown = (detail: string): Finding => ({ state: 'unknown', detail });
export const broken = (detail: string, remedy: string, frame?: number): Finding => ({
  state: 'broken',
  detail,
  remedy,
  frame,
});
/** It may still come, unless the run is over. */
export function waiting(run: Run, detail: string, remedy: string, frame?: number): Finding {
  return run.isOver ? broken(detail, remedy, frame) : { state: 'waiting', detail, frame };
}

/** The steps from the definition of a tool to the prompt of the model. */
export const OFFER_STEPS = {
  defined,
  connected,
  listed,
  visible,
  'in the prompt': inPrompt,
} as const;

function defined(run: Run, subject: Subject): Finding {
  const { name, server, candidates, isUnknown } = subject;
  if (candidates.length > 1) {
    const [first = ''] = candidates;
    return broken(`"${name}" may be ${candidates.join(' or ')}.`, `Ask for one of them: --why ${first}`);
  }
  if (server !== undefined) {
    const who = server.definedBy === 'options' ? '`options.mcpServers` names' : 'The agent knows';
    return done(`${who} the server "${server.name}".`, server.frame);
  }
  const servers = run.servers.all;
  if (!isUnknown) return done('It is a tool of the agent itself.');
  if (servers.length > 0 && !name.startsWith('mcp__')) {
    return done(`There ${servers.length === 1 ? 'is the server' : 'are the servers'} ${namesOf(servers)}.`);
  }
  const others = servers.length === 0 ? 'no server at all' : `only ${namesOf(servers)}`;
  const [, wanted = 'shop'] = /^mcp__(.+?)__/.exec(name) ?? [];
  return broken(
    `No server is configured that could have "${name}": there is ${others}.`,
    `Give it to the query: mcpServers: { ${JSON.stringify(wanted)}: createSdkMcpServer({ … }) }`,
  );
}

function connected(run: Run, { server, isUnknown }: Subject): Finding {
  if (server !== undefined) return connectionOf(run, server);
  const lost = run.servers.all.filter(({ status }) => status !== undefined && status !== 'connected');
  const [first] = lost;
  if (isUnknown && first !== undefined) {
    const { detail, remedy = '', frame } = connectionOf(run, first);
    return broken(`${detail} If the tool is one of its tools, that is why.`, remedy, frame);
  }
  return done(isUnknown ? 'All servers are connected.' : 'It needs no server.');
}

function connectionOf(run: Run, server: ServerFacts): Finding {
  const { name, status, error, isInProcess, tools, statusFrame: frame } = server;
  const why = error === undefined ? '' : `: ${short(error, 200)}`;
  switch (status) {
    case 'connected':
      return done(`The server "${name}" is connected.`, frame);
    case 'failed':
      return broken(
        `The server "${name}" has failed${why === '' ? ', and the agent does not say why' : why}.`,
        isInProcess
          ? 'Look at the last of stderr, and at the answer to its `initialize` in the Wire view.'
          : 'Start its command by hand and read what it prints, or let `tenon doctor` try it.',
        frame,
      );
    case 'needs-auth':
      return broken(
        `The server "${name}" wants to be authorized first${why}.`,
        `Log in (claude mcp, then choose "${name}"), or give it a token: headers: { Authorization: 'Bearer …' }`,
        frame,
      );
    case 'disabled':
      return broken(
        `The server "${name}" is switched off.`,
        `await query.toggleMcpServer(${JSON.stringify(name)}, true)`,
        frame,
      );
    case 'pending':
      return waiting(
        run,
        `The server "${name}" was still connecting.`,
        'Wait for it before the first prompt: await query.mcpReady()',
        frame,
      );
    case undefined:
      if (isInProcess && tools !== undefined)
        return done(`The server "${name}" runs in this program.`, frame);
      return waiting(
        run,
        `The agent never said that the server "${name}" is connected.`,
        'Wait for it before the first prompt: await query.mcpReady()',
      );
    default:
      return broken(
        `The server "${name}" is not connected: it is "${short(status, 40)}".`,
        'tenon doctor',
        frame,
      );
  }
}

function listed(run: Run, subject: Subject): Finding {
  const { name, shortName, server, similar } = subject;
  const hint = similar === undefined ? undefined : `Did you mean ${similar}?`;
  if (server === undefined) {
    if (!subject.isUnknown) return done('It needs no list.');
    return broken(
      `No server lists a tool "${name}".`,
      hint ??
        `These are listed: ${listText(run.servers.all.flatMap(({ tools = [] }) => tools.map((t) => t.name)))}`,
    );
  }
  if (subject.listed !== undefined) return done(`The server "${server.name}" lists it.`, server.listFrame);
  if (isInInit(run, name)) return done('The agent lists it.', run.inits.at(-1)?.frame);
  const { tools } = server;
  if (tools !== undefined) {
    const has = tools.length === 0 ? 'no tools' : listText(tools.map((tool) => tool.name));
    return broken(
      `The server "${server.name}" lists ${has}, but no "${shortName}".`,
      hint ??
        `Add it: createSdkMcpServer({ name: ${JSON.stringify(server.name)}, tools: [tool('${shortName}', …)] })`,
      server.listFrame,
    );
  }
  if (ruleAgainst(run, subject) !== undefined || run.inits.length === 0) {
    return unknown(`The tape does not tell which tools the server "${server.name}" lists.`);
  }
  return broken(
    `The agent got no tool "${shortName}" from the server "${server.name}".`,
    hint ?? 'Look at what it lists: (await query.mcpServerStatus())[0].tools',
    run.inits.at(-1)?.frame,
  );
}

function visible(run: Run, subject: Subject): Finding {
  const { name, server } = subject;
  const last = run.inits.at(-1);
  if (isInInit(run, name)) return done('It is among the tools that the agent has.', last?.frame);
  // The agent does not name what it adds of its own accord, such as ToolSearch.
  if (server === undefined && offersOf(run).byTool.has(name))
    return done('The agent offers it to the model.');
  const rule = ruleAgainst(run, subject);
  if (rule !== undefined) {
    return broken(`${rule} removes it.`, 'Take that out of the options.', last?.frame);
  }
  if (last === undefined) return waiting(run, 'The agent has not said which tools it has.', 'Send a prompt.');
  const tools = run.options.tools;
  if (server === undefined && Array.isArray(tools)) {
    return broken(
      `\`options.tools\` leaves it out: it is ${short(JSON.stringify(tools), 100)}.`,
      `Add it: tools: [..., ${JSON.stringify(name)}]`,
      last.frame,
    );
  }
  if ((server?.listFrame ?? 0) > last.frame) return unknown('It was listed after the last turn had begun.');
  return broken(
    'Its server lists it, but the agent leaves it out of its tools: a rule in its settings denies it.',
    'Look for it in `permissions.deny` of the settings, or leave those out: settingSources: []',
    last.frame,
  );
}

function isInInit(run: Run, name: string): boolean {
  return run.inits.some(({ tools }) => tools.has(name) || (name === 'Agent' && tools.has('Task')));
}

/** The option that removes a tool, in words. */
export function ruleAgainst(
  run: Run,
  { name, server }: Pick<Subject, 'name' | 'server'>,
): string | undefined {
  const subject = {
    name: currentToolName(name),
    server: server === undefined ? undefined : { name: server.name },
  };
  for (const entry of stringsOf(run.options.disallowedTools)) {
    for (const text of rulesIn(entry, 'deny')) {
      if (deniesWholeTool(parseRule(text), subject)) return `\`disallowedTools: [${JSON.stringify(entry)}]\``;
    }
  }
  return undefined;
}

function inPrompt(run: Run, { name, server, listed: tool }: Subject): Finding {
  const { byTool, requests } = offersOf(run);
  const offer = byTool.get(name);
  if (offer !== undefined && offer.requests > 0) {
    return done(`It was in ${offer.requests} of ${counted(requests, 'request')} to the model.`);
  }
  const searches = searchesOf(run);
  if (searches.some(({ found }) => found.includes(name)))
    return done('The model has found it with ToolSearch.');
  const isLoaded = loadedBySurvey(run, name);
  if (isLoaded === true) return done('The agent says that it is in the prompt.');
  // Without the requests: the agent defers the tools of servers, unless they are marked.
  const isOpen = server === undefined || server.alwaysLoad || tool?.alwaysLoad === true;
  const isSearched = hasToolSearch(run) && (requests > 0 || !isOpen);
  const isDeferred = offer !== undefined || isLoaded === false || isSearched;
  if (isDeferred) return deferred(run, searches);
  if (requests > 0) {
    return broken(
      `It was in none of ${counted(requests, 'request')} to the model.`,
      'Look at the tools of the requests in the Context view.',
    );
  }
  if (run.inits.length === 0) return waiting(run, 'The model was not asked yet.', 'Send a prompt.');
  return done('The agent puts all its tools into the prompt.');
}

function deferred(run: Run, searches: ReturnType<typeof searchesOf>): Finding {
  const queries = searches.map(({ query }) => `"${short(query, 40)}"`).join(', ');
  const tried = queries === '' ? 'and it has not searched' : `and it searched only for ${queries}`;
  const setting =
    run.head.backEnd === 'embedded'
      ? 'embedded({ deferAbove: Infinity })'
      : "env: { ENABLE_TOOL_SEARCH: 'false' }";
  return broken(
    `It is deferred behind ToolSearch: the model sees it only after it has searched for it, ${tried}.`,
    `Mark the tool \`alwaysLoad: true\`, or load all of them: ${setting}`,
  );
}

function namesOf(servers: readonly ServerFacts[]): string {
  return listText(servers.map(({ name }) => name));
}

function listText(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => `"${short(name, 60)}"`);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
