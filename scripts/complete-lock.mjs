// @ts-check
/**
 * `node scripts/complete-lock.mjs [folder …]`: adds to lock files the optional packages that npm left out because the
 * registry does not carry them. A mirror often lacks the packages of other platforms, and `npm ci` refuses a lock file
 * without them on every platform. Run it after `npm install` has changed a lock file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { runNpm } from './lib/install.mjs';

/** @typedef {Record<string, unknown> & { version?: string, optionalDependencies?: Record<string, string> }} Entry */
/** @typedef {Record<string, Entry>} Packages the lock file's entries, by the path they are installed at */

/** Names of packages end in what they are for: `binding-linux-arm64-musl`, `cli-win32-x64`, `workerd-windows-64`. */
const OPERATING_SYSTEM =
  /-(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|windows)-/;
const PROCESSOR = /-(arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|wasm32|x64|64)(?=-|$)/;
/** Words of some names that npm has others for. */
const NPM_WORDS = new Map([
  ['64', 'x64'],
  ['windows', 'win32'],
]);
const LIBRARY = /-linux-\w+-(gnu|musl)/;

const root = resolve(join(import.meta.dirname, '..'));
const folders = process.argv.length > 2 ? process.argv.slice(2) : ['.'];
for (const folder of folders) await complete(join(root, folder, 'package-lock.json'));

/** @param {string} file */
async function complete(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = missingPackages(lock.packages);
  for (const { path, name, version, owner } of missing) {
    const { dev, license, engines } = owner;
    const known = (await published(name, version)) ?? platformOf(name);
    lock.packages[path] = sorted({ license, engines, ...known, version, dev, optional: true });
  }
  lock.packages = sorted(lock.packages);
  if (missing.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${file}: ${missing.length} added`);
}

/** @param {Packages} packages */
function missingPackages(packages) {
  return Object.entries(packages).flatMap(([ownerPath, owner]) =>
    Object.entries(owner.optionalDependencies ?? {})
      .map(([name, version]) => ({ path: `node_modules/${name}`, name, version, owner }))
      .filter(({ path }) => packages[path] === undefined && packages[`${ownerPath}/${path}`] === undefined),
  );
}

/**
 * What the registry says of a package, undefined if it does not carry it.
 *
 * @param {string} name
 * @param {string} version
 */
async function published(name, version) {
  const fields = ['os', 'cpu', 'libc', 'engines', 'license', 'dependencies', 'dist.integrity'];
  const { ok, output } = await runNpm(['view', `${name}@${version}`, ...fields, '--json', '--silent'], root);
  if (!ok || output.trim() === '') return undefined;
  const { 'dist.integrity': integrity, ...rest } = JSON.parse(output);
  return { ...rest, integrity };
}

/**
 * The registry knows nothing of it, so its checksum stays unknown; its name tells who needs it.
 *
 * @param {string} name
 */
function platformOf(name) {
  const [, system] = OPERATING_SYSTEM.exec(name) ?? [];
  const [, processor] = PROCESSOR.exec(name) ?? [];
  const [, library] = LIBRARY.exec(name) ?? [];
  if (processor === undefined)
    throw new Error(`Nobody can tell from its name which platform ${name} is for.`);
  return {
    os: system === undefined ? undefined : [NPM_WORDS.get(system) ?? system],
    cpu: [NPM_WORDS.get(processor) ?? processor],
    libc: library === undefined ? undefined : [library === 'gnu' ? 'glibc' : library],
  };
}

/**
 * In npm's order, so that its next change of the file is small: version and checksum first, objects last.
 *
 * @template {object} Value
 * @param {Value} value
 * @returns {Value}
 */
function sorted(value) {
  const rank = (/** @type {string} */ key, /** @type {unknown} */ member) => {
    if (key === 'version' || key === 'integrity') return key === 'version' ? 0 : 1;
    return typeof member === 'object' && !Array.isArray(member) ? 3 : 2;
  };
  const entries = Object.entries(value).sort(
    ([left, first], [right, second]) =>
      rank(left, first) - rank(right, second) || left.localeCompare(right, 'en'),
  );
  return /** @type {Value} */ (Object.fromEntries(entries));
}
