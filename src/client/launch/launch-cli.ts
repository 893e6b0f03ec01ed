import { statSync } from 'node:fs';
import type { SpawnedProcess } from '../../options/options.js';
import type { AgentPlan } from '../../options/plan.js';
import type { GivenOptions } from '../../options/row.js';
import { ProcessError } from '../../protocol/base/errors.js';
import { parseRule, ruleWarning } from '../../protocol/permissions/permission-rules.js';
import { failedTransport } from '../../protocol/transport/failed-transport.js';
import {
  type FrameProcess,
  ProcessTransport,
  spawnTransport,
} from '../../protocol/transport/process/process-transport.js';
import type { Transport } from '../../protocol/transport/transport.js';
import type { StoredLaunch } from '../stored/open-stored.js';
import { adaptToVersion, versionOf } from './cli-versions.js';
import { localArguments, redactArguments, remoteArguments } from './command-line.js';
import { deferredTransport } from './deferred-transport.js';
import { isScript, requireClaudeCode } from './find-claude-code.js';
import { CLAUDE_CODE, type Launch, type LaunchRequest, unstartedLaunch } from './launch.js';
import { ObservedCli } from './observed-cli.js';
import { PrivateConfig, PrivateFiles } from './private-files.js';

/**
 * Starts the CLI. A problem with the machine (no CLI, no directory) becomes a transport that ends with that
 * error.
 */
export function launchCli(request: LaunchRequest): Launch {
  const files = new PrivateFiles();
  const config = new PrivateConfig(request.options);
  const { wantsCalls, isInspected } = request.tap;
  const observed = wantsCalls || isInspected ? new ObservedCli() : undefined;
  const launch: Launch = {
    ...unstartedLaunch(request.initialize),
    agent: CLAUDE_CODE,
    ready: () => files.remove(),
    ended: () => {
      config.remove();
      observed?.remove();
    },
  };
  try {
    launch.transport = start(launch, request, files, config, observed);
  } catch (error) {
    files.remove();
    launch.ended();
    launch.transport = failedTransport(error as Error);
  }
  return launch;
}

function start(
  launch: Launch,
  { options, plan, serverNames, ...request }: LaunchRequest,
  files: PrivateFiles,
  config: PrivateConfig,
  observed: ObservedCli | undefined,
): Transport {
  const { cwd, spawnClaudeCodeProcess: custom } = options;
  // With a custom spawn, the directory and the path may be on another machine.
  if (custom === undefined) checkDirectory(cwd);
  const path = programOf(options);
  launch.cliVersion = versionOf(path);
  const adapted = { plan: { ...plan }, initialize: launch.initialize, sdkServerNames: serverNames };
  adaptToVersion(adapted, launch.cliVersion);
  warnAboutRules(plan, request.warn);
  const env = { ...request.env };
  config.applyTo(env);
  if (custom === undefined) observed?.applyTo(env, request.tap, request.warn);
  launch.interpreter = isScript(path) ? (options.executable ?? defaultInterpreter()) : undefined;
  const prefix = options.executableArgs ?? [];
  const [command, ...before] = (
    launch.interpreter === undefined ? [path, ...prefix] : [launch.interpreter, ...prefix, path]
  ) as [string, ...string[]];
  const open = (final: AgentPlan): Transport => {
    const own = custom === undefined ? localArguments(final, cwd, files) : remoteArguments(final, cwd, env);
    const args = [...before, ...own];
    launch.argv = redactArguments([command, ...args]);
    return request.tap.around(spawn(command, args, env, options), observed?.calls);
  };
  return openKept({ options, plan: adapted.plan, env, open });
}

export type KeptLaunch = Omit<StoredLaunch, 'sessionStore'>;

/**
 * Opens an agent, wrapped in its `sessionStore` if the options have one. The code for that is only loaded
 * then.
 */
export function openKept(launch: KeptLaunch): Transport {
  const { sessionStore } = launch.options;
  if (sessionStore === undefined) return launch.open(launch.plan);
  return deferredTransport(async (isStopped) => {
    const { openStored } = await import('../stored/open-stored.js');
    return openStored({ ...launch, sessionStore }, isStopped);
  });
}

/** The CLI itself says nothing about a rule that it cannot use. */
function warnAboutRules({ allowedTools, disallowedTools }: AgentPlan, warn: (text: string) => void): void {
  const warnings = [
    ...allowedTools.map((text) => ruleWarning(parseRule(text), 'allow')),
    ...disallowedTools.map((text) => ruleWarning(parseRule(text), 'deny')),
  ];
  for (const text of warnings) if (text !== undefined) warn(text);
}

function programOf({
  pathToClaudeCodeExecutable: path,
  cwd,
  env,
  spawnClaudeCodeProcess,
}: GivenOptions): string {
  if (path === undefined) {
    // The host finds the program, whatever environment the program then gets.
    return requireClaudeCode({ cwd, env: { ...process.env, ...env } });
  }
  return spawnClaudeCodeProcess === undefined ? requireClaudeCode({ path, cwd }) : path;
}

function spawn(command: string, args: string[], env: NodeJS.ProcessEnv, options: GivenOptions): Transport {
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

/**
 * The signal passed to the user's spawn function is aborted when the process must end, whatever `kill`
 * does.
 */
function asFrameProcess(child: SpawnedProcess, controller: AbortController): FrameProcess {
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

/**
 * The interpreter that runs this process, which exists even if PATH has none. Electron's would open a
 * window.
 */
function defaultInterpreter(): string {
  return 'electron' in process.versions ? 'node' : process.execPath;
}
