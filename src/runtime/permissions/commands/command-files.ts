// The files that a line names, and what is to be said about them.
import { expandTilde, type FileFinding, type FilePlaces } from '../paths/file-places.js';
import { isInside, parentOf, pathFrom } from '../paths/locations.js';
import { everythingBelow, openPath } from '../paths/path-pattern.js';
import type { FileUse } from '../paths/path-rules.js';
import type { CommandCase } from './command-case.js';
import {
  chosenDirectories,
  directoryOf,
  isNoFile,
  isVirtual,
  makesLinks,
  mentionsIn,
  readsTrees,
} from './file-walk-tables.js';
import type { FoundCommands } from './found-commands.js';
import { type Effect, effectOf } from './known-commands.js';
import type { ShellCommand, ShellLine, ShellRedirect } from './shell-line.js';
import type { ShellWord } from './shell-word.js';
import { withoutThinWrappers } from './thin-wrappers.js';
import { programOf } from './wrappers.js';

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
  /** It changes files after a change of directory, or reads some where that is not expected. */
  readonly isAdrift: boolean;
  /** A root of the agent, a home or a system directory that it would remove. */
  readonly ruins: string | undefined;
}

/** More files than this are not looked at. */
const MOST_FILES = 200;

/** After more changes of directory than these lead to, nobody knows where the shell is. */
const MOST_DIRECTORIES = 16;

export async function touchedFiles(
  line: ShellLine,
  { all }: FoundCommands,
  given: Pick<CommandCase, 'cwd' | 'places' | 'offersRead'>,
): Promise<TouchedFiles> {
  const walk = new FileWalk(given);
  for (const command of line.commands) await walk.visit(command);
  // What is inside of arguments runs when it runs: here or there, so every word of it counts.
  for (const { isNested, words, redirects } of all) {
    if (!isNested) continue;
    await walk.mention(words, redirects);
    walk.nested(words);
  }
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
  /** The shell has gone where nobody knows. */
  #isLost = false;
  /** Below these, links may have come that were not there when we looked. */
  #unsettled: string[] = [];
  #left = MOST_FILES;
  #moves = 0;
  /** A reader may work in the one directory that the line changes to. */
  readonly #mayReadThere: boolean;

  constructor({ cwd, places, offersRead }: Pick<CommandCase, 'cwd' | 'places' | 'offersRead'>) {
    this.#directories = [cwd];
    this.#places = places;
    // Where something must not be read, relative names after a `cd` are asked about, as in the CLI.
    this.#mayReadThere = offersRead && !places.rules.areRestricting;
  }

  async visit(command: ShellCommand): Promise<void> {
    const { redirects } = command;
    const words = withoutThinWrappers(command.words);
    const effect = effectOf(words);
    for (const { access, target } of redirects) {
      if (target === undefined || access === 'data' || isNoFile(target.value)) continue;
      if (access === 'write' && this.#hasMoved) this.isAdrift = true;
      await this.#touch(access === 'read' ? 'read' : 'edit', target, true, command);
    }
    if (effect?.kind !== 'read') await this.mention(command.words);
    if (effect !== undefined) await this.#known(effect, words, command);
    else if (makesLinks(words)) this.#unsettled.push('/');
    if (isMove(words)) this.#move(words, effect);
  }

  async #known(effect: Effect, words: readonly ShellWord[], command: ShellCommand): Promise<void> {
    const name = words[0]?.value;
    if (this.#hasMoved && effect.usesFiles && !this.#isReadThere(effect, name)) this.isAdrift = true;
    if (name === 'git' && (await this.#isPlantedRepository())) this.hasUnknown = true;
    const before = this.touches.length;
    for (const word of effect.files) await this.#touch(effect.kind, word, false, command);
    const touched = this.touches.slice(before).map(({ finding }) => finding);
    // It looks at what is inside, through links too.
    if (name === 'diff' && touched.some(({ isDirectory }) => isDirectory)) this.hasUnknown = true;
    this.ruin(words);
    if (effect.isRecursive) this.#readsBelow(effect.files, name === 'git');
    const isPlain = touched.every(({ exists, isDirectory, isLink }) => !exists || (!isDirectory && !isLink));
    if ((name === 'mv' || name === 'cp') && !isPlain)
      this.#unsettled.push(...touched.map(({ path }) => path));
  }

  /** Files are looked for in both directories. A repository there may tell git to run something. */
  #isReadThere({ kind }: Effect, name: string | undefined): boolean {
    return this.#mayReadThere && kind === 'read' && this.#moves === 1 && name !== 'git';
  }

  get #hasMoved(): boolean {
    return this.#isLost || this.#directories.length > 1;
  }

  #move(words: readonly ShellWord[], effect: Effect | undefined): void {
    this.#moves += 1;
    const target = words[0]?.value === 'cd' ? effect?.files[0]?.value : undefined;
    if (target === undefined || this.#directories.length > MOST_DIRECTORIES) {
      this.#isLost = true;
      this.mayBeRestricted ||= this.#places.rules.areRestricting;
      return;
    }
    const moved = this.#directories.map((directory) => this.#pathFrom(directory, target));
    this.#directories = [...new Set([...this.#directories, ...moved])];
  }

  /** A directory that git takes for a repository, with a configuration that it obeys, though nobody made it one. */
  async #isPlantedRepository(): Promise<boolean> {
    const { workspace } = this.#places;
    const has = async (path: string): Promise<boolean> => (await workspace.locate(path)).kind !== undefined;
    for (const start of this.#directories) {
      for (let at = start; ; at = parentOf(at)) {
        const below = at === '/' ? '' : at;
        if (await has(`${below}/.git`)) break;
        if ((await has(`${below}/HEAD`)) && (await has(`${below}/objects`))) return true;
        if (at === '/') break;
      }
    }
    return false;
  }

  #pathFrom(directory: string, path: string): string {
    return pathFrom(directory, expandTilde(path, this.#places.workspace.home));
  }

  async #touch(use: FileUse, word: ShellWord, isRedirect: boolean, command: ShellCommand): Promise<void> {
    const known = word.value ?? directoryOf(word);
    if (known === undefined || this.#isLost) this.hasUnknown = true;
    if (word.value === undefined) this.#suspect(use, word);
    if (known === undefined) return;
    // Changes need the whole name.
    if (word.value === undefined && use === 'edit') this.hasUnknown = true;
    for (const finding of await this.#find(use, known, word.hasTilde)) {
      this.touches.push({ finding, use, isRedirect, command });
    }
  }

  /** Words that may name files, if rules are about any. */
  async mention(words: readonly ShellWord[], redirects: readonly ShellRedirect[] = []): Promise<void> {
    if (!this.#places.rules.areRestricting) return;
    const here = this.#directories;
    for (const chosen of chosenDirectories(words)) {
      if (chosen === undefined) this.mayBeRestricted = true;
      else this.#directories = [...this.#directories, ...here.map((each) => this.#pathFrom(each, chosen))];
    }
    const targets = redirects.flatMap(({ target }) => target ?? []);
    for (const word of [...words.slice(1), ...targets]) {
      if (word.value === undefined) this.#suspect('read', word);
      for (const value of mentionsIn(word)) await this.#mentionOf(value, word);
    }
    if (readsTrees(words)) this.#readsBelow(words.slice(1), true);
    this.#directories = here;
  }

  async #mentionOf(value: string, word: ShellWord): Promise<void> {
    const { rules } = this.#places;
    const isTilde = word.hasTilde || (value !== word.value && value.startsWith('~'));
    for (const finding of await this.#find('read', value, isTilde)) {
      if (finding.exists) this.mentions.push(finding);
      const forms = [finding.path, finding.real];
      // Whether it would change the file, nobody knows.
      const isClosed = (['deny', 'ask'] as const).some((kind) => rules.restricting(kind, 'edit', forms));
      if (isClosed && (finding.exists || value.includes('/'))) this.mayBeRestricted = true;
    }
  }

  #suspect(use: FileUse, { pieces }: ShellWord): void {
    const { rules } = this.#places;
    this.mayBeRestricted ||= this.#directories.some((directory) =>
      rules.mayRestrict(use, openPath(directory, pieces, true)),
    );
  }

  #readsBelow(files: readonly ShellWord[], isAlsoHere: boolean): void {
    const named = ['.', ...files.map(({ value }) => value ?? '/')].slice(
      files.length > 0 && !isAlsoHere ? 1 : 0,
    );
    this.mayBeRestricted ||= this.#directories.some((directory) =>
      named.some((path) =>
        this.#places.rules.mayRestrict('read', everythingBelow(this.#pathFrom(directory, path), true)),
      ),
    );
  }

  async #find(use: FileUse, value: string, isTilde: boolean): Promise<FileFinding[]> {
    const path = isTilde || !value.startsWith('~') ? value : `./${value}`;
    const findings: FileFinding[] = [];
    if (isVirtual(value)) this.#cannotTell();
    for (const directory of this.#directories) {
      this.#left -= 1;
      if (this.#left < 0) {
        this.#cannotTell();
        break;
      }
      findings.push(...(await this.#places.locate(use, directory, path)));
    }
    const isUnsettled = findings.some((finding) =>
      this.#unsettled.some((place) => isInside(place, finding.path)),
    );
    if (isUnsettled) this.#cannotTell();
    return findings;
  }

  #cannotTell(): void {
    this.hasUnknown = true;
    this.mayBeRestricted ||= this.#places.rules.areRestricting;
  }

  /** A command in the arguments of another. */
  nested(words: readonly ShellWord[]): void {
    if (isMove(words)) this.#move([], undefined);
    this.ruin(words);
  }

  /** `rm` of a root of the agent or something above one, of a home, or of a directory at the top of the file system. */
  ruin(words: readonly ShellWord[]): void {
    if (!/^(rm|rmdir)$/.test(programOf(words[0]) ?? '')) return;
    const { home } = this.#places.workspace;
    const precious = [
      ...this.#places.roots,
      ...this.#directories.slice(0, 1),
      ...(home === undefined ? [] : [home]),
    ];
    for (const { value, pieces } of words.slice(1)) {
      if (value?.startsWith('-') === true || value === '') continue;
      const text = value ?? pieces.map((piece) => ('text' in piece ? piece.text : '*')).join('');
      for (const directory of this.#directories) {
        const path = this.#pathFrom(directory, text);
        const target = path.endsWith('/*') ? parentOf(path) : path;
        if (precious.some((each) => isInside(target, each)) || parentOf(target) === '/')
          this.ruins ??= target;
      }
    }
  }
}

/** Whether the shell works somewhere else afterwards. */
function isMove(words: readonly ShellWord[]): boolean {
  return /^(cd|pushd|popd)$/.test(words[0]?.value ?? '');
}
