// The files that a line names, and what is to be said about them.
import { expandTilde, type FileFinding, type FilePlaces } from '../paths/file-places.js';
import { isInside, parentOf, pathFrom } from '../paths/locations.js';
import { everythingBelow, openPath } from '../paths/path-pattern.js';
import type { FileUse } from '../paths/path-rules.js';
import type { FoundCommands } from './found-commands.js';
import { type Effect, effectOf } from './known-commands.js';
import type { ShellCommand, ShellLine, ShellRedirect } from './shell-line.js';
import type { ShellWord } from './shell-word.js';

export interface FileTouch {
  readonly finding: FileFinding;
  readonly use: FileUse;
  /** By a redirect, not by the command. */
  readonly isRedirect: boolean;
  readonly command: ShellCommand;
}

export interface TouchedFiles {
  /** Those that known commands and redirects use. */
  readonly touches: readonly FileTouch[];
  /** Words of other commands that name a file. */
  readonly mentions: readonly FileFinding[];
  /** A known command or a redirect uses a file that only the shell knows. */
  readonly hasUnknown: boolean;
  /** A word that only the shell knows may name a file that rules are about. */
  readonly mayBeRestricted: boolean;
  /** It changes files, or asks a repository, after a change of directory. */
  readonly isAdrift: boolean;
  /** A root of the agent, a home or a system directory that it would remove. */
  readonly ruins: string | undefined;
}

/** More files than this are not looked at. */
const MOST_FILES = 200;

export async function touchedFiles(
  line: ShellLine,
  { all }: FoundCommands,
  cwd: string,
  places: FilePlaces,
): Promise<TouchedFiles> {
  const walk = new FileWalk(cwd, places);
  for (const command of line.commands) await walk.visit(command);
  // What is inside of arguments runs when it runs: here or there, so every word of it counts.
  for (const { isNested, words, redirects } of all) if (isNested) await walk.mention(words, redirects);
  return walk;
}

class FileWalk implements TouchedFiles {
  readonly touches: FileTouch[] = [];
  readonly mentions: FileFinding[] = [];
  hasUnknown = false;
  mayBeRestricted = false;
  isAdrift = false;
  ruins: string | undefined;
  readonly #places: FilePlaces;
  /** Where the next command may run: whether a change of directory succeeds is not known. */
  #directories: readonly string[];
  #left = MOST_FILES;

  constructor(cwd: string, places: FilePlaces) {
    this.#directories = [cwd];
    this.#places = places;
  }

  async visit(command: ShellCommand): Promise<void> {
    const { words, redirects } = command;
    const effect = effectOf(words);
    for (const { access, target } of redirects) {
      if (target === undefined || access === 'data' || isNoFile(target.value)) continue;
      if (access === 'write' && this.#hasMoved) this.isAdrift = true;
      await this.#touch(access === 'read' ? 'read' : 'edit', target, true, command);
    }
    if (effect?.kind !== 'read') await this.mention(words);
    if (effect === undefined) return;
    if (this.#hasMoved && (effect.kind === 'edit' || words[0]?.value === 'git')) this.isAdrift = true;
    for (const word of effect.files) await this.#touch(effect.kind, word, false, command);
    this.ruins ??= this.#ruinedBy(words[0]?.value, effect);
    if (effect.isRecursive) this.#readsBelow(effect, words[0]?.value === 'git');
    if (words[0]?.value === 'cd') this.#move(effect.files[0]?.value ?? '.');
  }

  get #hasMoved(): boolean {
    return this.#directories.length > 1;
  }

  #move(target: string): void {
    const moved = this.#directories.map((directory) => this.#pathFrom(directory, target));
    this.#directories = [...new Set([...this.#directories, ...moved])];
  }

  #pathFrom(directory: string, path: string): string {
    return pathFrom(directory, expandTilde(path, this.#places.workspace.home));
  }

  async #touch(use: FileUse, word: ShellWord, isRedirect: boolean, command: ShellCommand): Promise<void> {
    const known = word.value ?? directoryOf(word);
    if (known === undefined) this.hasUnknown = true;
    if (word.value === undefined) this.#suspect(use, word);
    if (known === undefined) return;
    // Changes need the whole name.
    if (word.value === undefined && use === 'edit') this.hasUnknown = true;
    for (const finding of await this.#find(use, known, word)) {
      this.touches.push({ finding, use, isRedirect, command });
    }
  }

  /** Words that may name files, if rules are about any. */
  async mention(words: readonly ShellWord[], redirects: readonly ShellRedirect[] = []): Promise<void> {
    if (!this.#places.rules.areRestricting) return;
    const targets = redirects.flatMap(({ target }) => target ?? []);
    for (const word of [...words.slice(1), ...targets]) {
      if (word.value === undefined) this.#suspect('read', word);
      for (const value of mentionsIn(word)) {
        const findings = await this.#find('read', value, word);
        this.mentions.push(...findings.filter(({ exists }) => exists));
      }
    }
  }

  #suspect(use: FileUse, { pieces }: ShellWord): void {
    const { rules } = this.#places;
    this.mayBeRestricted ||= this.#directories.some((directory) =>
      rules.mayRestrict(use, openPath(directory, pieces, true)),
    );
  }

  #readsBelow({ files }: Effect, isRepository: boolean): void {
    const named = ['.', ...files.map(({ value }) => value ?? '/')].slice(
      files.length > 0 && !isRepository ? 1 : 0,
    );
    this.mayBeRestricted ||= this.#directories.some((directory) =>
      named.some((path) =>
        this.#places.rules.mayRestrict('read', everythingBelow(this.#pathFrom(directory, path), true)),
      ),
    );
  }

  async #find(use: FileUse, value: string, { hasTilde }: ShellWord): Promise<FileFinding[]> {
    const path = hasTilde || !value.startsWith('~') ? value : `./${value}`;
    const findings: FileFinding[] = [];
    for (const directory of this.#directories) {
      this.#left -= 1;
      if (this.#left < 0) {
        this.hasUnknown = true;
        this.mayBeRestricted = true;
        break;
      }
      findings.push(await this.#places.locate(use, directory, path));
    }
    return findings;
  }

  /** `rm` of a root of the agent or something above one, of a home, or of a directory at the top of the file system. */
  #ruinedBy(name: string | undefined, { files }: Effect): string | undefined {
    if (name !== 'rm' && name !== 'rmdir') return undefined;
    const { home } = this.#places.workspace;
    const precious = [...this.#places.roots, ...(home === undefined ? [] : [home])];
    for (const { value, pieces } of files) {
      const text = value ?? pieces.map((piece) => ('text' in piece ? piece.text : '*')).join('');
      for (const directory of this.#directories) {
        const path = this.#pathFrom(directory, text);
        const target = path.endsWith('/*') ? parentOf(path) : path;
        if (precious.some((each) => isInside(target, each)) || parentOf(target) === '/') return target;
      }
    }
    return undefined;
  }
}

/** Of a word with patterns in its last name only: the directory in which they are looked for. */
function directoryOf({ kind, pieces }: ShellWord): string | undefined {
  if (kind !== 'glob') return undefined;
  const open = pieces.findIndex((piece) => 'any' in piece);
  const text = (from: number, to?: number): string =>
    pieces
      .slice(from, to)
      .map((piece) => ('text' in piece ? piece.text : ''))
      .join('');
  if (text(open).includes('/')) return undefined;
  const before = text(0, open);
  return before.includes('/') ? before.slice(0, before.lastIndexOf('/') + 1) : '.';
}

function isNoFile(value: string | undefined): boolean {
  return (
    value === '/dev/null' || value === '/dev/stdout' || value === '/dev/stderr' || value === '/dev/stdin'
  );
}

/** A word itself, and what may be a name in it: `--file=x`, `if=x`, `-fx`, `@x`, `HEAD:x`. */
function mentionsIn({ value }: ShellWord): string[] {
  if (value === undefined) return [];
  const parts = [...value.matchAll(/[=@:]/g)].slice(0, 4).map(({ index }) => value.slice(index + 1));
  const attached = /^-\w(.+)$/s.exec(value)?.[1];
  return [value, ...parts, ...(attached === undefined ? [] : [attached])].filter((part) => part !== '');
}
