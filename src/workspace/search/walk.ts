import type { DirectoryEntry, Workspace } from '../workspace.js';
import { fileTypeTest } from './file-types.js';
import { Globs, IgnoreRules, type Verdict } from './ignore-rules.js';

export interface Selection {
  readonly globs: readonly string[];
  readonly type: string | undefined;
  /** Files that are ignored too. */
  readonly everything: boolean;
}

/** In this order: what one kind of file says, the next cannot change. */
const IGNORE_FILES = ['.rgignore', '.ignore', '.gitignore', '.git/info/exclude'] as const;

/** A directory on the way, with the rules in it. */
interface Layer {
  readonly path: string;
  readonly above: Layer | undefined;
  readonly rules: ReadonlyMap<string, IgnoreRules>;
  readonly isRepository: boolean;
}

/** The files below a directory that are to be searched, as ripgrep chooses them. Links are not followed. */
export async function* walk(
  workspace: Workspace,
  directory: string,
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const walker = new Walker(workspace, directory, selection, signal);
  yield* walker.below(directory, selection.everything ? undefined : await walker.layersAbove());
}

class Walker {
  readonly #workspace: Workspace;
  readonly #start: string;
  readonly #everything: boolean;
  readonly #globs: Globs | undefined;
  readonly #isOfType: ((name: string) => boolean) | undefined;
  readonly #signal: AbortSignal;

  constructor(workspace: Workspace, start: string, selection: Selection, signal: AbortSignal) {
    this.#workspace = workspace;
    this.#start = start;
    this.#everything = selection.everything;
    this.#globs = selection.globs.length === 0 ? undefined : new Globs(selection.globs);
    this.#isOfType = selection.type === undefined ? undefined : fileTypeTest(selection.type);
    this.#signal = signal;
  }

  async *below(directory: string, above: Layer | undefined): AsyncGenerator<string> {
    this.#signal.throwIfAborted();
    const entries = await this.#entries(directory);
    const layer = this.#everything ? undefined : await this.#layer(directory, above, entries);
    const below: string[] = [];
    for (const { name, kind } of entries) {
      if (kind !== 'file' && kind !== 'directory') continue;
      const path = joined(directory, name);
      if (!this.#isWanted(path, kind === 'directory', layer)) continue;
      if (kind === 'file') yield path;
      else below.push(path);
    }
    for (const path of below) yield* this.below(path, layer);
  }

  /** Rules of the directories above the one that is searched count too. */
  async layersAbove(): Promise<Layer | undefined> {
    const parents: string[] = [];
    for (let path = this.#start; path !== parentOf(path); ) {
      path = parentOf(path);
      parents.unshift(path);
    }
    let layer: Layer | undefined;
    for (const path of parents) layer = await this.#layer(path, layer, await this.#entries(path));
    return layer;
  }

  /** What cannot be read is passed over, as if it were empty: a search is not about permissions of the system. */
  async #entries(directory: string): Promise<readonly DirectoryEntry[]> {
    return this.#workspace.list(directory).catch(() => []);
  }

  async #layer(path: string, above: Layer | undefined, entries: readonly DirectoryEntry[]): Promise<Layer> {
    const names = new Set(entries.map(({ name }) => name));
    const rules = new Map<string, IgnoreRules>();
    for (const name of IGNORE_FILES) {
      if (!names.has(name.split('/')[0] ?? '')) continue;
      const content = await this.#workspace.read(joined(path, name)).catch(() => undefined);
      if (content === undefined) continue;
      rules.set(name, new IgnoreRules(new TextDecoder().decode(content).split('\n')));
    }
    return { path, above, rules, isRepository: names.has('.git') };
  }

  #isWanted(path: string, isDirectory: boolean, layer: Layer | undefined): boolean {
    const chosen = this.#globs?.verdict(below(this.#start, path), isDirectory);
    if (chosen !== undefined) return chosen === 'wanted';
    if (ignoreVerdict(path, isDirectory, layer) === 'ignored') return false;
    return isDirectory || (this.#isOfType?.(path.slice(path.lastIndexOf('/') + 1)) ?? true);
  }
}

function ignoreVerdict(path: string, isDirectory: boolean, layer: Layer | undefined): Verdict {
  for (const name of IGNORE_FILES) {
    const isOfGit = name.startsWith('.git');
    if (isOfGit && !isInRepository(layer)) continue;
    for (let each = layer; each !== undefined; each = each.above) {
      const verdict = each.rules.get(name)?.verdict(below(each.path, path), isDirectory);
      if (verdict !== undefined) return verdict;
      if (isOfGit && each.isRepository) break;
    }
  }
  return undefined;
}

function isInRepository(layer: Layer | undefined): boolean {
  return layer !== undefined && (layer.isRepository || isInRepository(layer.above));
}

function joined(directory: string, name: string): string {
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

function below(directory: string, path: string): string {
  return path.slice(joined(directory, '').length);
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  if (end > 0) return path.slice(0, end);
  return path.startsWith('/') ? '/' : path;
}
