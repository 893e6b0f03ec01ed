import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OptionError } from '../../protocol/errors.js';
import type { SessionKey, SessionStoreEntry } from '../../protocol/session-store.js';
import { entriesOf, readAt, withFile } from '../../sessions/entries.js';
import { isSessionId, projectKeyAt, projectsDirectory } from '../../sessions/places.js';
import { readFrom } from '../../sessions/store-calls.js';
import type { StoredLaunch } from './open-stored.js';

const CONTINUE = '--continue';

/**
 * Puts the conversation that is to be gone on with where the CLI looks for it, and returns the arguments to start it
 * with. A transcript that is there already gets only what it does not have: nothing of it is lost.
 */
export async function restore(
  options: StoredLaunch['options'],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string[]> {
  const projectKey = await projectKeyAt(options.cwd);
  const sessionId = options.resume ?? (options.continue ? await latest(options, projectKey) : undefined);
  if (isSessionId(sessionId)) await materialise(options, { projectKey, sessionId }, projectsDirectory(env));
  if (!args.includes(CONTINUE)) return [...args];
  // The store says what the last conversation is, not the files of this machine.
  const own = args.filter((arg) => arg !== CONTINUE);
  return sessionId === undefined ? own : [...own, `--resume=${sessionId}`];
}

async function latest(
  { sessionStore, loadTimeoutMs }: StoredLaunch['options'],
  projectKey: string,
): Promise<string | undefined> {
  if (sessionStore.listSessions === undefined) {
    throw new OptionError(
      'continue',
      true,
      'The option `continue` needs a sessionStore with listSessions(). Add that method, or give `resume` an id.',
    );
  }
  const sessions = await readFrom(
    'listSessions',
    async () => sessionStore.listSessions?.(projectKey),
    loadTimeoutMs,
  );
  return sessions?.toSorted((left, right) => right.mtime - left.mtime)[0]?.sessionId;
}

async function materialise(
  { sessionStore, loadTimeoutMs }: StoredLaunch['options'],
  key: { projectKey: string; sessionId: string },
  projects: string,
): Promise<void> {
  const entries = await readFrom('load', () => sessionStore.load(key), loadTimeoutMs);
  // Unknown to the store: the CLI has it, or says that there is none.
  if (entries == null) return;
  const path = join(projects, key.projectKey, key.sessionId);
  await complete(`${path}.jsonl`, entries);
  const subpaths = await readFrom('listSubkeys', async () => sessionStore.listSubkeys?.(key), loadTimeoutMs);
  for (const subpath of subpaths ?? []) {
    if (!isInside(subpath)) continue;
    const own: SessionKey = { ...key, subpath };
    const stored = (await readFrom('load', () => sessionStore.load(own), loadTimeoutMs)) ?? [];
    const transcript = stored.filter(({ type }) => type !== METADATA);
    await complete(`${join(path, subpath)}.jsonl`, transcript);
    const { type: _type, ...metadata } = stored.findLast(({ type }) => type === METADATA) ?? {
      type: METADATA,
    };
    await writeFile(`${join(path, subpath)}.meta.json`, JSON.stringify(metadata), { mode: 0o600 });
  }
}

/** What the CLI keeps of a subagent beside its transcript is an entry in the store. */
const METADATA = 'agent_metadata';

/** A store is somewhere else, and may say anything. */
function isInside(subpath: string): boolean {
  return subpath.split('/').every((part) => /^[\w-][\w.-]*$/.test(part));
}

/** Writes the entries that the file does not have. */
async function complete(path: string, entries: readonly SessionStoreEntry[]): Promise<void> {
  const known = new Set<string>();
  let gap = '';
  const isThere = await withFile(path, async (file) => {
    for await (const { entry } of entriesOf(file)) if (entry.uuid !== undefined) known.add(entry.uuid);
    const { size } = await file.stat();
    if (size > 0 && (await readAt(file, size - 1, 1)).toString() !== '\n') gap = '\n';
    return true;
  });
  const firstMissing = isThere ? entries.findIndex(({ uuid }) => uuid !== undefined && !known.has(uuid)) : 0;
  if (firstMissing === -1) return;
  const missing = entries.slice(firstMissing).filter(({ uuid }) => {
    if (uuid === undefined) return true;
    // An entry that a store has twice, because it was sent twice, is one.
    const isNew = !known.has(uuid);
    known.add(uuid);
    return isNew;
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendFile(path, gap + missing.map((entry) => `${JSON.stringify(entry)}\n`).join(''), {
    mode: 0o600,
  });
}
