import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { OptionError } from '../../index.js';
import { packagePath } from '../own-package.js';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Watching {
  /** Where its conversations are recorded. */
  readonly folder: string;
  readonly otlp: { readonly endpoint: string; readonly token: string };
}

/** Runs a program that has this terminal for itself, until it ends. */
export function runProgram(command: string, args: readonly string[], watching: Watching): Promise<Ended> {
  // There, `npm` and `npx` are scripts, which only a shell can start.
  const shell = process.platform === 'win32';
  const child = spawn(shell ? quoted(command) : command, shell ? args.map(quoted) : args, {
    stdio: 'inherit',
    shell,
    env: environmentFor(watching),
  });
  const stopPassing = passSignals((signal) => child.kill(signal));
  return new Promise<Ended>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => reject(notStarted(command, error)));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  }).finally(stopPassing);
}

function environmentFor({ folder, otlp }: Watching): NodeJS.ProcessEnv {
  const entry = pathToFileURL(packagePath('dist', 'inspector', 'index.js')).href;
  const { NODE_OPTIONS: before = '' } = process.env;
  return {
    ...process.env,
    NODE_OPTIONS: `${before} --import ${entry}`.trim(),
    TENON_RECORD: folder,
    TENON_INSPECT_OTLP: otlp.endpoint,
    TENON_INSPECT_OTLP_TOKEN: otlp.token,
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Returns a function that ends it. */
function passSignals(send: (signal: NodeJS.Signals) => void): () => void {
  const listeners = SIGNALS.map((signal) => {
    // A terminal sends Ctrl-C to all that run in it: the program has it already, and twice may mean something else.
    const isSentByTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
    const listener = isSentByTerminal ? (): void => {} : (): void => send(signal);
    process.on(signal, listener);
    return [signal, listener] as const;
  });
  return () => {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  };
}

function quoted(word: string): string {
  return /[\s"&|<>^]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word;
}

function notStarted(command: string, error: NodeJS.ErrnoException): OptionError {
  const why =
    error.code === 'ENOENT'
      ? `there is no program "${command}". Write it as you would without tenon: tenon inspect -- node app.mjs`
      : `"${command}" cannot be started: ${error.message}`;
  return new OptionError('program', command, why);
}
