import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../protocol/wire/session-store.js';
import { promptWords } from './first-prompt.js';
import type { SDKSessionInfo } from './session-info.js';

/** What some entries reveal about a conversation. The names are those that official stores hold. */
interface Known {
  isSidechain?: boolean;
  createdAt?: number;
  cwd?: string;
  firstPrompt?: string;
  firstPromptLocked?: boolean;
  commandFallback?: string;
  customTitle?: string;
  aiTitle?: string;
  lastPrompt?: string;
  summaryHint?: string;
  gitBranch?: string;
  tag?: string;
}

/**
 * Updates a summary with more entries. Stores call it in `append`, so that a list needs no transcript. It is
 * pure: a store with concurrent appends must read, fold and write in one transaction.
 */
export function foldSessionSummary(
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { mtime?: number } = {},
): SessionSummaryEntry {
  const known: Known = { ...previous?.data };
  for (const entry of entries) {
    // The first entry decides: a transcript belongs to a subagent either entirely or not at all.
    known.isSidechain ??= entry.isSidechain === true;
    takeFirst(known, entry);
    takeLast(known, entry);
  }
  return {
    sessionId: key.sessionId,
    mtime: options.mtime ?? previous?.mtime ?? 0,
    data: known as Record<string, unknown>,
  };
}

function takeFirst(known: Known, entry: SessionStoreEntry): void {
  if (known.createdAt === undefined) {
    const at = typeof entry.timestamp === 'string' ? Date.parse(entry.timestamp) : Number.NaN;
    if (!Number.isNaN(at)) known.createdAt = at;
  }
  if (known.cwd === undefined && typeof entry.cwd === 'string' && entry.cwd !== '') known.cwd = entry.cwd;
  if (known.firstPromptLocked) return;
  const { prompt, command } = promptWords(entry);
  if (command !== undefined) known.commandFallback ??= command;
  if (prompt === undefined) return;
  known.firstPrompt = prompt;
  known.firstPromptLocked = true;
}

/** The field that each type of entry sets, under the same name. */
const TITLES: Readonly<Record<string, 'customTitle' | 'aiTitle' | 'lastPrompt'>> = {
  'custom-title': 'customTitle',
  'ai-title': 'aiTitle',
  'last-prompt': 'lastPrompt',
};

function takeLast(known: Known, entry: SessionStoreEntry): void {
  if (typeof entry.gitBranch === 'string') known.gitBranch = entry.gitBranch;
  const title = TITLES[entry.type];
  if (title !== undefined) {
    const value = entry[title];
    if (typeof value === 'string') known[title] = value;
  } else if (entry.type === 'summary') {
    if (typeof entry.summary === 'string') known.summaryHint = entry.summary;
  } else if (entry.type === 'tag') {
    if (typeof entry.tag === 'string' && entry.tag !== '') known.tag = entry.tag;
    else delete known.tag;
  }
}

/** What a list shows; undefined for a subagent's transcript, and for one without a prompt or title. */
export function infoOf({ sessionId, mtime, data }: SessionSummaryEntry): SDKSessionInfo | undefined {
  const known: Known = data;
  if (known.isSidechain) return undefined;
  const customTitle = known.customTitle || known.aiTitle || undefined;
  const firstPrompt = known.firstPrompt || known.commandFallback || undefined;
  const summary = customTitle ?? (known.lastPrompt || known.summaryHint || firstPrompt);
  if (summary === undefined || summary === '') return undefined;
  return {
    sessionId,
    summary,
    lastModified: Math.floor(mtime),
    ...(customTitle === undefined ? {} : { customTitle }),
    ...(firstPrompt === undefined ? {} : { firstPrompt }),
    ...(known.gitBranch ? { gitBranch: known.gitBranch } : {}),
    ...(known.cwd === undefined ? {} : { cwd: known.cwd }),
    ...(known.tag === undefined ? {} : { tag: known.tag }),
    ...(known.createdAt === undefined ? {} : { createdAt: known.createdAt }),
  };
}
