import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentPlan } from '../../options/plan.js';
import { OptionError } from '../../protocol/base/errors.js';
import type { SessionKey, SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { appendLines } from '../../sessions/append-lines.js';
import { entriesOf, withFile } from '../../sessions/entries.js';
import { projectKeyAt, projectsDirectory } from '../../sessions/places.js';
import { isSessionId } from '../../sessions/project-key.js';
import { REPLACES_FILES } from '../../sessions/replaces-files.js';
import { lastEntryId } from '../../sessions/session-conflict.js';
import { loadFrom, readFrom } from '../../sessions/store-calls.js';
import type { StoredLaunch } from './open-stored.js';
import type { RestoredSession } from './session-mirror.js';

export interface Restored {
  /** The plan to start with. */
  plan: AgentPlan;
  restored: RestoredSession | undefined;
}

/**
 * Writes the conversation to continue to where the CLI looks for it. A transcript that already exists gets
 * only the entries it lacks, so nothing in it is lost, unless the store says that it replaces it.
 */
export async function restore(launch: StoredLaunch): Promise<Restored> {
  const { plan, options, env } = launch;
  const projectKey = await projectKeyAt(options.cwd);
  const sessionId = plan.resume ?? (plan.continue ? await latest(launch, projectKey) : undefined);
  const restored = isSessionId(sessionId)
    ? await materialise(launch, { projectKey, sessionId }, projectsDirectory(env))
    : undefined;
  // The store decides which conversation is the latest, not the files of this machine.
  return { plan: plan.continue ? { ...plan, continue: false, resume: sessionId } : plan, restored };
}

async function latest(
  { sessionStore, options: { loadTimeoutMs } }: StoredLaunch,
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
  { sessionStore, options: { loadTimeoutMs } }: StoredLaunch,
  key: { projectKey: string; sessionId: string },
  projects: string,
): Promise<RestoredSession> {
  const entries = await loadFrom(sessionStore, key, loadTimeoutMs);
  // Unknown to the store: the CLI may have it, or reports that it does not exist.
  if (entries == null) return { key, last: null };
  const path = join(projects, key.projectKey, key.sessionId);
  if (REPLACES_FILES in sessionStore) await rm(`${path}.jsonl`, { force: true });
  await complete(`${path}.jsonl`, entries);
  const subpaths = await readFrom('listSubkeys', async () => sessionStore.listSubkeys?.(key), loadTimeoutMs);
  for (const subpath of subpaths ?? []) {
    if (!isInside(subpath)) continue;
    const subagentKey: SessionKey = { ...key, subpath };
    const stored = (await readFrom('load', () => sessionStore.load(subagentKey), loadTimeoutMs)) ?? [];
    const transcript = stored.filter(({ type }) => type !== METADATA);
    await complete(`${join(path, subpath)}.jsonl`, transcript);
    const { type: _type, ...metadata } = stored.findLast(({ type }) => type === METADATA) ?? {
      type: METADATA,
    };
    await writeFile(`${join(path, subpath)}.meta.json`, JSON.stringify(metadata), { mode: 0o600 });
  }
  return { key, last: lastEntryId(entries) ?? null };
}

/** In a store, the CLI's metadata file of a subagent is an entry of this type. */
const METADATA = 'agent_metadata';

/** A store is not trusted: a path must not lead out of the directory. */
function isInside(subpath: string): boolean {
  return subpath.split('/').every((part) => /^[\w-][\w.-]*$/.test(part));
}

/** Writes the entries that the file does not have. */
async function complete(path: string, entries: readonly SessionStoreEntry[]): Promise<void> {
  const knownIds = new Set<string>();
  const exists = await withFile(path, async (file) => {
    for await (const { entry } of entriesOf(file)) if (entry.uuid !== undefined) knownIds.add(entry.uuid);
    return true;
  });
  const firstMissing = exists
    ? entries.findIndex(({ uuid }) => uuid !== undefined && !knownIds.has(uuid))
    : 0;
  if (firstMissing === -1) return;
  const missing = entries.slice(firstMissing).filter(({ uuid }) => {
    if (uuid === undefined) return true;
    // A store may hold an entry twice, because it was sent twice.
    const isNew = !knownIds.has(uuid);
    knownIds.add(uuid);
    return isNew;
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendLines(path, missing);
}
