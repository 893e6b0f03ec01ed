// System programs that some tests use. The setup installs missing ones if it can
// (scripts/lib/system-packages.mjs); a test whose program is still missing is skipped, and says so.

import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** @returns {string | undefined} a Chromium, for the page of the ticket board */
export function findChromium() {
  return inPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');
}

/**
 * @returns {string | undefined} the folder with PostgreSQL's `initdb` and `postgres`; Debian keeps it out of
 * the PATH
 */
export function findPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...pathFolders()];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** @returns {string | undefined} an IMAP server for the email agent */
export function findDovecot() {
  // For users without administrator rights, /usr/sbin is not in the PATH.
  return inPath('dovecot') ?? ['/usr/sbin/dovecot'].find((path) => existsSync(path));
}

/** @returns {string | undefined} a Redis for the session stores */
export function findRedis() {
  return inPath('redis-server', 'valkey-server');
}

/** @returns {string | undefined} what isolates commands, for the workspace with `sandboxed()` */
export function findBubblewrap() {
  return inPath('bwrap');
}

/** @param {readonly string[]} names */
function inPath(...names) {
  return names
    .flatMap((name) => pathFolders().map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

function pathFolders() {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}
