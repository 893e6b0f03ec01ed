import type { AgentRuntime } from '../../protocol/agent-runtime.js';
import type { InitializeRequest } from '../../protocol/control-requests.js';
import { failedTransport } from '../../protocol/failed-transport.js';
import type { SplitServers } from '../mcp/split-servers.js';
import type { Options } from '../options.js';
import { commandLine } from './command-line.js';
import { type Launch, unstartedLaunch } from './launch.js';
import { PrivateFiles } from './private-files.js';
import { redactArguments } from './redact.js';

/** Opens an agent that is not a process, with the same command line that the CLI would get. */
export function launchRuntime(
  runtime: AgentRuntime,
  options: Options,
  servers: SplitServers,
  announcement: InitializeRequest,
): Launch {
  const launch: Launch = unstartedLaunch(announcement);
  try {
    const files = new PrivateFiles();
    const { args, env, initialize } = commandLine(options, servers, announcement, undefined, files);
    launch.argv = redactArguments(args);
    launch.initialize = initialize;
    launch.transport = runtime.open({
      args,
      env,
      cwd: options.cwd ?? process.cwd(),
      sessionStore: options.sessionStore ?? undefined,
      sessionStoreFlush: options.sessionStoreFlush ?? undefined,
      loadTimeoutMs: options.loadTimeoutMs ?? undefined,
    });
  } catch (error) {
    launch.transport = failedTransport(error as Error);
  }
  return launch;
}
