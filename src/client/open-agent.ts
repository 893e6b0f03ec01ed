import type { HostRequestPayload, InitializeRequest } from '../protocol/control-requests.js';
import { AbortError, messageOf } from '../protocol/errors.js';
import type { SDKUserMessage } from '../protocol/messages/index.js';
import { onAbort } from './abort-hub.js';
import { Callbacks } from './callbacks/callbacks.js';
import { Conversation } from './conversation.js';
import { conversationSettings } from './conversation-settings.js';
import { type Debug, debugTo } from './debug.js';
import { failedLaunch, type Launch } from './launch/launch.js';
import { launchCli } from './launch/launch-cli.js';
import { launchRuntime } from './launch/launch-runtime.js';
import { configuredServers, warnOf } from './mcp/configured-servers.js';
import { HostPeer } from './mcp/host-peer.js';
import { InProcessServers } from './mcp/in-process-servers.js';
import { McpControls } from './mcp/mcp-controls.js';
import type { SplitServers } from './mcp/split-servers.js';
import type { Options } from './options.js';

/** What a conversation is begun with. */
export type Prompt = string | AsyncIterable<SDKUserMessage>;

/** An agent that was started and told of its host, and that nobody has asked anything yet. */
export interface OpenAgent {
  conversation: Conversation;
  mcp: McpControls;
  /** The in-process servers that it was told of. */
  serverNames: string[];
  initialized: Promise<HostRequestPayload<'initialize'>>;
  /** Once: the prompt goes out, at once or as soon as the servers that it needs are there. */
  say(prompt: Prompt): void;
}

export function openAgent(options: Options): OpenAgent {
  const configured = configuredServers(options);
  const { split: servers, secrets } = configured;
  warnOf(configured.problems, options);
  const debug = debugTo(options.onDebug, secrets);
  const inProcess = new InProcessServers(
    servers.inProcess,
    (serverName) => new HostPeer(serverName, conversation, options, debug),
  );
  const callbacks = new Callbacks(options, inProcess, debug);
  const signals = [options.abortController?.signal, options.signal].filter((signal) => signal != null);
  const aborted = signals.find((signal) => signal.aborted);
  const launch =
    aborted === undefined
      ? launchAgent(options, servers, callbacks.announcement())
      : failedLaunch(new AbortError('Operation aborted', { cause: aborted.reason }));

  const stopListening: (() => void)[] = [];
  const conversation = new Conversation(
    launch,
    conversationSettings(options, debug, secrets),
    callbacks,
    () => {
      mcp.end();
      inProcess.close();
      for (const stop of stopListening) stop();
    },
  );
  let initialized: ReturnType<Conversation['initialize']>;
  const mcp = new McpControls(conversation, inProcess, configured, options, () => initialized, debug);
  conversation.start();
  if (aborted === undefined) inProcess.connectOwn();
  initialized = conversation.initialize();
  initialized.catch((error) => debug('initialize', messageOf(error)));
  if (aborted === undefined) {
    for (const signal of signals) stopListening.push(onAbort(signal, () => conversation.abort(signal)));
  }
  return {
    conversation,
    mcp,
    serverNames: Object.keys(servers.inProcess),
    initialized,
    say: (prompt) => {
      if (options.mcpReady) void sayWhenReady(mcp, options.mcpReady, debug, () => say(conversation, prompt));
      else say(conversation, prompt);
    },
  };
}

/** No runtime means the Claude Code CLI; there is no switching between the two behind the user's back. */
function launchAgent(options: Options, servers: SplitServers, announcement: InitializeRequest): Launch {
  const { runtime } = options;
  return runtime == null
    ? launchCli(options, servers, announcement)
    : launchRuntime(runtime, options, servers, announcement);
}

/** The prompt waits for the servers, and goes out also when some have failed: the agent can do without. */
async function sayWhenReady(
  mcp: McpControls,
  wanted: Exclude<Options['mcpReady'], false | null | undefined>,
  debug: Debug,
  say: () => void,
): Promise<void> {
  try {
    await mcp.ready(wanted === true ? {} : wanted);
  } catch (error) {
    debug('mcp', `the prompt did not wait for the servers: ${messageOf(error)}`);
  }
  say();
}

function say(conversation: Conversation, prompt: Prompt): void {
  if (typeof prompt !== 'string') {
    // A failing stream fails the conversation, and so the loop.
    conversation.writeStream(prompt).catch(() => {});
    return;
  }
  try {
    conversation.input.writeText(prompt);
  } catch {
    // The process is gone already: the end of the transport tells why.
  }
}
