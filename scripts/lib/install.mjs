// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './run.mjs';

const MARKER = 'node_modules/.tenon-setup';

/**
 * Whether the packages of `folder` are missing or older than its lock file. Packages that somebody installed by hand,
 * as most people do after cloning, are recognised by npm's own record and not installed again.
 *
 * @param {string} folder
 */
export function needsInstall(folder) {
  if (!existsSync(join(folder, 'node_modules'))) return true;
  if (read(join(folder, MARKER)) === lockHash(folder)) return false;
  if (!agreesWithLock(folder)) return true;
  recordInstall(folder);
  return false;
}

/**
 * Installs what the lock file says. Throws an error that says what to do.
 *
 * @param {string} folder
 */
export async function install(folder) {
  const task = existsSync(join(folder, 'package-lock.json')) ? 'ci' : 'install';
  // Scripts of packages are not needed by anything here, and npm 11 blocks them anyway.
  // Under `npm start --silent` this npm would be silent too, and nobody would know what is wrong.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const { ok, output } = await runNpm([task, ...flags], folder);
  if (!ok) throw new Error(`npm ${task} failed in ${folder}\n\n${output.trim()}\n\n${remedy(output)}`);
  recordInstall(folder);
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function runNpm(args, cwd) {
  // Under `npm run` this is npm's own program; other package managers set the same variable to theirs.
  const script = process.env.npm_execpath ?? '';
  if (/^npm-cli\.c?js$/.test(basename(script))) return run(process.execPath, [script, ...args], { cwd });
  // On Windows npm is a batch file, which only a shell can start.
  const shell = process.platform === 'win32';
  return run('npm', shell ? args.map((argument) => `"${argument}"`) : args, { cwd, shell });
}

/** @param {string} output */
function remedy(output) {
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET|ENOTCACHED/.test(output)
  ) {
    return 'npm could not reach its registry. Check the network, the proxy and `npm config get registry`, then try again.';
  }
  if (/EUSAGE|in sync/.test(output)) {
    return 'package.json and package-lock.json do not agree. Run `npm install` in that folder and commit the lock file.';
  }
  if (/ENOSPC/.test(output)) return 'The disk is full. Make room and try again.';
  if (/EACCES|EPERM/.test(output))
    return 'npm may not write there. Check who owns the folder, then try again.';
  if (/spawn npm ENOENT/.test(output))
    return 'npm was not found. It comes with Node.js; check that it is in the PATH.';
  return 'See the output of npm above; then try again.';
}

/** @param {string} folder */
function recordInstall(folder) {
  // npm makes no such folder for a project without dependencies.
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, MARKER), lockHash(folder));
}

/** @param {string} folder */
function lockHash(folder) {
  const text = read(join(folder, 'package-lock.json')) ?? read(join(folder, 'package.json')) ?? '';
  return createHash('sha256').update(text).digest('hex');
}

/** @param {string} folder */
function agreesWithLock(folder) {
  const wanted = packagesIn(join(folder, 'package-lock.json'));
  const present = packagesIn(join(folder, 'node_modules/.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '') return true;
    const installed = present[path];
    return installed === undefined ? optional === true : installed.version === version;
  });
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }> | undefined}
 */
function packagesIn(file) {
  const text = read(file);
  return text === undefined ? undefined : JSON.parse(text).packages;
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
