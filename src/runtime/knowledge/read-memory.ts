import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import {
  isAbsolutePath,
  isWithin,
  joinPath,
  type KnowledgeFiles,
  parentOf,
  relativeTo,
  upwards,
} from './files.js';
import { listIn, readHead } from './front-matter.js';
import { importsIn, memoryText } from './imports.js';
import { fitsPattern } from './path-pattern.js';
import { type KnowledgePlaces, type KnowledgeSource, strayProblem } from './places.js';

/** A file whose text the model reads as instructions. */
export interface MemoryFile {
  readonly path: string;
  readonly text: string;
  readonly source: KnowledgeSource | 'given';
}

/** A rule for some files only: it is told once one of them is read. */
interface PathRule extends MemoryFile {
  readonly patterns: readonly string[];
  /** What the patterns start from. */
  readonly directory: string;
}

/** Where a file was found, and what it may import. */
interface Origin {
  readonly source: KnowledgeSource | 'given';
  /** Imports of a project stay in here; undefined: the file is the user's own. */
  readonly roots: readonly string[] | undefined;
}

/**
 * Finds and reads memory files: the user's, those of the directories from the top down to the working directory, and
 * later those of directories that the agent reads from. Every file counts once. Number, size and depth are bounded.
 */
export class MemoryReader {
  readonly #project: KnowledgeFiles;
  /** The machine's own; absent where there is none. */
  readonly #user: KnowledgeFiles | undefined;
  readonly #places: KnowledgePlaces;
  readonly #warn: (text: string) => void;
  readonly #seen = new Set<string>();
  readonly #visited = new Set<string>();
  #rules: PathRule[] = [];
  #chars = 0;

  constructor(
    project: KnowledgeFiles,
    user: KnowledgeFiles | undefined,
    places: KnowledgePlaces,
    warn: (text: string) => void,
  ) {
    this.#project = project;
    this.#user = user;
    this.#places = places;
    this.#warn = warn;
  }

  /** What the conversation begins with. */
  async atStart(): Promise<MemoryFile[]> {
    const { cwd, configDirectory } = this.#places;
    const found: MemoryFile[] = [];
    if (this.#reads('user') && configDirectory !== undefined) {
      const origin: Origin = { source: 'user', roots: undefined };
      found.push(...(await this.#file(joinPath(configDirectory, 'CLAUDE.md'), origin)));
      found.push(...(await this.#rulesIn(joinPath(configDirectory, 'rules'), origin, cwd)));
    }
    const above = upwards(cwd).toReversed();
    for (const directory of above) found.push(...(await this.#directory(directory)));
    const hasProject = found.some(({ source, path }) => source === 'project' && path.endsWith('CLAUDE.md'));
    if (!hasProject) for (const directory of above) found.push(...(await this.#agentsFile(directory)));
    return found;
  }

  /** What a file that was just read is below, and the rules about it, as far as they were not told before. */
  async about(path: string): Promise<MemoryFile[]> {
    const { cwd } = this.#places;
    const place = joinPath(path);
    if (!isWithin(cwd, place)) return [];
    const found: MemoryFile[] = [];
    const below = upwards(parentOf(place)).filter((directory) => isWithin(cwd, directory));
    for (const directory of below.toReversed()) found.push(...(await this.#directory(directory)));
    const fitting = this.#rules.filter(
      ({ patterns, directory }) =>
        isWithin(directory, place) &&
        patterns.some((pattern) => fitsPattern(pattern, relativeTo(directory, place))),
    );
    this.#rules = this.#rules.filter((rule) => !fitting.includes(rule));
    return [...found, ...fitting];
  }

  #reads(source: KnowledgeSource): boolean {
    return this.#places.sources.has(source);
  }

  async #directory(directory: string): Promise<MemoryFile[]> {
    if (this.#visited.has(directory)) return [];
    this.#visited.add(directory);
    const found: MemoryFile[] = [];
    const folder = joinPath(directory, '.claude');
    if (this.#reads('project')) {
      const origin = this.#origin('project', directory);
      found.push(...(await this.#file(joinPath(directory, 'CLAUDE.md'), origin)));
      // Above the project may be the user's own folder.
      if (folder !== this.#places.configDirectory) {
        found.push(...(await this.#file(joinPath(folder, 'CLAUDE.md'), origin)));
        found.push(...(await this.#rulesIn(joinPath(folder, 'rules'), origin, directory)));
      }
    }
    if (this.#reads('local')) {
      const origin = this.#origin('local', directory);
      found.push(...(await this.#file(joinPath(directory, 'CLAUDE.local.md'), origin)));
    }
    return found;
  }

  /** The file that other agents read too, where the project has none of its own. */
  async #agentsFile(directory: string): Promise<MemoryFile[]> {
    if (!this.#reads('project')) return [];
    return this.#file(joinPath(directory, 'AGENTS.md'), this.#origin('project', directory));
  }

  #origin(source: KnowledgeSource, directory: string): Origin {
    const { cwd, mayImportAnything } = this.#places;
    return { source, roots: mayImportAnything ? undefined : [cwd, directory] };
  }

  /** The file, and what it imports, in the order of reading. */
  async #file(path: string, origin: Origin, depth = 0): Promise<MemoryFile[]> {
    const text = await this.#read(path, origin, depth);
    if (text === undefined) return [];
    const content = memoryText(text);
    const found: MemoryFile[] = content === '' ? [] : [{ path, text: content, source: origin.source }];
    if (depth >= LIMITS.maxImportDepth) return found;
    for (const wanted of importsIn(content)) {
      found.push(...(await this.#file(this.#imported(wanted, path), origin, depth + 1)));
    }
    return found;
  }

  #imported(wanted: string, from: string): string {
    const { home } = this.#places;
    if (wanted.startsWith('~/') && home !== undefined) return joinPath(home, wanted.slice(2));
    return isAbsolutePath(wanted) ? joinPath(wanted) : joinPath(parentOf(from), wanted);
  }

  async #rulesIn(directory: string, origin: Origin, root: string, depth = 0): Promise<MemoryFile[]> {
    const found: MemoryFile[] = [];
    const listed = (await this.#list(directory, origin)) ?? [];
    for (const { name, isDirectory } of listed.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
      const path = joinPath(directory, name);
      if (isDirectory && depth < LIMITS.maxFolderDepth) {
        found.push(...(await this.#rulesIn(path, origin, root, depth + 1)));
      } else if (name.endsWith('.md')) found.push(...(await this.#rule(path, origin, root)));
    }
    return found;
  }

  async #rule(path: string, origin: Origin, root: string): Promise<MemoryFile[]> {
    const text = await this.#read(path, origin, 0);
    if (text === undefined) return [];
    const patterns = listIn(readHead(text).head, 'paths');
    const rule: MemoryFile = { path, text: memoryText(text), source: origin.source };
    if (rule.text === '') return [];
    if (patterns.length === 0) return [rule];
    this.#rules.push({ ...rule, patterns, directory: root });
    return [];
  }

  /** Undefined if there is nothing to be read, or nothing that may be. */
  async #read(path: string, { source, roots }: Origin, depth: number): Promise<string | undefined> {
    if (this.#seen.size >= LIMITS.maxMemoryFiles || this.#chars >= LIMITS.maxMemoryChars) {
      this.#warn(`${path} and later memory files are left out: there are too many, or they are too long.`);
      return undefined;
    }
    const mayRead = (place: string): boolean =>
      depth === 0 || roots === undefined || roots.some((root) => isWithin(root, place));
    if (!mayRead(path)) return undefined;
    try {
      const file = await this.#filesOf(source)?.read(path, LIMITS.maxKnowledgeFileBytes);
      // A text with zero bytes is none, and a link must not lead out of the project.
      if (file === undefined || file.text.includes('\0') || !mayRead(file.real)) return undefined;
      if (this.#seen.has(file.real)) return undefined;
      const stray = roots === undefined ? undefined : strayProblem(this.#places, parentOf(path), file.real);
      if (stray !== undefined) throw new Error(stray);
      this.#seen.add(file.real);
      this.#chars += file.text.length;
      return file.text;
    } catch (error) {
      this.#warn(`${path} is left out of the memory: ${messageOf(error)}`);
      return undefined;
    }
  }

  #filesOf(source: MemoryFile['source']): KnowledgeFiles | undefined {
    return source === 'user' ? this.#user : this.#project;
  }

  async #list(directory: string, { source }: Origin): ReturnType<KnowledgeFiles['list']> {
    try {
      return await this.#filesOf(source)?.list(directory);
    } catch (error) {
      this.#warn(`${directory} is left out of the memory: ${messageOf(error)}`);
      return undefined;
    }
  }
}
