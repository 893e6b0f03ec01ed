/**
 * Every wait of Tenon that is not the user's own, in one place, each with its reason.
 * Nothing here bounds a tool, a hook, a permission question or a turn: those may take hours.
 */
export const LIMITS = {
  /** From the spawn to the first line of the CLI. Slow hosts were seen to need 80 s. */
  startupTimeoutMs: 120_000,
  /** For the answer to `initialize` of an agent that is started before it is needed. */
  initializeMs: 60_000,
  /** For the answer to a control request. `set_model` may check with the API for 15 s, `mcp_reconnect` connects for 30 s. */
  controlTimeoutMs: 60_000,
  /** For hooks at the end of a session: whoever closes does not want to wait for long. */
  sessionEndMs: 5_000,
  /** From the end of input to SIGTERM. An idle CLI needs 40–100 ms to write its transcript and leave. */
  closeGraceMs: 2_000,
  /** From a SIGTERM without grace to the end of input, for a wrapper that hears only that. A CLI leaves within 100 ms. */
  endInputAfterSignalMs: 500,
  /** From SIGTERM to SIGKILL. */
  killGraceMs: 3_000,
  /** From SIGKILL to giving up on the exit event: a process in uninterruptible sleep must not hold us. */
  reapMs: 2_000,
  /** After the exit, for a pipe that a surviving grandchild holds open. */
  drainAfterExitMs: 500,
  /** After the exit, from SIGTERM to SIGKILL for grandchildren left in the process group. */
  orphanGraceMs: 500,
  /** From that SIGKILL to going on: where nobody collects dead processes, a group never looks empty. */
  orphanKillMs: 200,
  /** From the start of an agent to that of the shell that ends it when the host dies. The CLI needs 400 ms to be ready. */
  reaperStartMs: 20,
  /** How long the shell that ends what a dead host leaves behind stays without anything to look after. */
  reaperLingerMs: 1_000,
  /** From a result to the line that tells whether it is the last one; the CLI writes it within 5 ms. */
  resultSettleMs: 100,
  /** From the word that a server's tools have changed to the agent's reading of them; the CLI asks within 5 ms. */
  relistMs: 1_000,
  /** Between two looks at the state of MCP servers: while one is connecting, and when all have settled. */
  mcpPendingPollMs: 100,
  mcpPollMs: 1_000,
  /** For `mcpReady()`. The CLI gives an in-process server two tries of 30 s. */
  mcpReadyMs: 65_000,
  /** From the start of a proxied MCP server to its answer to `initialize`; as long as the CLI waits for its own. */
  proxyConnectMs: 30_000,
  /** From the end of input to SIGTERM for an MCP server's process. A server that heeds the end of input needs a few ms. */
  mcpCloseGraceMs: 500,
  /** For the answer to "I leave" of a remote MCP server. */
  mcpLeaveMs: 1_000,
  /** From the word that a connection to an MCP server is of no use to its end, for messages that are just being sent. */
  mcpFadeMs: 500,
  /** Before the first attempt to reach a lost MCP server again; each further one waits twice as long, up to the longest. */
  mcpReconnectMs: 250,
  mcpReconnectMaxMs: 30_000,
  /** So many attempts in a row, about two minutes, and the server is given up until somebody asks for it. */
  mcpReconnectAttempts: 10,
  /** A server that was connected this long was well: after its next end the waiting starts anew. */
  mcpStableMs: 10_000,
  /** How long a session of an HTTP server may lie unused before it is ended. */
  sessionIdleMs: 30 * 60_000,
  /** Sessions of one HTTP server at the same time. */
  maxSessions: 1_000,
  /** Of one HTTP request's body; as the MCP library has it. */
  maxBodyBytes: 4 * 1024 * 1024,
  /** What a session keeps for clients that come back after a lost connection: messages, and their bytes. */
  replayMessages: 1_000,
  replayBytes: 4 * 1024 * 1024,
  /** Of a transcript that a list reads: so many bytes at each end, and more at the head until somebody has said something. */
  transcriptEdgeBytes: 64 * 1024,
  maxTranscriptHeadBytes: 4 * 1024 * 1024,
  /** A longer line of a transcript is passed over: no entry of the CLI comes near, and a hole in a file would fill the memory. */
  maxTranscriptLineBytes: 64 * 1024 * 1024,
  /** Transcripts that are open at the same time. */
  transcriptsAtOnce: 32,
  /** For one call of a session store; `loadTimeoutMs` sets it for reading. */
  storeCallMs: 60_000,
  /** Between the attempts to write to a session store that has failed. */
  storeRetryMs: [200, 800] as readonly number[],
  /** More entries than this do not wait for the end of a turn to go to the store. */
  maxMirroredEntries: 500,
  /** A warm agent that has waited this long is replaced: the date, settings and files that it read grow old. */
  warmAgeMs: 10 * 60_000,
  /** Agents of a pool that start at the same time: each keeps a core busy for half a second. */
  warmStartsAtOnce: 2,
  /** Before a pool tries again to start an agent; doubled with each failure, up to the second. */
  warmRetryMs: 1_000,
  warmMaxRetryMs: 60_000,
  /** In `tenon doctor`: from the start of an agent to its answer. Without a network the CLI was seen to need 20 s. */
  doctorHandshakeMs: 60_000,
  /** In `tenon doctor`: for the answer to `claude --version`. */
  doctorVersionMs: 10_000,
  /** How much of stderr an error shows. */
  stderrTailBytes: 8 * 1024,
  /** Messages that nobody has read yet, in bytes of their lines. See docs/guide/running-agents.md. */
  maxUnreadBytes: 64 * 1024 * 1024,
  /** Above this a flag's value goes into a private file: one argument on Linux may have 128 KB, on Windows all have 32 KB. */
  maxArgumentBytes: 2 * 1024,
} as const;
