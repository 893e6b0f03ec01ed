import { messageOf, OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { isAbsolutePath, joinPath, type KnowledgeFiles, parentOf, relativeTo } from './files.js';

/** A folder with skills, commands and styles that the program has named. */
export interface Plugin {
  readonly name: string;
  readonly path: string;
  readonly version?: string | undefined;
}

/** Why a plugin is missing, as hosts read it in the first line of a turn. */
export interface PluginError {
  readonly plugin: string;
  readonly type: 'path-not-found' | 'generic-error';
  readonly message: string;
  readonly path: string;
}

export interface FoundPlugins {
  readonly plugins: readonly Plugin[];
  readonly errors: readonly PluginError[];
}

/** What plugins may have besides skills, commands and styles. */
const UNUSED: readonly string[] = ['.mcp.json', '.lsp.json'];

/** Reads what plugins say of themselves. Throws for one with hooks: they could say no, and would not be asked. */
export async function readPlugins(
  files: KnowledgeFiles,
  directories: readonly string[],
  cwd: string,
  warn: (text: string) => void,
): Promise<FoundPlugins> {
  const plugins: Plugin[] = [];
  const errors: PluginError[] = [];
  for (const [index, given] of directories.entries()) {
    const path = isAbsolutePath(given) ? joinPath(given) : joinPath(cwd, given);
    const failed = (type: PluginError['type'], message: string): void =>
      void errors.push({ plugin: `inline[${index}]`, type, message, path });
    try {
      const listed = await files.list(path);
      if (listed === undefined) {
        failed('path-not-found', `There is no directory ${path}`);
        continue;
      }
      plugins.push(await readPlugin(files, path));
      const unused = listed.flatMap(({ name }) => (UNUSED.includes(name) ? [name] : []));
      if (unused.length > 0) warn(`The runtime does not use ${unused.join(' and ')} of the plugin ${path}.`);
    } catch (error) {
      if (error instanceof OptionError) throw error;
      failed('generic-error', `The plugin cannot be used: ${messageOf(error)}`);
    }
  }
  return { plugins, errors };
}

/** A folder without a manifest is called as the folder is. */
async function readPlugin(files: KnowledgeFiles, path: string): Promise<Plugin> {
  const manifestPath = joinPath(path, '.claude-plugin/plugin.json');
  const manifest = await files.read(manifestPath, LIMITS.maxKnowledgeFileBytes);
  const said: { name?: unknown; version?: unknown; hooks?: unknown } =
    manifest === undefined ? { name: relativeTo(parentOf(path), path) } : JSON.parse(manifest.text);
  const { name, version, hooks } = said;
  if (typeof name !== 'string' || name === '') throw new Error(`${manifestPath} has no \`name\`.`);
  if (hooks !== undefined || (await files.list(joinPath(path, 'hooks'))) !== undefined) {
    throw new OptionError(
      'plugins',
      path,
      `plugins: the plugin ${path} has hooks, which the runtime does not run and which could say no. Give them in \`hooks\` or in settings, and leave the plugin out.`,
      'NOT_SUPPORTED',
    );
  }
  return { name, path, ...(typeof version === 'string' ? { version } : {}) };
}
