import type { SessionStore } from '../protocol/session-store.js';

/**
 * A store in files, one per conversation, one line per entry, in the layout of the CLI: `fileSessionStore` of a `projects`
 * folder reads what the CLI has written there. A crash loses at most the line that was being written.
 */
export function fileSessionStore(directory: string): Required<SessionStore> {
  const opened = import('./file-session-store.js').then(
    ({ FileSessionStore }) => new FileSessionStore(directory),
  );
  return {
    append: async (key, entries) => (await opened).append(key, entries),
    load: async (key) => (await opened).load(key),
    listSessions: async (projectKey) => (await opened).listSessions(projectKey),
    listSessionSummaries: async (projectKey) => (await opened).listSessionSummaries(projectKey),
    delete: async (key) => (await opened).delete(key),
    listSubkeys: async (key) => (await opened).listSubkeys(key),
  };
}
