import { clock } from '../../protocol/base/clock.js';
import { messageOf } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Frame, MessageFrame } from '../../protocol/wire/frames.js';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from '../../protocol/wire/session-store.js';
import { appendTo } from '../../sessions/store-calls.js';

/** What the agent has written to a transcript, reported to the host (`--session-mirror`). */
interface MirrorFrame extends MessageFrame {
  type: 'transcript_mirror';
  filePath: string;
  entries: SessionStoreEntry[];
}

export function isMirrorFrame(frame: Frame): frame is MirrorFrame {
  return frame.type === 'transcript_mirror';
}

interface Batch {
  key: SessionKey;
  entries: SessionStoreEntry[];
}

const PATH = /[\\/]projects[\\/]([^\\/]+)[\\/]([^\\/]+?)(?:[\\/](.+))?\.jsonl$/;

/**
 * Copies a transcript to a store: in order, one call at a time. A failing store does not stop the agent, but
 * is reported.
 */
export class SessionMirror {
  readonly #store: SessionStore;
  readonly #eager: boolean;
  readonly #report: (message: MessageFrame) => void;
  #batches: Batch[] = [];
  #waiting = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: SessionStore, flush: SessionStoreFlush, report: (message: MessageFrame) => void) {
    this.#store = store;
    this.#eager = flush === 'eager';
    this.#report = report;
  }

  take({ filePath, entries }: MirrorFrame): void {
    const found = PATH.exec(filePath);
    if (found === null || !Array.isArray(entries) || entries.length === 0) return;
    const [, projectKey = '', sessionId = '', subpath] = found;
    const key = {
      projectKey,
      sessionId,
      ...(subpath === undefined ? {} : { subpath: subpath.replaceAll('\\', '/') }),
    };
    const open = this.#eager ? undefined : this.#batches.find((batch) => sameKey(batch.key, key));
    if (open === undefined) this.#batches.push({ key, entries: [...entries] });
    else open.entries.push(...entries);
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
    try {
      await appendTo(this.#store, key, entries);
    } catch (error) {
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
