import type { SessionStore } from '../protocol/wire/session-store.js';

/**
 * A store in files, one per conversation and one line per entry, in the CLI's layout: on a `projects` folder
 * it reads what the CLI has written there. A crash loses at most the line being written.
 * Processes that write to one directory take turns.
 */
export function fileSessionStore(directory: string): Required<SessionStore> {
  const opened = import('./file-session-store.js').then(
    ({ FileSessionStore }) => new FileSessionStore(directory),
  );
  return {
    append: async (key, entries, options) => (await opened).append(key, entries, options),
    load: async (key) => (await opened).load(key),
    listSessions: async (projectKey) => (await opened).listSessions(projectKey),
    listSessionSummaries: async (projectKey) => (await opened).listSessionSummaries(projectKey),
    delete: async (key) => (await opened).delete(key),
    listSubkeys: async (key) => (await opened).listSubkeys(key),
  };
}
