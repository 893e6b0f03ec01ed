import type { AgentRuntime, AgentStart, OpenTransport } from '../../options/agent-runtime.js';
import type { AgentPlan } from '../../options/plan.js';
import { checkNoProcess } from '../../options/support.js';
import { OptionError } from '../../protocol/base/errors.js';
import { hostDirectory } from '../../protocol/base/host-process.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { failedTransport } from '../../protocol/transport/failed-transport.js';
import type { Transport } from '../../protocol/transport/transport.js';
import { openArguments, remoteArguments } from './command-line.js';
import { type Launch, type LaunchRequest, unstartedLaunch } from './launch.js';
import type { Machine } from './machine.js';

/** Opens a runtime. It receives the store and stores the conversation itself. */
export function launchRuntime(runtime: AgentRuntime, request: LaunchRequest): Launch {
  const { sessionStore, sessionStoreFlush, loadTimeoutMs } = request.options;
  const store = { sessionStore, sessionStoreFlush, loadTimeoutMs };
  const open = (): Transport =>
    request.tap.around(opened('runtime', runtime.open(agentStart(request, request.plan, store))));
  return launch(request, open, runtime.name);
}

/** Opens the user's own transport. The agent is elsewhere, so the client fills the store. */
export function launchTransport(
  transport: OpenTransport,
  request: LaunchRequest,
  { openKept }: Pick<Machine, 'openKept'>,
): Launch {
  const { options, plan, env } = request;
  const open = (final: AgentPlan): Transport =>
    request.tap.around(opened('transport', transport(agentStart(request, final))));
  return launch(request, () => openKept({ options, plan, env, open }));
}

/** Throws for options that do not suit the agent; any other error becomes a transport that ends with it. */
function launch(request: LaunchRequest, open: () => Transport, name?: string): Launch {
  const { initialize, options, warn } = request;
  checkNoProcess(options, warn);
  const launched: Launch = unstartedLaunch(initialize);
  if (name !== undefined) launched.agent = name;
  try {
    launched.transport = open();
  } catch (error) {
    if (error instanceof OptionError) throw error;
    launched.transport = failedTransport(error as Error);
  }
  return launched;
}

function opened(option: 'runtime' | 'transport', transport: Transport): Transport {
  if (isRecord(transport) && typeof transport.start === 'function') return transport;
  const opener = option === 'runtime' ? '`runtime.open(start)`' : '`transport(start)`';
  throw new OptionError(
    option,
    transport,
    `${opener} must return a transport (see \`Transport\` of tenon/protocol); it returned ${String(transport)}.`,
  );
}

function agentStart(
  { options, env, warn, tap, trace }: LaunchRequest,
  plan: AgentPlan,
  store: Pick<AgentStart, 'sessionStore' | 'sessionStoreFlush' | 'loadTimeoutMs'> = {},
): AgentStart {
  const { cwd } = options;
  return {
    ...store,
    plan,
    options,
    env,
    cwd: cwd ?? hostDirectory(),
    warn,
    onModel: tap.onModel,
    trace,
    get args() {
      return openArguments(plan, cwd);
    },
    commandLine: () => {
      const own = { ...env };
      return { args: remoteArguments(plan, cwd, own), env: own };
    },
  };
}
