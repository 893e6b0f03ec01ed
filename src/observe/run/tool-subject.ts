import { mcpToolPrefix } from '../../mcp/tool-names.js';
import { closest } from '../../protocol/base/similar.js';
import { offersOf } from './offers.js';
import type { Run } from './run.js';
import { fullName, type ListedTool, type ServerFacts } from './servers.js';
import { type Fields, fieldsOf, stringOf } from './values.js';

/** The tool that somebody asks about. */
export interface Subject {
  /** As the model calls it. */
  readonly name: string;
  /** As its server calls it. */
  readonly shortName: string;
  readonly server: ServerFacts | undefined;
  readonly listed: ListedTool | undefined;
  readonly description: string | undefined;
  readonly inputSchema: Fields | undefined;
  /** Nothing in the tape has this name. */
  readonly isUnknown: boolean;
  /** The tools that a short name may stand for. */
  readonly candidates: readonly string[];
  /** The tool that is spelled most like it. */
  readonly similar: string | undefined;
}

/** Every tool that the tape names, in the order of servers and their lists, the agent's own behind them. */
export function subjectsOf(run: Run): readonly Subject[] {
  return [...run.view(makeDirectory).values()];
}

/** `mcp__shop__stock`, `shop.stock` or `stock`. */
export function subjectOf(run: Run, given: string): Subject {
  const directory = run.view(makeDirectory);
  const exact = directory.get(given);
  if (exact !== undefined) return exact;
  const wanted = given.toLowerCase();
  const matches = [...directory.values()].filter((subject) => namesOf(subject).includes(wanted));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const candidates = matches.map(({ name }) => name);
  const server = run.servers.all.find(({ name }) => given.startsWith(`${mcpToolPrefix(name)}__`));
  const similar = similarTo(given, [...directory.values()]);
  return { ...bare(given, server), isUnknown: true, candidates, similar };
}

function makeDirectory(run: Run): ReadonlyMap<string, Subject> {
  const directory = new Map<string, Subject>();
  const offers = offersOf(run);
  for (const server of run.servers.all) {
    for (const listed of server.tools ?? []) {
      const { description, inputSchema } = listed;
      const name = fullName(server, listed);
      directory.set(name, {
        ...bare(name, server),
        shortName: listed.name,
        listed,
        description,
        inputSchema,
      });
    }
  }
  const add = (name: string, definition: Fields | undefined): void => {
    const known = directory.get(name);
    if (known !== undefined && (known.inputSchema !== undefined || definition === undefined)) return;
    const server = run.servers.all.find((each) => name.startsWith(`${mcpToolPrefix(each.name)}__`));
    directory.set(name, {
      ...(known ?? bare(name, server)),
      description: stringOf(definition?.description) ?? known?.description,
      inputSchema: definition?.input_schema === undefined ? undefined : fieldsOf(definition.input_schema),
    });
  };
  for (const [name, { definition }] of offers.byTool) add(name, definition);
  // Hosts are told of the tool for agents by an older name than the model.
  const asOffered = (name: string): string =>
    name === 'Task' && offers.byTool.has('Agent') ? 'Agent' : name;
  for (const { tools } of run.inits) for (const name of tools) add(asOffered(name), undefined);
  for (const { name } of run.tools.all) if (name !== '') add(name, undefined);
  for (const subject of directory.values()) {
    if (subject.server?.tools === undefined || subject.listed !== undefined) continue;
    directory.set(subject.name, { ...subject, similar: similarTo(subject.name, [...directory.values()]) });
  }
  return directory;
}

function bare(name: string, server: ServerFacts | undefined): Subject {
  const prefix = server === undefined ? '' : `${mcpToolPrefix(server.name)}__`;
  return {
    name,
    shortName: name.slice(prefix.length),
    server,
    listed: undefined,
    description: undefined,
    inputSchema: undefined,
    isUnknown: false,
    candidates: [],
    similar: undefined,
  };
}

function namesOf({ name, shortName, server }: Subject): readonly string[] {
  const names = [name, shortName];
  if (server !== undefined) names.push(`${server.name}.${shortName}`, `${server.name}__${shortName}`);
  return names.map((each) => each.toLowerCase());
}

/** The listed tool that is spelled most like the name. Its server is left out: that would make all its tools similar. */
function similarTo(given: string, subjects: readonly Subject[]): string | undefined {
  const listed = subjects.filter((subject) => subject.listed !== undefined);
  const names = listed.map((subject) => subject.shortName);
  const found = closest(given.split(/__|\./).at(-1) ?? given, names);
  return listed.find((subject) => subject.shortName === found)?.name;
}
