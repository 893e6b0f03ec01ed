import { OptionError } from '../../index.js';
import type { FoundServer } from './exported-servers.js';
import { loadToolsFile } from './load-tools-file.js';

export type { FoundServer } from './exported-servers.js';

/** The servers of several files; their names must differ, because the model sees them. */
export async function loadTools(files: readonly string[], option: string): Promise<FoundServer[]> {
  const servers: FoundServer[] = [];
  for (const file of files) {
    for (const server of await loadToolsFile(file, option)) {
      if (servers.some(({ name }) => name === server.name)) {
        throw new OptionError(
          option,
          file,
          `${option} "${file}": another file already has a server named "${server.name}". ` +
            'Rename one of the files, or export createSdkMcpServer({ name, tools }) with another name.',
        );
      }
      servers.push(server);
    }
  }
  return servers;
}
