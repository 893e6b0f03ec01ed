import type { Workspace } from '../../workspace/workspace.js';
import type { KnowledgeFiles } from './files.js';

/** The project's files, wherever the agent works: on this machine, in memory, in a container. */
export function workspaceFiles(workspace: Workspace): KnowledgeFiles {
  return {
    read: async (path, maxBytes) => {
      const { real, kind } = await workspace.locate(path);
      if (kind !== 'file') return undefined;
      const size = (await workspace.stat(real))?.size ?? 0;
      if (size > maxBytes) throw new Error(`it has ${size} bytes; at most ${maxBytes} are read.`);
      return { real, text: new TextDecoder().decode(await workspace.read(real, { maxBytes })) };
    },
    list: async (directory) => {
      const { real, kind } = await workspace.locate(directory);
      if (kind !== 'directory') return undefined;
      const entries = await workspace.list(real);
      return Promise.all(
        entries.map(async ({ name, kind: type }) => ({
          name,
          isDirectory:
            type === 'directory' ||
            (type === 'link' && (await workspace.locate(`${real}/${name}`)).kind === 'directory'),
        })),
      );
    },
  };
}
