import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Frame, MessageFrame } from '../../protocol/wire/frames.js';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from '../../protocol/wire/session-store.js';
import { isConflict, lastEntryId, type SessionConflictError } from '../../sessions/session-conflict.js';
import { appendTo } from '../../sessions/store-calls.js';

/** What the agent has written to a transcript, reported to the host (`--session-mirror`). */
interface MirrorFrame extends MessageFrame {
  type: 'transcript_mirror';
  filePath?: unknown;
  entries?: unknown;
}

export function isMirrorFrame(frame: Frame): frame is MirrorFrame {
  return frame.type === 'transcript_mirror';
}

interface Batch {
  key: SessionKey;
  entries: SessionStoreEntry[];
}

/** A conversation that was restored: the last entry that the store had; null for none. */
export interface RestoredSession {
  key: SessionKey;
  last: string | null;
}

const PATH = /[\\/]projects[\\/]([^\\/]+)[\\/]([^\\/]+?)(?:[\\/](.+))?\.jsonl$/;

export interface MirrorSettings {
  store: SessionStore;
  flush: SessionStoreFlush;
  restored: RestoredSession | undefined;
}

/**
 * Copies a transcript to a store: in order, one call at a time. A failing store does not stop the agent, but
 * is reported.
 */
export class SessionMirror {
  readonly #store: SessionStore;
  readonly #eager: boolean;
  readonly #report: (message: MessageFrame) => void;
  /** Where the conversation being written ends, as far as this writer knows. */
  #end: RestoredSession | undefined;
  /** Somebody else has continued the conversation: what the agent said is not stored. */
  conflict: SessionConflictError | undefined;
  #batches: Batch[] = [];
  #waiting = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor({ store, flush, restored }: MirrorSettings, report: (message: MessageFrame) => void) {
    this.#store = store;
    this.#eager = flush === 'eager';
    this.#end = restored;
    this.#report = report;
  }

  /** Throws if the frame is not what it should be: what it says would be lost in silence. */
  take({ filePath, entries }: MirrorFrame): void {
    const found = typeof filePath === 'string' ? PATH.exec(filePath) : null;
    if (found === null) throw new Error('`filePath` of transcript_mirror is not the path of a transcript.');
    // Not `every`, which passes over holes.
    if (!Array.isArray(entries) || entries.findIndex((entry) => !isRecord(entry)) !== -1) {
      throw new Error('`entries` of transcript_mirror must be a list of objects.');
    }
    if (entries.length === 0) return;
    const [, projectKey = '', sessionId = '', subpath] = found;
    const key = {
      projectKey,
      sessionId,
      ...(subpath === undefined ? {} : { subpath: subpath.replaceAll('\\', '/') }),
    };
    const open = this.#eager ? undefined : this.#batches.find((batch) => sameKey(batch.key, key));
    const taken = entries as SessionStoreEntry[];
    if (open === undefined) this.#batches.push({ key, entries: [...taken] });
    else for (const entry of taken) open.entries.push(entry);
    this.#waiting += entries.length;
    if (this.#eager || this.#waiting >= LIMITS.maxMirroredEntries) void this.flush();
  }

  /** Resolves when the store has everything received so far, or has failed. Never rejects. */
  flush(): Promise<void> {
    const batches = this.#batches;
    this.#batches = [];
    this.#waiting = 0;
    for (const batch of batches) this.#writing = this.#writing.then(() => this.#write(batch));
    return this.#writing;
  }

  async #write({ key, entries }: Batch): Promise<void> {
    const last = lastEntryId(entries);
    const end =
      last !== undefined && this.#end !== undefined && sameKey(this.#end.key, key) ? this.#end : undefined;
    try {
      await appendTo(this.#store, key, entries, end?.last);
      // Subagents have transcripts that nobody else writes.
      if (last !== undefined && key.subpath === undefined) this.#end = { key, last };
    } catch (error) {
      if (isConflict(error)) this.conflict = error;
      // It may still arrive.
      else if (end !== undefined) this.#end = undefined;
      this.#report(mirrorError(key, error));
    }
  }
}

function sameKey(left: SessionKey, right: SessionKey): boolean {
  return (
    left.projectKey === right.projectKey &&
    left.sessionId === right.sessionId &&
    left.subpath === right.subpath
  );
}

function mirrorError(key: SessionKey, error: unknown): MessageFrame {
  return {
    type: 'system',
    subtype: 'mirror_error',
    error: messageOf(error),
    key,
    uuid: clock.uuid(),
    session_id: key.sessionId,
  };
}
