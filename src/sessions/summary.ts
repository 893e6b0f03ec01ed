import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from '../protocol/session-store.js';
import { promptWords } from './first-prompt.js';
import type { SDKSessionInfo } from './session-info.js';

/** What is known of a conversation after some of its entries. The names are those that official stores hold. */
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
 * The summary after some more entries. Stores call it in `append`, so that a list needs no transcript. It is pure: a
 * store in which two appends can meet has to put reading, folding and writing into one transaction.
 */
export function foldSessionSummary(
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { mtime?: number } = {},
): SessionSummaryEntry {
  const known: Known = { ...previous?.data };
  for (const entry of entries) {
    // The first entry decides: a transcript belongs to a subagent as a whole, or not at all.
    known.isSidechain ??= entry.isSidechain === true;
    takeOnce(known, entry);
    takeLast(known, entry);
  }
  return {
    sessionId: key.sessionId,
    mtime: options.mtime ?? previous?.mtime ?? 0,
    data: known as Record<string, unknown>,
  };
}

function takeOnce(known: Known, entry: SessionStoreEntry): void {
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

/** Which field an entry of a type sets, and where it keeps it. */
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

/** What a list shows; undefined for the transcript of a subagent, and for one in which nobody has said anything. */
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
