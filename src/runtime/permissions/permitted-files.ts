import type { Workspace } from '../../workspace/workspace.js';
import type { AgentPlaces } from '../platform/platform.js';
import type { ToolAccess } from '../tools/tool-port.js';
import type { Judgement } from './judgement.js';
import { FilePlaces } from './paths/file-places.js';
import { judgeFile } from './paths/judge-file.js';
import { pathFrom } from './paths/locations.js';
import { PathRules } from './paths/path-rules.js';
import type { RuleBook } from './rule-book.js';

export interface WorkspaceParts {
  readonly workspace: Workspace;
  /** Directories of the runtime's own: what is in them may be read without a question. */
  places(): Promise<Pick<AgentPlaces, 'toolResults' | 'tasks'>>;
  /** Where the user's settings file is. */
  readonly userSettings: string | undefined;
}

/** Tools that look at many files, of which rules are left out one by one. */
const SEARCHES: ReadonlySet<string> = new Set(['Glob', 'Grep']);

/** The rules of a conversation about the files and commands of its workspace. */
export class PermittedFiles {
  readonly #parts: WorkspaceParts;
  readonly #book: RuleBook;
  /** Where directories lead that were added, as last seen. */
  #roots: readonly string[] = [];
  #known: { readonly key: string; readonly rules: PathRules } | undefined;

  constructor(parts: WorkspaceParts, book: RuleBook) {
    this.#parts = parts;
    this.#book = book;
  }

  /** Of a call that reads, edits or runs a command. */
  async judge(
    access: Exclude<ToolAccess, { kind: 'question' | 'skill' }>,
    tool: string,
    mode: Parameters<typeof judgeFile>[2],
  ): Promise<Judgement> {
    const places = await this.#places();
    if (access.kind !== 'command') {
      const finding = await places.find(access.kind, access.path, access.real, tool);
      return judgeFile(access.kind, finding, mode, SEARCHES.has(tool));
    }
    // The shell parser is loaded with the first command.
    const { judgeCommand } = await import('./commands/judge-command.js');
    const rules = this.#book.rules.filter(({ rule }) => rule.tool === tool);
    const { command, cwd, offersRead = false } = access;
    return judgeCommand({ command, cwd, offersRead, mode, rules, places });
  }

  /** Whether no rule forbids reading this file, by its path without links. */
  mayRead(real: string): boolean {
    return this.#rules().restricting('deny', 'read', [real]) === undefined;
  }

  /** A rule that forbids the path as it is named: known before links are followed. */
  forbids(kind: 'read' | 'edit', path: string, tool: string): boolean {
    return this.#rules().restricting('deny', kind, [pathFrom('/', path)], tool) !== undefined;
  }

  /** Whether reading the path is allowed without a question, as far as rules and directories say. */
  async readsFreely(
    path: string,
    mode: Parameters<typeof judgeFile>[2],
    isAllowedAnywhere: boolean,
  ): Promise<boolean> {
    const { workspace } = this.#parts;
    const named = pathFrom(workspace.root, path);
    const finding = await (await this.#places()).find(
      'read',
      named,
      (await workspace.locate(named)).real,
      'Read',
    );
    const { denied, asked, allowed } = judgeFile('read', finding, mode, false);
    return denied === undefined && asked === undefined && (allowed !== undefined || isAllowedAnywhere);
  }

  async #places(): Promise<FilePlaces> {
    const { workspace, userSettings } = this.#parts;
    const { toolResults, tasks } = await this.#parts.places();
    const places = await FilePlaces.open(workspace, this.#book.rules, {
      directories: this.#directories(),
      readable: [toolResults, tasks],
      userSettings,
    });
    this.#roots = places.roots;
    return places;
  }

  #directories(): string[] {
    return this.#book.directories.map(({ path }) => path);
  }

  #rules(): PathRules {
    const { workspace, userSettings } = this.#parts;
    const directories = [
      ...new Set([...this.#roots, ...this.#directories().map((path) => pathFrom(workspace.root, path))]),
    ];
    const key = [this.#book.version, ...directories].join('\n');
    if (this.#known?.key !== key) {
      const places = { root: workspace.root, directories, home: workspace.home, userSettings };
      this.#known = { key, rules: new PathRules(this.#book.rules, places) };
    }
    return this.#known.rules;
  }
}
