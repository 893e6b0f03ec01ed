/**
 * What Tenon promises, one sentence each: requirements (`R9`), pains of users that it ends (`pain 15`) and wishes that it
 * grants (`wish 4`). Tests cite the ids; `test/packaging/requirements.test.ts` holds the two together and writes
 * docs/requirements.md.
 */
export interface Requirement {
  readonly id: string;
  readonly sentence: string;
  /** `partly`: tests prove some of it. `open`: nothing that a user could rely on yet. */
  readonly status: 'met' | 'partly' | 'open';
  /** Of what is partly met: what is still to come. */
  readonly missing?: string;
}

export interface Chapter {
  readonly title: string;
  readonly requirements: readonly Requirement[];
}

type Entry = Omit<Requirement, 'id'>;

const met = (sentence: string): Entry => ({ status: 'met', sentence });
const partly = (sentence: string, missing: string): Entry => ({ status: 'partly', sentence, missing });
const open = (sentence: string): Entry => ({ status: 'open', sentence });

export const CHAPTERS: readonly Chapter[] = [
  chapter('Defining tools', 'R', 1, [
    met('`tool()` turns a function into a tool whose handler is typed from its schema.'),
    met('`createSdkMcpServer()` groups tools into a server that goes straight into `mcpServers`.'),
    met('Schemas may be zod, any Standard Schema that can show JSON Schema, or plain JSON Schema.'),
    met('Handlers return strings, JSON or full results; values are checked against an output schema.'),
    met('Tools can be added and removed one by one, even while a query is running.'),
    met('Failed calls become results the model can act on; protocol faults become JSON-RPC errors.'),
    met('An in-process server speaks all of MCP: paging, cancellation, progress, logging and the rest.'),
    met('A name the model could not use is refused on definition, along with the rule and a remedy.'),
    met('One server value serves any number of queries, and closing one never disturbs another.'),
    met('Server objects of the MCP libraries, both majors, work as in-process servers.'),
  ]),
  chapter('Running an agent', 'R', 11, [
    met('`query()` returns an async generator of typed messages that also has control methods.'),
    met('The CLI is found without configuration, or the error lists every place that was tried.'),
    met('`mcpServers` is split: in-process servers stay here, the others go to the agent.'),
    met('Every frame reaches its handler; messages of unknown types are passed on untouched.'),
    met('MCP messages reach the right server, and an unknown server gets a clear error.'),
    met('Requests in flight are independent of each other, and each is answered exactly once.'),
    met('A handler may run for hours; time limits are the user’s to set, per server and per tool.'),
    met('A string prompt with tools just works: input stays open for as long as anything needs it.'),
    met('An async iterable of messages gives a query several turns, and input while it runs.'),
    met('Shutdown loses no result and raises no error after one; a run without a result says why.'),
    met('Rules, permission modes and `canUseTool` decide which tools may run.'),
    met('Hooks are callbacks with matchers and timeouts.'),
    met('Given a JSON Schema, the result carries validated structured output.'),
    met('Interrupt, abort, `close()`, `break` and `await using` stop everything and leave no process.'),
  ]),
  chapter('MCP servers of every kind', 'R', 25, [
    met('Stdio, SSE, HTTP and in-process servers can be mixed freely in one map.'),
    met('Server configuration comes from five places with a precedence that is documented and shown.'),
    met('Variables in a configuration are replaced, with defaults, and a missing one is named.'),
    met('Strict configuration fails on any mistake; lenient configuration warns and carries on.'),
    met('Each server has a connection state with its reason, and connecting is bounded in time.'),
    met('Servers can be reconnected, toggled, replaced, watched and awaited.'),
    met('Resources can be listed and read, both from code and by the agent.'),
    met('Two things with one name are reported, never silently merged; built-in tools win.'),
    met('The cost of a call over each kind of connection is measured by our own benchmark.'),
  ]),
  chapter('Working examples', 'R', 34, [
    met('An email agent searches a real mailbox.'),
    met('A calculator evaluates expressions safely, without `eval`.'),
    met('A ticket board waits for a person’s approval, however long that takes.'),
    met('A clinical briefing searches several times and answers with citations that resolve.'),
    met('Utilities tell the time in a time zone, make UUIDs and hash.'),
    met('A database tool reads from PostgreSQL, and the database itself refuses to write.'),
    met('One prompt uses a stdio server, a remote HTTP server and an in-process server.'),
  ]),
  chapter('Any model, any length', 'R', 41, [
    met('Any model of the AI SDK family drives the embedded runtime.'),
    met('`anthropic()` accepts a ready-made client, so Bedrock, Vertex and Foundry work.'),
    met('A result too long for the model is cut, and the model is told how to read the rest.'),
    met('A conversation of any length goes on: room is made before the context window is full.'),
    met('Prompts are cached by default, as far as the user wants.'),
    met('Cost comes from known prices, and an unknown price is never zero.'),
    met('The embedded runtime runs where there are no processes and no files: workerd, Deno, Bun.'),
  ]),
  chapter('Working in a workspace', 'R', 48, [
    met('A `Workspace` port stands for a folder, a tree in memory or a sandboxed shell.'),
    met('The runtime reads, writes, edits and searches files, with errors the model can act on.'),
    met('The runtime runs shell commands, bounded in time and output, and leaves no process behind.'),
    met('Rules for paths and commands, and settings, are decided before anything runs, and fail closed.'),
    met('Subagents have their own tools and model, and can be interrupted.'),
    met('Skills, memory files and slash commands come from folders or as values.'),
    met('`AskUserQuestion` reaches `canUseTool` on both back ends.'),
  ]),
  chapter('Seeing what happens', 'R', 55, [
    met('One tap sees every frame in both directions and costs nothing when nobody is watching.'),
    met('A run can be recorded to a file without secrets, then opened, replayed and compared.'),
    met('An inspector shows a running program or a recording in a web page.'),
    met('A playground lets a person chat with the agent and call its tools.'),
    met('Spans and metrics follow OpenTelemetry’s GenAI and MCP conventions.'),
  ]),
  chapter('Many conversations, many machines', 'R', 60, [
    open('A host keeps any number of conversations with bounded work; idle ones cost no memory.'),
    open('A conversation has one writer at a time, and no prompt is lost or taken twice.'),
    open('A broken event stream resumes after the last event seen, without gaps or repeats.'),
    open('An approval may take days and survive restarts; one answer wins.'),
    partly(
      'Each tool call runs once; what was cut off runs again only if the tool allows it.',
      'the host that wakes a conversation by itself',
    ),
    open('Work spreads over machines on an engine of the user’s choice.'),
    open('Killed workers are replaced, poisoned conversations are parked and deployments drain.'),
    open('Conversations are served over HTTP, including to existing chat pages.'),
  ]),
  chapter('Trust', 'R', 68, [
    partly('Whole conversations run in a seeded simulation that replays exactly.', 'the simulation itself'),
    partly(
      'Mutated frames, long soaks and kills at any moment leave nothing uncaught, pending or behind.',
      'a million mutated frames in each direction, and a soak of hours',
    ),
    partly(
      'What listens on a port refuses strangers; what prints to a terminal prints no one else’s escapes.',
      'a token for MCP servers on a port',
    ),
    partly(
      'An untrusted checkout starts nothing until the user agrees.',
      'a word for MCP servers and command hooks of the project, which start as in the CLI',
    ),
    partly('Nothing that failed is ever called a success.', 'a check of docs and examples'),
  ]),
  chapter('Pains that end here', 'pain ', 1, [
    met('In-process tools never die because input was closed too early.'),
    met('Any zod works: version 3, version 4 and mini, as a shape or as an object.'),
    met('No CLI process outlives its query or its host.'),
    met('A schema that cannot be shown to the model is an error, not an empty object.'),
    met('A process that fails says what really happened, with a code of its own.'),
    met('Queries start quickly: warm processes for the CLI, none at all for the embedded runtime.'),
    met('A query works inside another session of the CLI.'),
    met('Agents can be tested offline and deterministically.'),
    partly('Hundreds of conversations fit into one process.', 'a limit on the memory of a CLI process'),
    met('The executable is found from bundles, archives and containers.'),
    met('Tools of slow servers are there on the first turn, if one wants to wait for them.'),
    met('No line is too long, and a limit of your own costs one line only.'),
    met('Long calls are cut off by your own limits and by nobody else’s.'),
    met('Messages of the future do not break the stream.'),
    met('One server object serves any number of queries at once.'),
    met('It can be told in advance what a list of tools really permits.'),
    met('The last result is marked as such, also with background tasks.'),
    partly('Tool names never break a request.', 'short aliases for long names of servers outside'),
    met('Neither a query nor its host hangs, before the start or after the result.'),
    met('Public types hold: nothing is `any`, and mistakes are found.'),
    met('`canUseTool` may simply allow; a wrong answer is a denial that says what is wrong.'),
    met('Text and images reach the model beside structured content.'),
    open('Tools, hooks and subagents have spans without monkey-patching.'),
    met('Parallel conversations leave the user’s configuration as it was.'),
    met('The command line stays short, whatever the options hold.'),
    met('Abort stops everything at once, handlers included.'),
    met('A CLI that dies in the middle of a write fails the turn, not the host.'),
    met('Resuming keeps the id and the history, and a missing conversation is an error.'),
    met('Conversations can be kept in any store and continued on another machine.'),
    partly('Messages sent during a turn are read at its next step.', 'a choice of when, per message'),
    met('Denied means denied, whoever says so, and the model reads the reason.'),
    met('Tools may change in the middle of a turn.'),
    met('In-process servers can notify, report and ask.'),
    met('Remote servers that die come back, and no call is repeated that may have run.'),
    met('Older and newer versions of the CLI work; what one cannot do is refused.'),
    partly('Subagents see in-process tools.', 'subagents in the embedded runtime'),
    met('Tools can stay out of the prompt until they are searched for.'),
    met('The prefix of a request stays the same, byte for byte.'),
    met('A success with a schema always has its structured output.'),
    met('Nothing of the user’s own configuration leaks into a hermetic program.'),
    met('Long results are cut where you say, and can be read on.'),
    met('A thousand queries leave no listener behind.'),
    met('The child’s environment follows rules that are written down.'),
    met('Secrets never appear on a command line.'),
    open('Questions to the user go to one typed callback.'),
    met('An approval may take as long as a person needs.'),
    partly('Usage and cost are right, and unknown rather than wrong.', 'a ledger per request and subagent'),
    met('Leave the loop anywhere, or read slowly: nothing breaks.'),
    partly('The loop is open source and takes any model.', 'adapters for models of other vendors'),
    met('The package is small and light.'),
    met('Compaction can be controlled.'),
    met('An API failure is never reported as a success.'),
    met('Tools run in parallel when their authors say so, and never otherwise.'),
    met('Servers with OAuth work unattended, with tokens that are asked for when needed.'),
    met('Arguments sent as JSON text are repaired before they are checked.'),
    met('Instructions, prompts and resources of in-process servers count, and tools work elsewhere too.'),
    met('Several turns take a few lines.'),
    partly('A conversation can begin with a history.', 'a given history on the CLI'),
    partly('Servers that are programs never leak.', 'one process shared by subagents'),
  ]),
  chapter('Wishes granted', 'wish ', 1, [
    met('One tool server is shared by any number of concurrent queries.'),
    open('A host pools, hibernates and resumes conversations.'),
    met('Many agents run in one process, with the same API.'),
    met('A test kit comes with the package.'),
    met('`tool()` takes any schema, unions at the root included.'),
    met('In-process MCP works in both directions.'),
    met('Tools appear in the middle of a turn.'),
    met('One can wait until the servers are ready.'),
    partly('Messages steer a turn without ending it.', 'a choice of when, per message'),
    open('Approvals survive a restart, with a timeout policy of the host.'),
    open('Built-in tools can run elsewhere.'),
    met('Conversations can be hermetic.'),
    partly('The truth about a process is known: its pid and its verified end.', 'its memory'),
    met('Secrets stay off the command line.'),
    met('The same tools can be served over stdio and HTTP.'),
    met('Permissions can be explained before anything runs.'),
    open('Caching can be controlled: lifetime, breakpoints, order of tools.'),
    open('A network transport reconnects and replays.'),
    met('The runtime runs on the edge.'),
    partly('A conversation can be seeded from messages.', 'a given history on the CLI'),
    met('Every handler has a signal and knows whose call it serves.'),
    met('Compaction is an API.'),
    open('Spans cover in-process tools and hooks.'),
    open('The loop does not depend on one vendor’s models.'),
  ]),
];

export const REQUIREMENTS: readonly Requirement[] = CHAPTERS.flatMap(({ requirements }) => requirements);

function chapter(title: string, prefix: string, first: number, entries: readonly Entry[]): Chapter {
  const requirements = entries.map((entry, index) => ({ id: `${prefix}${first + index}`, ...entry }));
  return { title, requirements };
}
