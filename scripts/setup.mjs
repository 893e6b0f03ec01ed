// @ts-check
/**
 * Brings a checkout into the state that the other scripts need: `node scripts/setup.mjs [--build] [--examples] [--reference] [--runtimes] [--peers] [--quiet]`.
 * `--reference` is for the tests, which need the examples too.
 * Says nothing and takes no time when there is nothing to do, so that `npm start` and `npm test` can always call it.
 */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import util from 'node:util';
import { build, needsBuild } from './lib/build.mjs';
import { install, needsInstall } from './lib/install.mjs';
import { link, needsLink } from './lib/link.mjs';
import { withLock } from './lib/lock.mjs';
import { withProgress } from './lib/progress.mjs';
import { stopRunning } from './lib/run.mjs';
import { installSystemPackages, missingPrograms, needsSystemPackages } from './lib/system-packages.mjs';

const OLDEST_NODE = [20, 19];

/**
 * @typedef {object} Task
 * @property {string} title
 * @property {boolean} [isInstant] not worth a word
 * @property {boolean} [isApart] has nothing to do with its neighbours in the list: they may go at the same time
 * @property {() => boolean} isDue
 * @property {() => Promise<void>} perform
 */

/**
 * @param {string} root
 * @param {{ build: boolean, examples: boolean, reference: boolean, runtimes: boolean, peers: boolean }} wanted
 * @returns {Task[]}
 */
function tasks(root, wanted) {
  const reference = join(root, 'test', 'reference');
  const examples = join(root, 'examples');
  const runtimes = join(root, 'test', 'runtimes');
  const peers = join(root, 'bench', 'peers');
  const adoption = join(root, 'test', 'adoption');
  const providers = join(root, 'test', 'providers');
  const chat = join(root, 'test', 'chat');
  return [
    {
      title: 'Installing the development tools (about 250 MB, once)',
      isDue: () => needsInstall(root),
      perform: () => install(root),
    },
    ...(wanted.reference
      ? [
          {
            title: 'Installing the official SDK and its CLI for the tests (about 400 MB, once)',
            isApart: true,
            isDue: () => needsInstall(reference) || referenceCli(reference) === undefined,
            perform: () => installReference(reference),
          },
          {
            title: 'Installing two older releases of the official SDK for the tests (about 35 MB, once)',
            isApart: true,
            isDue: () => needsInstall(join(reference, 'older')),
            perform: () => install(join(reference, 'older')),
          },
          {
            title:
              'Installing packages that were written for the official SDK for the tests (about 120 MB, once)',
            isApart: true,
            isDue: () => needsInstall(adoption),
            perform: () => install(adoption),
          },
          {
            title: 'Installing packages of model vendors for the tests (about 240 MB, once)',
            isApart: true,
            isDue: () => needsInstall(providers),
            perform: () => install(providers),
          },
          {
            title: 'Installing chat pages and web servers for the tests (about 80 MB, once)',
            isApart: true,
            isDue: () => needsInstall(chat),
            perform: () => install(chat),
          },
        ]
      : []),
    ...(wanted.runtimes
      ? [
          {
            title: 'Installing Node 22, Node 24, Bun, Deno and workerd for the tests (about 720 MB, once)',
            isApart: true,
            isDue: () => needsInstall(runtimes),
            perform: () => install(runtimes),
          },
        ]
      : []),
    ...(wanted.peers
      ? [
          {
            title: 'Installing what the benchmark compares a host with (about 300 MB, once)',
            isApart: true,
            isDue: () => needsInstall(peers),
            perform: () => install(peers),
          },
        ]
      : []),
    ...(wanted.examples || wanted.reference
      ? [
          {
            title: 'Installing what the examples use (about 110 MB, once)',
            isApart: true,
            isDue: () => needsInstall(examples),
            perform: () => install(examples),
          },
        ]
      : []),
    ...(wanted.reference
      ? [
          {
            title: 'Installing the browser, the servers and the sandbox of the tests (Debian packages, once)',
            isApart: true,
            isDue: needsSystemPackages,
            perform: installSystemPackages,
          },
        ]
      : []),
    {
      title: 'Linking Tenon into the examples',
      isInstant: true,
      isDue: () => needsLink(examples),
      perform: () => link(examples, root),
    },
    ...(wanted.build
      ? [{ title: 'Building Tenon', isDue: () => needsBuild(root), perform: () => build(root) }]
      : []),
  ];
}

/** @param {string} folder */
async function installReference(folder) {
  await install(folder);
  if (referenceCli(folder) !== undefined) return;
  throw new Error(
    `The official SDK was installed in ${folder}, but no CLI for ${process.platform}-${process.arch} came with it. ` +
      'It is an optional dependency: check that npm is not told to omit those (`npm config get omit`), ' +
      'and that the SDK supports this platform.',
  );
}

/** @param {string} folder */
function referenceCli(folder) {
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  const platform = `${process.platform}-${process.arch}`;
  return [platform, `${platform}-musl`]
    .map((suffix) => join(folder, 'node_modules', '@anthropic-ai', `claude-agent-sdk-${suffix}`, name))
    .find((path) => existsSync(path));
}

/** @param {readonly string[]} args */
async function setup(args) {
  checkNode();
  const { values } = util.parseArgs({
    args: [...args],
    options: {
      build: { type: 'boolean', default: false },
      examples: { type: 'boolean', default: false },
      reference: { type: 'boolean', default: false },
      runtimes: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      root: { type: 'string', default: join(import.meta.dirname, '..') },
    },
  });
  const root = resolve(values.root);
  await perform(root, tasks(root, values), values.quiet);
  const missing = values.reference && !values.quiet ? missingPrograms() : undefined;
  if (missing !== undefined) console.log(missing);
}

/**
 * @param {string} root
 * @param {readonly Task[]} planned
 * @param {boolean} quiet
 */
async function perform(root, planned, quiet) {
  if (!planned.some((task) => task.isDue())) return;
  const onWait = (/** @type {string} */ owner) => {
    if (!quiet) console.log(`Waiting for another setup of this checkout (process ${owner}) …`);
  };
  await withLock(join(root, '.cache', 'setup.lock'), onWait, async () => {
    for (const group of groups(planned)) {
      // Asked again: whoever held the lock before may have done it.
      const due = group.filter((task) => task.isDue());
      const [first] = due;
      if (first === undefined) continue;
      if (due.length === 1) await withProgress(first.title, quiet || first.isInstant === true, first.perform);
      else await performAtOnce(due, quiet);
    }
  });
}

/**
 * Neighbours that have nothing to do with each other, together.
 *
 * @param {readonly Task[]} planned
 */
function groups(planned) {
  /** @type {Task[][]} */
  const all = [];
  for (const task of planned) {
    const last = all.at(-1);
    if (task.isApart && last?.[0]?.isApart) last.push(task);
    else all.push([task]);
  }
  return all;
}

/**
 * Most of it is waiting for the network and the disk. What fails is told when the others are through.
 *
 * @param {readonly Task[]} due
 * @param {boolean} quiet
 */
async function performAtOnce(due, quiet) {
  if (!quiet) for (const { title } of due) console.log(title);
  await withProgress('All of these at once', quiet, async () => {
    const outcomes = await Promise.allSettled(due.map((task) => task.perform()));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  });
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(
    `Tenon needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}. ` +
      'Install a newer one, for example with `nvm install 22`, and try again.',
  );
}

let isStopping = false;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.once(signal, async () => {
    isStopping = true;
    // Not before npm has ended: it could still write while the next run of this script deletes.
    await stopRunning();
    // Leaving by `exit` gives the lock back; a signal alone would not.
    process.exit(128 + constants.signals[signal]);
  });
}

try {
  await setup(process.argv.slice(2));
} catch (error) {
  if (!isStopping) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
