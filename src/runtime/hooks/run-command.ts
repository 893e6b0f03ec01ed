import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { startInGroup } from '../../protocol/transport/process/process-group.js';
import type { CommandOutcome, CommandRun } from './command-port.js';

/** Runs a command line in a shell and its own process group. Resolves when nothing of it is left. */
export async function runCommand(command: string, run: CommandRun): Promise<CommandOutcome> {
  run.signal.throwIfAborted();
  const env = { ...(run.env ?? process.env), CLAUDE_PROJECT_DIR: run.cwd };
  const { child, group } = startInGroup(env, (options) =>
    spawn(command, {
      ...options,
      shell: true,
      cwd: run.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    }),
  );
  const end = (): void => {
    if (group === undefined) child.kill();
    else void group.endOrphans();
  };
  run.signal.addEventListener('abort', end, { once: true });
  try {
    const stdout = textOf(child.stdout);
    const stderr = textOf(child.stderr);
    // A command that ignores its input, or has already exited, has not failed.
    child.stdin.on('error', () => {});
    child.stdin.end(run.input);
    const code = await exitOf(child);
    // Background processes are ended too, because they may hold the pipes open.
    await group?.endOrphans();
    await closed(child);
    run.signal.throwIfAborted();
    return { code, stdout: stdout(), stderr: stderr() };
  } finally {
    run.signal.removeEventListener('abort', end);
    group?.forget();
  }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code));
  });
}

/** The last output is still in the pipes; a process outside the group may hold them open. */
function closed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clock.clearTimeout(timer);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve();
    };
    const timer = clock.setTimeout(done, LIMITS.drainAfterExitMs);
    if (child.stdout?.closed && child.stderr?.closed) done();
    else child.once('close', done);
  });
}

/** Collects the output up to a limit; the rest is read and dropped, so that the writer is not blocked. */
function textOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (chunk: string) => {
    if (text.length < LIMITS.hookOutputChars) text += chunk.slice(0, LIMITS.hookOutputChars - text.length);
  });
  return () => text;
}
