import { joinPath } from './files.js';
import { readHead, textIn } from './front-matter.js';
import { type FolderReader, type KnowledgeFolder, named } from './read-prompts.js';

/** How the agent should answer, in words of the user or the project. */
export interface OutputStyle {
  readonly name: string;
  /** The name of its file. */
  readonly file: string;
  readonly text: string;
}

export const DEFAULT_STYLE = 'default';

export async function readStyles(
  reader: FolderReader,
  folders: readonly KnowledgeFolder[],
): Promise<OutputStyle[]> {
  const found = new Map<string, OutputStyle>();
  for (const folder of folders) {
    const { path, files, plugin } = folder;
    const directory = joinPath(path, 'output-styles');
    for (const { name } of await reader.list(files, directory)) {
      if (!name.endsWith('.md')) continue;
      const text = await reader.text(folder, joinPath(directory, name));
      if (text === undefined) continue;
      const { head, body } = readHead(text);
      const file = named(name.slice(0, -'.md'.length), plugin);
      const title = textIn(head, 'name');
      const style = { name: title === undefined ? file : named(title, plugin), file, text: body.trim() };
      if (!found.has(style.name)) found.set(style.name, style);
    }
  }
  return [...found.values()];
}

export function styleNamed(styles: readonly OutputStyle[], wanted: string): OutputStyle | undefined {
  return styles.find(({ name }) => name === wanted) ?? styles.find(({ file }) => file === wanted);
}
