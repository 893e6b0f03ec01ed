import { clock, timestamp } from '../protocol/base/clock.js';
import type { SessionStoreEntry, SessionSummaryEntry } from '../protocol/wire/session-store.js';
import { chainNode } from './conversation-chain.js';
import { foldSessionSummary, infoOf } from './summary.js';

/** The CLI's own notes that a conversation needs in order to continue; the last of each counts. */
const NOTES: ReadonlySet<string> = new Set(['atis-latch', 'content-replacement', 'tools-used']);

/** The copy of a conversation: every entry gets a new id, and every reference to the old id is updated. */
export class Fork {
  readonly source: string;
  readonly sessionId: string;
  readonly #title: string | undefined;
  readonly #ids = new Map<string, string>();
  readonly #notes = new Map<string, SessionStoreEntry>();
  /** The entries that can be the end, in file order. */
  readonly #order: { uuid: string; isBoundary: boolean; isSummary: boolean }[] = [];
  #summary: SessionSummaryEntry | undefined;
  #last: string | undefined;
  #dropsKept = false;
  #ended = false;

  constructor(source: string, sessionId: string, title: string | undefined) {
    this.source = source;
    this.sessionId = sessionId;
    this.#title = title;
  }

  /** Step 1: takes in every entry, in order. */
  see(entry: SessionStoreEntry): void {
    this.#summary = foldSessionSummary(this.#summary, { projectKey: '', sessionId: this.source }, [entry]);
    if (NOTES.has(entry.type)) this.#notes.set(entry.type, entry);
    const node = chainNode(entry, false);
    if (node === undefined || this.#ids.has(node.uuid)) return;
    this.#ids.set(node.uuid, clock.uuid());
    this.#order.push({
      uuid: node.uuid,
      isBoundary: entry.subtype === 'compact_boundary' && node.kept !== undefined,
      isSummary: entry.isCompactSummary === true,
    });
  }

  /**
   * Step 2: sets the end. At a compaction boundary the fork ends before it; at its summary, it ends with the
   * summary and without the messages that the compaction kept.
   */
  endAt(uuid: string | undefined): boolean {
    const found =
      uuid === undefined ? this.#order.length - 1 : this.#order.findIndex((each) => each.uuid === uuid);
    if (uuid !== undefined && found === -1) return false;
    const end = this.#order[found];
    this.#dropsKept = uuid !== undefined && end?.isSummary === true;
    this.#last = end?.isBoundary && uuid !== undefined ? this.#order[found - 1]?.uuid : end?.uuid;
    this.#ended = this.#last === undefined;
    return true;
  }

  /** Step 3: copies every entry, in order; undefined for those that are left out. */
  copy(entry: SessionStoreEntry): SessionStoreEntry | undefined {
    const uuid = chainNode(entry, false)?.uuid;
    const newId = uuid === undefined ? undefined : this.#ids.get(uuid);
    if (uuid === undefined || newId === undefined || this.#ended) return undefined;
    const isLast = uuid === this.#last;
    this.#ended = isLast;
    // Both are specific to the CLI run that wrote them.
    const { slug: _slug, sourceToolAssistantUUID: _source, ...rest } = entry;
    const copy: SessionStoreEntry = { ...rest, type: entry.type };
    for (const [name, value] of Object.entries(copy)) {
      if (typeof value === 'string') copy[name] = this.#ids.get(value) ?? value;
    }
    if (copy.compactMetadata !== undefined) copy.compactMetadata = this.#compaction(copy.compactMetadata);
    return {
      ...copy,
      uuid: newId,
      sessionId: this.sessionId,
      // A conversation's age is that of its last entry, and the fork is new.
      ...(isLast ? { timestamp: timestamp() } : {}),
      forkedFrom: { sessionId: this.source, messageUuid: uuid },
    };
  }

  /** The metadata after the last entry. */
  closing(): SessionStoreEntry[] {
    const title = this.#title?.trim() || `${this.#sourceTitle()} (fork)`;
    return [
      ...[...this.#notes.values()].map((note) => ({ ...note, sessionId: this.sessionId })),
      {
        type: 'custom-title',
        sessionId: this.sessionId,
        customTitle: title,
        uuid: clock.uuid(),
        timestamp: timestamp(),
      },
    ];
  }

  #sourceTitle(): string {
    const info = this.#summary && infoOf(this.#summary);
    return info?.customTitle ?? info?.firstPrompt ?? info?.summary ?? 'Conversation';
  }

  #compaction(metadata: unknown): unknown {
    const { preservedMessages, preservedSegment, ...rest } = metadata as Record<string, unknown>;
    if (this.#dropsKept) return rest;
    return {
      ...rest,
      ...(preservedMessages === undefined ? {} : { preservedMessages: this.#renamed(preservedMessages) }),
      ...(preservedSegment === undefined ? {} : { preservedSegment: this.#renamed(preservedSegment) }),
    };
  }

  #renamed(value: unknown): unknown {
    if (typeof value === 'string') return this.#ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#renamed(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#renamed(item)]));
  }
}
