/**
 * Every wait in Tenon that is not the user's own, and every bound on what strangers send, in one place, each
 * with its reason. Nothing here bounds a tool, a permission request or a turn: those may take hours.
 */
export const LIMITS = {
  /** A longer shell line is not checked against rules, only asked about: 20 times what a person writes. */
  shellLineLength: 20_000,
  /** From the spawn to the CLI's first line. Slow hosts can need 80 s. */
  startupTimeoutMs: 120_000,
  /**
   * For the answer to `initialize`: from an agent started before it is needed, and before a prompt for a
   * named `agent` is sent unchecked.
   */
  initializeMs: 60_000,
  /**
   * For the answer to a control request. `set_model` may wait 15 s for the API, `mcp_reconnect` 30 s for a
   * server.
   */
  controlTimeoutMs: 60_000,
  /** For hooks at the end of a session: a caller who closes does not want to wait long. */
  sessionEndMs: 5_000,
  /** The same after a signal: less than `killGraceMs`, so that there is time left to end what was started. */
  sessionEndAfterSignalMs: 1_500,
  /** From the end of input to SIGTERM. An idle CLI needs 40–100 ms to write its transcript and exit. */
  closeGraceMs: 2_000,
  /**
   * From a SIGTERM without a grace period to the end of input, for a wrapper that reacts only to the latter.
   * A CLI exits within 100 ms.
   */
  endInputAfterSignalMs: 500,
  /** From SIGTERM to SIGKILL. */
  killGraceMs: 3_000,
  /** From SIGKILL to giving up on the exit event: a process in uninterruptible sleep must not block us. */
  reapMs: 2_000,
  /** After the exit, for a pipe that a surviving grandchild holds open. */
  drainAfterExitMs: 500,
  /** After the exit, from SIGTERM to SIGKILL for grandchildren still in the process group. */
  orphanGraceMs: 500,
  /**
   * After that SIGKILL, before continuing: where nobody collects dead processes, a group never looks empty.
   */
  orphanKillMs: 200,
  /**
   * What a command wrote before it ended is at most a full pipe, which is 64 KB, or what root has made of it. More
   * comes from what it has left running.
   */
  maxPipeBytes: 1024 * 1024,
  /** Between two looks at what a command has left running. */
  leftRunningPollMs: 5_000,
  /** For the attempt to break out of a sandbox, which takes 100 ms. */
  isolationProbeMs: 30_000,
  /** For one search of files. Ripgrep reads a million files in less. */
  searchMs: 60_000,
  /** What a search finds: more is not for a model. */
  maxSearchBytes: 64 * 1024 * 1024,
  /** Where files are searched without ripgrep: how much of each is read, how many at once, and how long at a stretch. */
  maxSearchedFileBytes: 64 * 1024 * 1024,
  filesSearchedAtOnce: 8,
  searchSliceMs: 10,
  /** How often a file is opened again that somebody else has replaced in that moment. */
  replacedFileAttempts: 20,
  /** How long the shell that cleans up after a dead host stays when there is nothing to watch. */
  reaperLingerMs: 1_000,
  /** From a result to the line that says whether it is the last one; the CLI writes it within 5 ms. */
  resultSettleMs: 100,
  /**
   * From the notice that a server's tools have changed to the agent listing them; the CLI asks within 5 ms.
   */
  relistMs: 1_000,
  /** Between two polls of the state of MCP servers: while one is connecting, and once all have settled. */
  mcpPendingPollMs: 100,
  mcpPollMs: 1_000,
  /** For `mcpReady()`. The CLI gives an in-process server two attempts of 30 s each. */
  mcpReadyMs: 65_000,
  /**
   * From the start of a proxied MCP server to its answer to `initialize`; as long as the CLI waits for its
   * own.
   */
  proxyConnectMs: 30_000,
  /**
   * From the end of input to SIGTERM for an MCP server's process. One that heeds the end of input needs a few
   * ms.
   */
  mcpCloseGraceMs: 500,
  /** For a remote MCP server's answer to the request that ends its session. */
  mcpLeaveMs: 1_000,
  /** Before an unusable connection to an MCP server is closed, for messages that are still being sent. */
  mcpFadeMs: 500,
  /**
   * Before the first attempt to reconnect to a lost MCP server; doubled with each attempt, up to the maximum.
   */
  mcpReconnectMs: 250,
  mcpReconnectMaxMs: 30_000,
  /**
   * After this many failed attempts in a row, about two minutes, the server is abandoned until someone asks
   * for it.
   */
  mcpReconnectAttempts: 10,
  /**
   * How often, and after which delays, a broken stream of a remote server is reopened before the server counts
   * as lost. A server may set other delays, but not shorter than the minimum.
   */
  mcpStreamRetries: 4,
  mcpStreamRetryMs: 250,
  mcpStreamRetryMaxMs: 5_000,
  mcpStreamRetryMinMs: 100,
  /** Redirects of one request to a remote server. */
  maxRedirects: 5,
  /**
   * What a server may list (tools, resources, prompts), all pages together. Servers seen in the wild stay below
   * a hundredth of it; one above it wants to exhaust us.
   */
  maxListPages: 1_000,
  maxListItems: 100_000,
  maxListBytes: 64 * 1024 * 1024,
  /** The name of a tool or prompt. MCP recommends 128, models accept 128 at most. */
  maxNameChars: 1_024,
  /** One message of an MCP server or client: a line, an HTTP response, an event of a stream. */
  maxMcpMessageBytes: 128 * 1024 * 1024,
  /** A server that stayed connected this long was healthy: the next time it is lost, the delays start over. */
  mcpStableMs: 10_000,
  /** For a hook whose matcher sets no limit: a person may have to answer. */
  hookMs: 600_000,
  /** How often the host is told that a long call is still running. */
  toolHeartbeatMs: 30_000,
  /**
   * From the start of a command to the line that tells the host of it; from then on it can be moved to the background.
   */
  commandTaskMs: 3_000,
  /** For a command without a `timeout`, and at most; `BASH_DEFAULT_TIMEOUT_MS` and `BASH_MAX_TIMEOUT_MS` override it. */
  commandMs: 120_000,
  commandMaxMs: 600_000,
  /** For a command in the background, and at most. */
  backgroundCommandMs: 30 * 60_000,
  backgroundCommandMaxMs: 120 * 60_000,
  /** A command that only waits for longer than this is refused: the turn would stand still. */
  leadingSleepSeconds: 25,
  /** What the model reads of a command's output, and at most; `BASH_MAX_OUTPUT_LENGTH` overrides it. */
  commandOutputBytes: 30_000,
  commandOutputMaxBytes: 150_000,
  /** What is kept of it in a file: more than anybody reads, and less than a disk has. */
  savedOutputBytes: 100 * 1024 * 1024,
  /** Where nothing can be added to a file: how much it may have, and how often it is written again. */
  rewrittenOutputBytes: 1024 * 1024,
  rewriteOutputMs: 1_000,
  /** What a host can ask for of a task's output, and of how many tasks that have ended. */
  taskTailBytes: 8 * 1024,
  keptTaskOutputs: 100,
  /** Before the first retry of a model's API; doubled with each failure, up to the maximum. */
  modelRetryMs: 500,
  modelRetryMaxMs: 32_000,
  /** A model's API sends signs of life while the model thinks; one that is silent for so long is not coming back. */
  modelSilenceMs: 10 * 60_000,
  /** The longest event of a model's stream, and how much of a refusal is read. */
  modelEventChars: 64 * 1024 * 1024,
  modelRefusalChars: 64 * 1024,
  /**
   * For a call of a tool without a time limit that waits for its turn, while all places are taken by handlers
   * that run on after their calls were cancelled.
   */
  lateHandlerMs: 60_000,
  /**
   * What is read of memory files, skills, commands and styles: by file, and all together. People write a few
   * kilobytes; more would fill the context window, or is no text.
   */
  maxKnowledgeFileBytes: 1024 * 1024,
  maxMemoryFiles: 200,
  maxMemoryChars: 1024 * 1024,
  maxKnownPrompts: 500,
  /** How deep memory files import one another; as the CLI has it. */
  maxImportDepth: 4,
  /** How deep folders of rules and commands are looked through. */
  maxFolderDepth: 8,
  /** What is read of files that a prompt mentions (`@path`). */
  maxMentions: 20,
  maxMentionLines: 2_000,
  maxMentionBytes: 256 * 1024,
  /** What the descriptions of all skills may take of every request. */
  maxSkillListChars: 16_000,
  maxSkillDescriptionChars: 1_536,
  /** For the tool sources of a conversation to clean up at its end. */
  toolsCloseMs: 2_000,
  /** For saying what has changed in a file: two long files without a common line would take minutes. */
  diffMs: 1_000,
  /** What a file tool takes into memory of a file; a larger one has to be searched or edited by a command. */
  maxFileBytes: 64 * 1024 * 1024,
  /** What copies of files for `rewindFiles()` may take in one conversation. The oldest checkpoints are given up. */
  maxCheckpointBytes: 64 * 1024 * 1024,
  maxCheckpoints: 100,
  /** What is written of them for a conversation that is resumed; a store cannot forget single copies. */
  maxCheckpointLogBytes: 256 * 1024 * 1024,
  /** What `read_file` gives unless it is asked for less, and how many files are looked at for suggestions. */
  readFileBytes: 1_000_000,
  maxSuggestedFrom: 5_000,
  /** How long a session of an HTTP server may stay unused before it is ended. */
  sessionIdleMs: 30 * 60_000,
  /** How long clients of an HTTP server are told to wait before they reopen a broken stream. */
  streamRetryAfterMs: 1_000,
  /** Concurrent sessions of one HTTP server. */
  maxSessions: 1_000,
  /** The body of one HTTP request; the MCP library's own limit. */
  maxBodyBytes: 4 * 1024 * 1024,
  /**
   * What waits to be sent to one client of a server before the client is cut off. More than a result usually
   * has, so that only one that does not read gets there.
   */
  maxUnsentBytes: 16 * 1024 * 1024,
  /** What a session keeps for clients that reconnect: a number of messages, and their bytes. */
  replayMessages: 1_000,
  replayBytes: 4 * 1024 * 1024,
  /**
   * What a list reads of a transcript: this much at each end, and more at the head until it finds a prompt.
   */
  transcriptEdgeBytes: 64 * 1024,
  maxTranscriptHeadBytes: 4 * 1024 * 1024,
  /**
   * Longer lines of a transcript are skipped: no entry of the CLI comes close, and a sparse file would
   * exhaust memory.
   */
  maxTranscriptLineBytes: 64 * 1024 * 1024,
  /** What a span says of prompts, answers, inputs and outputs. Backends refuse spans that are too large. */
  spanContentChars: 32 * 1024,
  /** A recording is written this often, or when this much of it waits: a write costs the same as five frames. */
  tapeFlushMs: 100,
  tapeFlushChars: 64 * 1024,
  /** What waits for a disk that is slower than the conversation. With more, the recording ends. */
  maxTapeQueueBytes: 32 * 1024 * 1024,
  /** The longest recording, the longest frame in it, and how many are kept; see `RecordOptions`. */
  maxTapeBytes: 64 * 1024 * 1024,
  maxTapeFrameBytes: 1024 * 1024,
  maxTapes: 100,
  /** For the rest of a recording to be written before the end of its conversation is told. */
  tapeCloseMs: 1_000,
  /** For what the CLI has written about its model, at the end; and how often it is looked for if nothing reports it. */
  exchangeCloseMs: 1_000,
  exchangePollMs: 500,
  /** How long an inspected CLI keeps spans before it sends them: a page that shows them is waiting. */
  spanDelayMs: 200,
  /** Longer bodies are not read: the API refuses requests above 32 MB. */
  maxExchangeBytes: 32 * 1024 * 1024,
  /** How much older a file may seem than it is: file systems round the time. */
  fileTimeGrainMs: 2_000,
  /** Longer lines of a tape are an error: its writer writes none that is longer than a frame may be. */
  maxTapeLineBytes: 64 * 1024 * 1024,
  /** How many repeated texts a recording remembers. */
  rememberedBlocks: 10_000,
  /**
   * How long the replay of a tape waits for something that the program did by itself in the recording. Nothing that
   * the agent asked for is waited for less than the program needs.
   */
  replayPatienceMs: 10_000,
  /** The inspector: what it keeps in memory of all runs, and of how many. The oldest that have ended make room. */
  maxInspectedBytes: 256 * 1024 * 1024,
  maxInspectedRuns: 1_000,
  /** What it takes of spans that agents report: those of a run, and those whose run is not known yet. */
  maxSpansOfRun: 20_000,
  maxEarlySpans: 2_000,
  maxSpanAttributes: 128,
  maxSpanTextChars: 4_096,
  maxSessionsOfRun: 100,
  /** Pages that are open at the same time, and connections: a browser opens six for one page. */
  maxInspectorPages: 16,
  maxInspectorConnections: 256,
  /** For the whole of a request to arrive. */
  inspectorRequestMs: 30_000,
  /** Between two parts of what a page is sent: faster than a screen shows it would be work for nobody. */
  feedBatchMs: 15,
  /** Questions and states that wait for a page that does not read, and how long it may read nothing at all. */
  maxQueuedFeedLines: 1_000,
  feedStallMs: 60_000,
  /** Between two looks at a directory of recordings, where the system does not tell of every change. */
  tapePollMs: 250,
  /** Transcripts open at the same time. */
  transcriptsAtOnce: 32,
  /** For one call to a session store; `loadTimeoutMs` overrides it for reading. */
  storeCallMs: 60_000,
  /** Between two attempts to lock a file of a session store; a writer holds it for a few ms. */
  lockPollMs: 5,
  /** A lock that one owner has held this long is that of a process which was killed. */
  abandonedLockMs: 10_000,
  /** Between attempts to write to a failing session store. */
  storeRetryMs: [200, 800] as readonly number[],
  /** Of how many stored conversations this process remembers where they end, to find two writers of one. */
  maxKnownEnds: 10_000,
  /** With more entries than this, the store is written before the turn ends. */
  maxMirroredEntries: 500,
  /**
   * A warm agent that has waited this long is replaced: the date, settings and files it read have gone stale.
   */
  warmAgeMs: 10 * 60_000,
  /** Agents of a pool that start at the same time: each occupies a core for half a second. */
  warmStartsAtOnce: 2,
  /** Before a pool retries a failed start; doubled with each failure, up to the maximum. */
  warmRetryMs: 1_000,
  warmMaxRetryMs: 60_000,
  /** What is known of a model's price and window is looked up again: the table can be renewed while the process runs. */
  knownModelsMs: 60 * 60_000,
  /** In `tenon doctor`: from the start of an agent to its answer. Without a network the CLI can need 20 s. */
  doctorHandshakeMs: 60_000,
  /** In `tenon doctor`: for the answer to `claude --version`. */
  doctorVersionMs: 10_000,
  /** Between attempts to remove a private directory into which a dying process still writes. */
  removeRetryMs: 20,
  /** How much of a command hook's output is kept; a decision is a few hundred characters long. */
  hookOutputChars: 1024 * 1024,
  /** Warnings that are not repeated in this process. */
  rememberedWarnings: 256,
  /** How much of stderr an error shows. */
  stderrTailBytes: 8 * 1024,
  /** Conversations and requests to models that go on between two turns of the event loop. Each takes about 1 ms. */
  begunPerLoopTurn: 16,
  /** Unread messages without a line are measured when there are more, unless `maxUnreadBytes` is given. */
  unmeasuredMessages: 64,
  /** Unread messages, measured in bytes of their lines. See docs/guide/running-agents.md. */
  maxUnreadBytes: 64 * 1024 * 1024,
  /**
   * Above this a flag's value goes into a private file: Linux allows 128 KB per argument, Windows 32 KB for
   * all of them.
   */
  maxArgumentBytes: 2 * 1024,
  /** Agents that call agents: the deepest of them have no tool for it. As in the CLI. */
  maxSubagentDepth: 3,
  /** Subagents of one conversation that run at the same time. */
  maxSubagents: 32,
  /** The name of a tenant, a conversation or a key of a host: long enough for any id, short enough for an index. */
  maxHostNameChars: 256,
  /** What is read of a host's storage at once, and at most. */
  hostPage: 500,
  hostPageMost: 10_000,
  /** Between two looks at a host's database: where it cannot be listened to, and where it can and only a lost word is made up for. */
  hostPollMs: 500,
  hostSafetyPollMs: 10_000,
  /** Before a lost connection that listened is made again; doubled with each failure, up to the maximum. */
  hostListenRetryMs: 100,
  hostListenRetryMaxMs: 5_000,
  /** With fewer places left than this in the queue, prompts are counted one after another: until then nobody waits. */
  hostQueueMargin: 64,
  /** How many tenants one claim looks at; the next goes on behind them. */
  hostTenantsAtOnce: 200,
  /** Of how many tenants a program knows when they had their last turn. */
  hostTenantsServed: 10_000,
  /** Transcripts of which a host's storage remembers how they end, about half a KB each. */
  hostTranscriptsKnown: 10_000,
  /** Rows that one statement deletes: more would hold up others. */
  hostSweepRows: 5_000,
  /** A host over HTTP: the body of a request, and how long it may take to arrive. */
  hostBodyBytes: 1024 * 1024,
  hostBodyMs: 30_000,
  /** Between two signs of life on a silent stream: proxies close what is silent for a minute, some earlier. */
  hostHeartbeatMs: 15_000,
  /** How long a reader may take nothing while something waits for it, and its connection anything that was sent. */
  hostSlowReaderMs: 30_000,
  hostStalledMs: 60_000,
  /** How long browsers remember that a page of another origin may ask. */
  corsMaxAgeMs: 600_000,
  /** Answers to questions in one message of a chat page. */
  maxChatAnswers: 100,
  /**
   * A call asks a chat page for permission, and others of the same answer run or wait for it, which nobody can tell. The page
   * can answer only when the stream has ended: after so long without news.
   */
  chatQuietMs: 2_000,
  /** Events that wait to be stored; then the agent waits too. */
  hostEventsAtOnce: 500,
  /** Between two looks for conversations to run: leases that have expired and delays that are over tell nobody. */
  hostClaimMs: 1_000,
  /** How many conversations one claim takes. */
  hostClaimAtOnce: 50,
  /** What of an inbox a run reads at once. */
  hostInboxPage: 50,
  /** Between two rounds that delete what is no longer kept. */
  hostSweepMs: 60_000,
  /** How old what is kept may become: as far back as databases can count. */
  hostAgeMostMs: 100 * 365 * 24 * 60 * 60_000,
  /** How long a function may take to say which options a conversation has. */
  hostOptionsMs: 30_000,
  /** Entries of inboxes, answered questions and ended calls are kept so long, unless a program says otherwise. */
  hostDoneMs: 30 * 24 * 60 * 60_000,
  /** Before a conversation whose agent has failed is tried again; with the last failure it is parked. */
  hostRetryMs: [1_000, 5_000, 30_000] as readonly number[],
  /** Before the storage is asked again after a failure. */
  hostStorageRetryMs: 1_000,
  /** How often a conversation is tried to be given back to a storage that is away. */
  hostCommitTries: 15,
  /** Of how many conversations a host remembers that they have failed. */
  hostFailures: 10_000,
  /** Events of a conversation that are kept in memory for readers that are behind, and characters of them. */
  hostRecentEvents: 500,
  hostRecentChars: 1_000_000,
  /** What a reader of events holds in its hands; more costs memory for each one that has stopped reading. */
  hostReaderPage: 100,
  /** When to send again what was refused, as long as nothing is known of how long turns take; and at most. */
  hostRetryAfterMs: 1_000,
  hostRetryAfterMostMs: 60_000,
  /** From a call of the CLI to its entry in the transcript, which takes it about 60 ms. */
  hostCallStoredMs: 10_000,
  /** Of how many calls of a process a host remembers that they are stored. */
  hostStoredCalls: 1_000,
  /** Before a process of the CLI that has not reached a tool's server is told to go on; after the last one the tool is gone. */
  hostUnavailableMs: [0, 500, 2_000, 8_000, 20_000] as readonly number[],
} as const;
