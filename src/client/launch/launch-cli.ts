import { statSync } from 'node:fs';
import type { InitializeRequest } from '../../protocol/control-requests.js';
import { ProcessError } from '../../protocol/errors.js';
import { failedTransport } from '../../protocol/failed-transport.js';
import {
  type FrameProcess,
  ProcessTransport,
  spawnTransport,
} from '../../protocol/process/process-transport.js';
import type { Transport } from '../../protocol/transport.js';
import type { SplitServers } from '../mcp/split-servers.js';
import type { Options } from '../options.js';
import { versionOf } from './cli-version.js';
import { commandLine } from './command-line.js';
import { deferredTransport } from './deferred-transport.js';
import { isScript, requireClaudeCode } from './find-claude-code.js';
import { type Launch, unstartedLaunch } from './launch.js';
import { PrivateConfig } from './private-config.js';
import { PrivateFiles } from './private-files.js';
import { redactArguments } from './redact.js';

/** Starts the CLI. What is wrong with the machine (no CLI, no directory) becomes a transport that ends with it. */
export function launchCli(options: Options, servers: SplitServers, announcement: InitializeRequest): Launch {
  const files = new PrivateFiles();
  const config = new PrivateConfig(options);
  const launch: Launch = {
    ...unstartedLaunch(announcement),
    ready: () => files.remove(),
    ended: () => config.remove(),
  };
  try {
    start(launch, options, servers, announcement, files, config);
  } catch (error) {
    files.remove();
    config.remove();
    launch.transport = failedTransport(error as Error);
  }
  return launch;
}

function start(
  launch: Launch,
  options: Options,
  servers: SplitServers,
  announcement: InitializeRequest,
  files: PrivateFiles,
  config: PrivateConfig,
): void {
  const { cwd } = options;
  const custom = options.spawnClaudeCodeProcess;
  // Where somebody else starts it, directory and path may be those of another machine.
  if (custom === undefined) checkDirectory(cwd);
  const path = programOf(options);
  launch.cliVersion = versionOf(path);
  const { args, env, initialize } = commandLine(options, servers, announcement, launch.cliVersion, files);
  launch.initialize = initialize;
  config.applyTo(env);
  launch.interpreter = isScript(path) ? (options.executable ?? defaultInterpreter()) : undefined;
  const prefix = options.executableArgs ?? [];
  const [command, ...before] = (
    launch.interpreter === undefined ? [path, ...prefix] : [launch.interpreter, ...prefix, path]
  ) as [string, ...string[]];
  launch.argv = redactArguments([command, ...before, ...args]);
  const open = (last: string[]): Transport => spawn(command, [...before, ...last], env, options);
  const { sessionStore } = options;
  launch.transport =
    sessionStore == null
      ? open(args)
      : deferredTransport(async (isStopped) => {
          const { openStored } = await import('../stored/open-stored.js');
          return openStored({ options: { ...options, sessionStore }, args, env, open }, isStopped);
        });
}

function programOf({ pathToClaudeCodeExecutable: path, cwd, env, spawnClaudeCodeProcess }: Options): string {
  if (path === undefined) {
    // Finding the program is the host's business, whatever environment the program then gets.
    return requireClaudeCode({ cwd, env: { ...process.env, ...env } });
  }
  return spawnClaudeCodeProcess === undefined ? requireClaudeCode({ path, cwd }) : path;
}

function spawn(command: string, args: string[], env: NodeJS.ProcessEnv, options: Options): Transport {
  const { cwd, spawnClaudeCodeProcess: custom } = options;
  const limits = { maxLineBytes: options.maxLineBytes, closeGraceMs: options.closeGraceMs };
  if (custom === undefined) return spawnTransport({ command, args, cwd, env, ...limits });
  const controller = new AbortController();
  const child = custom({
    command,
    args,
    env,
    signal: controller.signal,
    ...(cwd === undefined ? {} : { cwd }),
  });
  return new ProcessTransport(asFrameProcess(child, controller), limits);
}

/** The signal that the user's spawn was given fires when the process has to go, whatever `kill` then does. */
function asFrameProcess(
  child: ReturnType<NonNullable<Options['spawnClaudeCodeProcess']>>,
  controller: AbortController,
): FrameProcess {
  const { stderr, pid } = child as { stderr?: FrameProcess['stderr']; pid?: number };
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    ...(stderr === undefined ? {} : { stderr }),
    pid,
    kill: (signal) => {
      const sent = child.kill(signal);
      controller.abort();
      return sent;
    },
    once: (event: 'exit' | 'error', listener: (...details: never[]) => void) =>
      child.once(event as 'exit', listener as never),
  } as FrameProcess;
}

function checkDirectory(cwd: string | undefined): void {
  if (cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new ProcessError(
    'CWD_NOT_FOUND',
    `The working directory does not exist: \`cwd\` is "${cwd}". Create it, or give another one.`,
  );
}

/** The one that runs us, so that it is there even where PATH has none. Electron's would open a window. */
function defaultInterpreter(): string {
  return 'electron' in process.versions ? 'node' : process.execPath;
}
