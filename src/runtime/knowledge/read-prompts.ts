import { messageOf, OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { joinPath, type KnowledgeFiles, type ListedFile, upwards } from './files.js';
import type { KnowledgePlaces } from './places.js';
import { type KnownPrompt, type PromptPlace, promptFromText } from './prompts.js';

/** A folder that may have `skills`, `commands` and `output-styles` in it. */
export interface KnowledgeFolder {
  readonly path: string;
  readonly files: KnowledgeFiles;
  readonly source: 'user' | 'project' | 'plugin';
  readonly plugin?: string | undefined;
}

export interface Plugin {
  readonly name: string;
  readonly path: string;
  readonly version?: string | undefined;
}

/** What is read, with a bound on how much, and a word about what is left out. */
export class FolderReader {
  readonly #warn: (text: string) => void;
  #left: number = LIMITS.maxKnownPrompts;

  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  /** Undefined if it is not there, or cannot be used. */
  async text(files: KnowledgeFiles, path: string): Promise<string | undefined> {
    try {
      const file = await files.read(path, LIMITS.maxKnowledgeFileBytes);
      if (file === undefined || file.text.includes('\0')) return undefined;
      this.#left -= 1;
      if (this.#left >= 0) return file.text;
      this.#warn(`${path} is left out: more than ${LIMITS.maxKnownPrompts} skills and commands were found.`);
    } catch (error) {
      this.#warn(`${path} is left out: ${messageOf(error)}`);
    }
    return undefined;
  }

  /** Sorted by name. */
  async list(files: KnowledgeFiles, path: string): Promise<readonly ListedFile[]> {
    try {
      const listed = (await files.list(path)) ?? [];
      return listed.toSorted((left, right) => (left.name < right.name ? -1 : 1));
    } catch (error) {
      this.#warn(`${path} is left out: ${messageOf(error)}`);
      return [];
    }
  }

  /** `skills/<name>/SKILL.md`. */
  async skills({ path, files, source, plugin }: KnowledgeFolder): Promise<KnownPrompt[]> {
    const found: KnownPrompt[] = [];
    for (const { name } of await this.list(files, joinPath(path, 'skills'))) {
      const directory = joinPath(path, 'skills', name);
      const text = await this.text(files, joinPath(directory, 'SKILL.md'));
      if (text === undefined) continue;
      const place: PromptPlace = { name: named(name, plugin), kind: 'skill', source, plugin, directory };
      found.push(promptFromText(text, place));
    }
    return found;
  }

  /** `commands/<folder>/<name>.md` is `/folder:name`. */
  async commands(folder: KnowledgeFolder, inner: readonly string[] = []): Promise<KnownPrompt[]> {
    const { path, files, source, plugin } = folder;
    const directory = joinPath(path, 'commands', ...inner);
    const found: KnownPrompt[] = [];
    for (const { name, isDirectory } of await this.list(files, directory)) {
      if (isDirectory && inner.length < LIMITS.maxFolderDepth) {
        found.push(...(await this.commands(folder, [...inner, name])));
        continue;
      }
      if (!name.endsWith('.md')) continue;
      const text = await this.text(files, joinPath(directory, name));
      if (text === undefined) continue;
      const full = [...inner, name.slice(0, -'.md'.length)].join(':');
      found.push(promptFromText(text, { name: named(full, plugin), kind: 'command', source, plugin }));
    }
    return found;
  }

  /** The plugins that the program has named. One with hooks is refused: they could say no, and would not be asked. */
  async plugins(files: KnowledgeFiles, directories: readonly string[]): Promise<Plugin[]> {
    const found: Plugin[] = [];
    for (const path of directories) {
      const manifest = joinPath(path, '.claude-plugin/plugin.json');
      const text = await this.text(files, manifest);
      if (text === undefined) this.#warn(`The plugin ${path} is left out: it has no ${manifest}.`);
      else found.push(...(await this.#plugin(files, text, path)));
    }
    return found;
  }

  async #plugin(files: KnowledgeFiles, text: string, path: string): Promise<Plugin[]> {
    let manifest: Record<string, unknown>;
    try {
      manifest = JSON.parse(text);
      if (typeof manifest.name !== 'string' || manifest.name === '') throw new Error('it has no `name`');
    } catch (error) {
      this.#warn(`The plugin ${path} is left out: its plugin.json cannot be used: ${messageOf(error)}`);
      return [];
    }
    const { name, version, hooks } = manifest;
    if (hooks !== undefined || (await files.list(joinPath(path, 'hooks'))) !== undefined) {
      throw new OptionError(
        'plugins',
        path,
        `plugins: the plugin ${path} has hooks, which the runtime does not run and which could say no. Give them in \`hooks\` or in settings, and leave the plugin out.`,
        'NOT_SUPPORTED',
      );
    }
    const listed = (await files.list(path)) ?? [];
    const unused = listed.flatMap((entry) => (UNUSED.includes(entry.name) ? [entry.name] : []));
    if (unused.length > 0)
      this.#warn(`The runtime does not use ${unused.join(' and ')} of the plugin ${path}.`);
    return [{ name: String(name), path, ...(typeof version === 'string' ? { version } : {}) }];
  }
}

/** What plugins may have besides skills and commands. */
const UNUSED: readonly string[] = ['.mcp.json', '.lsp.json'];

function named(name: string, plugin: string | undefined): string {
  return plugin === undefined ? name : `${plugin}:${name}`;
}

/** The `.claude` folders of a project: from the working directory up to the root of its repository, or to the top. */
export async function projectFolders(
  files: KnowledgeFiles,
  places: KnowledgePlaces,
): Promise<KnowledgeFolder[]> {
  if (!places.sources.has('project')) return [];
  const found: KnowledgeFolder[] = [];
  const folder = (directory: string): KnowledgeFolder => ({
    path: joinPath(directory, '.claude'),
    files,
    source: 'project',
  });
  const above = upwards(places.cwd);
  for (const directory of above) {
    found.push(folder(directory));
    if (await exists(files, joinPath(directory, '.git'))) break;
  }
  const more = places.additionalDirectories.filter((directory) => !above.includes(joinPath(directory)));
  // The user's own folder may lie above: it is not the project's.
  const isOwn = ({ path }: KnowledgeFolder): boolean =>
    places.configDirectory !== undefined && path === joinPath(places.configDirectory);
  return [...found, ...more.map(folder)].filter((each) => !isOwn(each));
}

async function exists(files: KnowledgeFiles, path: string): Promise<boolean> {
  try {
    return (
      (await files.list(path)) !== undefined ||
      (await files.read(path, LIMITS.maxKnowledgeFileBytes)) !== undefined
    );
  } catch {
    return true;
  }
}

/** A name counts once: what comes first wins. */
export function firstOfEach(prompts: readonly KnownPrompt[]): KnownPrompt[] {
  const names = new Set<string>();
  return prompts.filter(({ name }) => !names.has(name) && names.add(name) !== undefined);
}
