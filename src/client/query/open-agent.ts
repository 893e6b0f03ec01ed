import { withTrace } from '../../options/environment.js';
import { givenOptions, warningsTo } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import { type PlannedQuery, planOf } from '../../options/plan.js';
import type { ClientSettings, GivenOptions } from '../../options/row.js';
import { AbortError, messageOf, OptionError } from '../../protocol/base/errors.js';
import type { HostRequestPayload } from '../../protocol/wire/control-requests.js';
import { Callbacks } from '../callbacks/callbacks.js';
import { onAbort } from '../conversation/abort-hub.js';
import { Conversation } from '../conversation/conversation.js';
import type { Prompt } from '../conversation/user-input.js';
import { whyNeverAsked } from '../explain-permissions.js';
import { failedLaunch, type Launch, type LaunchRequest } from '../launch/launch.js';
import { launchRuntime, launchTransport } from '../launch/launch-elsewhere.js';
import type { Machine } from '../launch/machine.js';
import {
  type ConfiguredServers,
  configuredServers,
  serversOnWire,
  warnAbout,
} from '../mcp/configured-servers.js';
import { InProcessServers } from '../mcp/in-process-servers.js';
import { McpControls } from '../mcp/mcp-controls.js';
import { QueryHost } from '../mcp/query-host.js';
import { afterAnswer, withAgent } from './named-agent.js';
import { type Debug, debugTo, frameTap, type Tap } from './observers.js';
import { QueryHandle } from './query-handle.js';
import type { Query } from './query-type.js';
import { openTrace, type Trace, traceHeaders } from './trace.js';

export interface QueryParameters {
  prompt: Prompt;
  options?: Options | undefined;
}

/** `query()`, on the given machine. */
export function runQuery({ prompt, options = {} }: QueryParameters, machine: Machine): Query {
  const given = givenOptions(options, 'query');
  checkPrompt('query', prompt);
  const { conversation, initialized, mcp, say, tape } = openAgent(given, machine, typeof prompt === 'string');
  say(prompt);
  return new QueryHandle(conversation, initialized, mcp, tape);
}

/** An agent that has been started and initialized but not prompted yet. */
export interface OpenAgent {
  conversation: Conversation;
  mcp: McpControls;
  /** The in-process servers that were announced to it. */
  serverNames: string[];
  initialized: Promise<HostRequestPayload<'initialize'>>;
  /** Called once: sends the prompt, immediately or as soon as the servers it needs are ready. */
  say(prompt: Prompt): void;
  /** Where the conversation is recorded, if it is. */
  readonly tape: Tap['tape'];
}

/**
 * Plan, launch, connect. Invalid options are thrown here; problems with the machine are thrown by the loop.
 * `isPrompted`: the whole prompt follows at once.
 */
export function openAgent(options: GivenOptions, machine: Machine, isPrompted = false): OpenAgent {
  const planned = planOf(options);
  const configured = configuredServers(options, planned.env, machine.readConfiguration);
  warnAbout(configured.problems, options);
  if (options.canUseTool !== undefined) warnIfNeverAsked(options);
  const debug = debugTo(options.onDebug, configured.secrets);
  const trace = openTrace(options, isPrompted, configured.secrets, debug);
  try {
    const host = hostOf(options, configured, debug, trace);
    const env = withTrace(planned.env, options.env, traceHeaders(trace, debug));
    const tap = frameTap(options, env, configured.secrets, debug, machine);
    const launch = launchPlanned(options, { ...planned, env }, configured, host, machine, tap);
    return { ...connect(options, planned.settings, configured, host, launch), tape: tap.tape };
  } catch (error) {
    trace?.end(error as Error);
    throw error;
  }
}

/** A callback that is never called looks like a guard and is none. Programs know the code from the official SDK. */
function warnIfNeverAsked(options: GivenOptions): void {
  const reason = whyNeverAsked(options);
  if (reason === undefined) return;
  warningsTo(
    options,
    'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED',
  )(`canUseTool will not be asked: ${reason}. To see every call, give a PreToolUse hook.`);
}

/** What the host provides to the agent. */
interface HostSide {
  debug: Debug;
  inProcess: InProcessServers;
  callbacks: Callbacks;
  signals: readonly AbortSignal[];
  /** The signal that was already aborted, if any: then nothing is started. */
  aborted: AbortSignal | undefined;
  trace: Trace | undefined;
}

function hostOf(
  options: GivenOptions,
  { split }: ConfiguredServers,
  debug: Debug,
  trace: Trace | undefined,
): HostSide {
  const middleware = trace === undefined ? options.toolMiddleware : trace.before(options.toolMiddleware);
  const inProcess = new InProcessServers(split.inProcess, middleware);
  const callbacks = new Callbacks(options, inProcess, debug);
  const signals = [options.abortController?.signal, options.signal].filter((signal) => signal !== undefined);
  const aborted = signals.find((signal) => signal.aborted);
  return { debug, inProcess, callbacks, signals, aborted, trace };
}

function launchPlanned(
  options: GivenOptions,
  { plan, initialize, env }: PlannedQuery,
  { split }: ConfiguredServers,
  { aborted, callbacks, trace }: HostSide,
  machine: Machine,
  tap: Tap,
): Launch {
  if (aborted !== undefined) {
    return failedLaunch(new AbortError('Operation aborted', { cause: aborted.reason }));
  }
  return launchAgent(machine, {
    options,
    plan: { ...plan, mcpServers: serversOnWire(split) },
    env,
    initialize: { ...callbacks.announcement(), ...initialize },
    serverNames: Object.keys(split.inProcess),
    warn: warningsTo(options, 'TENON_OPTION'),
    tap: trace === undefined ? tap : trace.around(tap),
    trace,
  });
}

function connect(
  options: GivenOptions,
  settings: ClientSettings,
  configured: ConfiguredServers,
  { debug, inProcess, callbacks, signals, aborted, trace }: HostSide,
  launch: Launch,
): Omit<OpenAgent, 'tape'> {
  const { split, secrets } = configured;
  const outputSchema = options.outputFormat?.schema;
  const hasHooks = (options.hooks?.SessionEnd?.length ?? 0) > 0;
  const endsSession = !hasHooks ? 'never' : isCli(options) ? 'if announced' : 'always';
  const conversation = new Conversation(
    launch,
    { ...settings, endsSession, debug, secrets, outputSchema },
    callbacks,
  );
  if (aborted === undefined) {
    inProcess.open((serverName) => new QueryHost(serverName, conversation, options, debug));
  }
  const started = conversation.start();
  const agentName = agentElsewhere(options);
  const initialized =
    agentName === undefined ? started : withAgent(agentName, started, (error) => conversation.fail(error));
  initialized.catch((error) => debug('initialize', messageOf(error)));
  if (trace !== undefined) started.then(() => trace.ready()).catch(() => {});
  const mcp = new McpControls(conversation, inProcess, configured, options, initialized, debug);
  const stopListening =
    aborted === undefined ? signals.map((signal) => onAbort(signal, () => conversation.abort(signal))) : [];
  conversation.onEnd((reason) => {
    trace?.end(reason);
    mcp.end();
    inProcess.close();
    for (const stop of stopListening) stop();
  });
  return {
    conversation,
    mcp,
    serverNames: Object.keys(split.inProcess),
    initialized,
    say: (prompt) => {
      const { mcpReady } = options;
      const say = (): void => {
        if (mcpReady) void sayWhenReady(mcp, mcpReady, debug, () => conversation.say(prompt));
        else conversation.say(prompt);
      };
      if (agentName !== undefined) void afterAnswer(initialized, say);
      else say();
    },
  };
}

/** Without `runtime` and `transport` it is the Claude Code CLI; Tenon never switches on its own. */
function launchAgent(machine: Machine, request: LaunchRequest): Launch {
  const { runtime, transport } = request.options;
  if (runtime !== undefined) return launchRuntime(runtime, request);
  return transport === undefined ? machine.launchCli(request) : launchTransport(transport, request, machine);
}

function isCli({ runtime, transport }: GivenOptions): boolean {
  return runtime === undefined && transport === undefined;
}

/** What `agent` names, unless it is in `agents`: then only the CLI knows whether it exists. */
function agentElsewhere({ agent, agents = {} }: GivenOptions): string | undefined {
  return agent === undefined || Object.hasOwn(agents, agent) ? undefined : agent;
}

/** Sends the prompt when the servers are ready, even if some have failed: the agent can work without them. */
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

export function checkPrompt(caller: string, prompt: unknown): asserts prompt is Prompt {
  if (typeof prompt === 'string') return;
  if (typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt) return;
  throw new OptionError(
    'prompt',
    prompt,
    `${caller}(): \`prompt\` must be a string or an async iterable of user messages.`,
  );
}
