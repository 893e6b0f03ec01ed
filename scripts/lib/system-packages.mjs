// @ts-check
/**
 * Programs of the system that tests drive: a browser, a database server, a mail server, a sandbox. As root on a
 * Debian system, which is to say in a container, they are installed; elsewhere that is the owner's affair, and the
 * tests that need them are skipped and say so.
 */
import { existsSync } from 'node:fs';
import process from 'node:process';
import {
  findBubblewrap,
  findChromium,
  findDovecot,
  findPostgres,
  findRedis,
} from '../../examples/shared/programs.mjs';
import { run } from './run.mjs';

/** @type {readonly { name: string, debian: string, find: () => string | undefined }[]} */
const PROGRAMS = [
  { name: 'Chromium', debian: 'chromium', find: findChromium },
  { name: 'PostgreSQL', debian: 'postgresql', find: findPostgres },
  { name: 'Dovecot', debian: 'dovecot-imapd', find: findDovecot },
  { name: 'Redis', debian: 'redis-server', find: findRedis },
  { name: 'bubblewrap', debian: 'bubblewrap', find: findBubblewrap },
];

const missing = () => PROGRAMS.filter(({ find }) => find() === undefined);

export function needsSystemPackages() {
  return missing().length > 0 && mayInstall();
}

/** A machine that cannot have them still runs the rest of the tests. */
export async function installSystemPackages() {
  const packages = missing().map(({ debian }) => debian);
  // Run level 1: Debian starts no services that it installs.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  await run('apt-get', ['update'], { cwd: '/', env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { cwd: '/', env });
}

/** What is missing after all, in a sentence; undefined when nothing is. */
export function missingPrograms() {
  const names = missing().map(({ name, debian }) => `${name} (Debian: ${debian})`);
  if (names.length === 0) return undefined;
  return `Not on this machine: ${names.join(', ')}. The tests that need it are skipped.`;
}

function mayInstall() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}
