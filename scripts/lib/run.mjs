// @ts-check
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
/** npm, told twice at the same moment to stop, hears neither and waits for its network: it gets this long. */
const STOP_GRACE_MS = 2_000;
/** What runs now, by its end. @type {Map<import('node:child_process').ChildProcess, Promise<unknown>>} */
const running = new Map();

/**
 * Runs a program to its end and collects what it prints. Never throws: a program that cannot start is a failed one. It
 * does not outlive this process.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, shell?: boolean, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function run(command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Promise<{ ok: boolean, output: string }>} */
  const end = new Promise((resolve) => {
    const stop = () => child.kill();
    process.once('exit', stop);
    let output = '';
    const append = (/** @type {string} */ part) => {
      output += part;
    };
    child.stdout.setEncoding('utf8').on('data', append);
    child.stderr.setEncoding('utf8').on('data', append);
    const finish = (/** @type {boolean} */ ok) => {
      process.off('exit', stop);
      running.delete(child);
      resolve({ ok, output });
    };
    child.on('error', (error) => {
      append(`${error.message}\n`);
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
  running.set(child, end);
  return end;
}

/** Stops everything that was started here; resolves when it has ended, so that nothing is written after it. */
export async function stopRunning() {
  for (const child of running.keys()) child.kill();
  const harder = setTimeout(() => {
    for (const child of running.keys()) child.kill('SIGKILL');
  }, STOP_GRACE_MS);
  await Promise.all(running.values());
  clearTimeout(harder);
}

/**
 * The JavaScript file behind a command of an installed package. Running it with Node spares the differences between
 * the shims that npm makes for each platform.
 *
 * @param {string} packageName
 * @param {string} command
 * @returns {string}
 */
export function commandOf(packageName, command) {
  // Not `require.resolve(name + '/package.json')`: a package may leave that file out of its exports.
  const folders = require.resolve.paths(packageName) ?? [];
  for (const folder of folders) {
    const home = join(folder, packageName);
    try {
      const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
      return join(home, typeof bin === 'string' ? bin : bin[command]);
    } catch {
      // Not in this folder: try the next one up.
    }
  }
  throw new Error(`${packageName} is not installed near ${dirname(import.meta.filename)}`);
}
