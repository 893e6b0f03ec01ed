import { clock } from '../../protocol/base/clock.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { FileMatches, SearchAnswer, SearchQuery, Workspace } from '../workspace.js';
import { expressionOf } from './expression.js';
import { matchesIn } from './matches.js';
import { VERSION_CONTROL } from './rules.js';
import { walk } from './walk.js';

/**
 * A search by reading every file, for workspaces that have none of their own. It finds what ripgrep finds, slower; other
 * work of the process goes on meanwhile.
 */
export async function searchFiles(
  workspace: Workspace,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  return new FileSearch(workspace, query, signal).run();
}

class FileSearch {
  readonly #workspace: Workspace;
  readonly #query: SearchQuery;
  readonly #signal: AbortSignal;
  readonly #expression: RegExp | undefined;
  readonly #deadline = clock.monotonic() + LIMITS.searchMs;
  readonly #files: FileMatches[] = [];
  #found = 0;
  #isCut = false;

  constructor(workspace: Workspace, query: SearchQuery, signal: AbortSignal) {
    this.#workspace = workspace;
    this.#query = query;
    this.#signal = signal;
    const { pattern, ignoreCase = false, multiline = false } = query;
    this.#expression = query.mode === 'names' ? undefined : expressionOf(pattern, { ignoreCase, multiline });
  }

  async run(): Promise<SearchAnswer> {
    const paths = await this.#paths();
    const helper = async (): Promise<void> => {
      for (let next = await paths.next(); next.done !== true; next = await paths.next()) {
        if (clock.monotonic() > this.#deadline || this.#found > LIMITS.maxSearchBytes) this.#isCut = true;
        if (this.#isCut) break;
        await this.#search(next.value.path, next.value.isNamed);
      }
    };
    await Promise.all(Array.from({ length: LIMITS.filesSearchedAtOnce }, helper));
    return { files: this.#files, isCut: this.#isCut };
  }

  async #paths(): Promise<AsyncIterator<{ path: string; isNamed: boolean }>> {
    const { path, mode, globs = [], type } = this.#query;
    const kind = (await this.#workspace.stat(path))?.kind;
    const everything = mode === 'names';
    const leftOut = everything ? [] : VERSION_CONTROL.map((name) => `!${name}`);
    const found = walk(
      this.#workspace,
      path,
      { globs: [...globs, ...leftOut], type, everything },
      this.#signal,
    );
    return (async function* () {
      if (kind === 'directory') for await (const each of found) yield { path: each, isNamed: false };
      else yield { path, isNamed: true };
    })();
  }

  async #search(path: string, isNamed: boolean): Promise<void> {
    const matches = await this.#matches(path, isNamed);
    if (matches === undefined) return;
    const { mode } = this.#query;
    const isList = mode === 'names' || mode === 'files';
    const modifiedMs = isList ? await this.#modifiedMs(path) : undefined;
    this.#files.push({ path, ...matches, ...(modifiedMs !== undefined && { modifiedMs }) });
    this.#found += path.length;
    for (const { text } of matches.lines ?? []) this.#found += text.length;
  }

  /** Undefined: none, or the file cannot be read. */
  async #matches(path: string, isNamed: boolean): Promise<Omit<FileMatches, 'path'> | undefined> {
    if (this.#expression === undefined) return {};
    const options = { maxBytes: LIMITS.maxSearchedFileBytes, signal: this.#signal };
    const content = await this.#workspace.read(path, options).catch(() => undefined);
    this.#signal.throwIfAborted();
    if (content === undefined) return undefined;
    if (content.length === LIMITS.maxSearchedFileBytes) this.#isCut = true;
    return matchesIn(content, this.#expression, this.#query, isNamed, this.#signal);
  }

  async #modifiedMs(path: string): Promise<number | undefined> {
    const found = await this.#workspace.stat(path).catch(() => undefined);
    return found?.modifiedMs;
  }
}
