import type { InitializeRequest } from '../protocol/control-requests.js';
import { AbortError, messageOf, OptionError } from '../protocol/errors.js';
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
import { InProcessServers } from './mcp/in-process-servers.js';
import { McpControls } from './mcp/mcp-controls.js';
import { peerOf } from './mcp/peer.js';
import type { SplitServers } from './mcp/split-servers.js';
import type { Options } from './options.js';
import { QueryHandle } from './query-handle.js';
import type { Query } from './query-type.js';
import { validateOptions } from './validate-options.js';

export interface QueryParameters {
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options | undefined;
}

/**
 * Runs an agent. The process starts at once; iterate over the result to read its messages. What is wrong with the
 * options is thrown here; what goes wrong later is thrown out of the loop.
 */
export function query({ prompt, options = {} }: QueryParameters): Query {
  validateOptions(options);
  checkPrompt(prompt);
  const configured = configuredServers(options);
  const { split: servers, secrets } = configured;
  warnOf(configured.problems, options);
  const debug = debugTo(options.onDebug, secrets);
  const inProcess = new InProcessServers(servers.inProcess, (serverName) =>
    peerOf(serverName, conversation, options, debug),
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
    conversationSettings(options, () => callbacks.any, debug, secrets),
    (request) => callbacks.serve(request),
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
  if (options.mcpReady) void sayWhenReady(mcp, options.mcpReady, debug, () => say(conversation, prompt));
  else say(conversation, prompt);
  if (aborted === undefined) {
    for (const signal of signals) stopListening.push(onAbort(signal, () => conversation.abort(signal)));
  }
  return new QueryHandle(conversation, initialized, mcp);
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
  wanted: NonNullable<Options['mcpReady']>,
  debug: Debug,
  say: () => void,
): Promise<void> {
  try {
    await mcp.ready(wanted === true ? {} : wanted === false ? { servers: [] } : wanted);
  } catch (error) {
    debug('mcp', `the prompt did not wait for the servers: ${messageOf(error)}`);
  }
  say();
}

function say(conversation: Conversation, prompt: QueryParameters['prompt']): void {
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

function checkPrompt(prompt: unknown): void {
  if (typeof prompt === 'string') return;
  if (typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt) return;
  throw new OptionError(
    'prompt',
    prompt,
    'query(): `prompt` must be a string or an async iterable of user messages.',
  );
}
