import { LIMITS } from '../../../protocol/base/limits.js';
import type { SessionKey } from '../../../protocol/wire/session-store.js';
import type { SessionRef } from '../port/conversation.js';
import { numberIn, type Row, textIn } from './sql.js';
import { refValues } from './statements.js';

/** Parts of keys are stored as JSON: they may contain what a database cannot store. */
export const encoded = (part: string | undefined): string | null =>
  part === undefined ? null : JSON.stringify(part);

/** $1 to $5. */
export function keyValues(of: SessionRef, { projectKey, sessionId, subpath }: SessionKey): (string | null)[] {
  return [...refValues(of), encoded(projectKey), encoded(sessionId), encoded(subpath)];
}

export const OF_PROJECT = 'tenant = $1 AND session = $2 AND project_key = $3';
export const ONE = `${OF_PROJECT} AND session_id = $4 AND subpath IS NOT DISTINCT FROM $5`;

/** The row of a transcript as it was when this program saw it last. */
export interface KnownTranscript {
  readonly transcript: number;
  /** Grows with every change. */
  readonly entries: number;
  readonly lastEntry: string | undefined;
  /** JSON. */
  readonly summary: string | undefined;
}

export function knownOf(row: Row): KnownTranscript {
  return {
    transcript: numberIn(row, 'transcript'),
    entries: numberIn(row, 'entries'),
    lastEntry: textIn(row, 'last_entry'),
    summary: textIn(row, 'summary'),
  };
}

/** Those that were used last. Whether they are current, the database says when they are used. */
export class KnownTranscripts {
  readonly #all = new Map<string, KnownTranscript>();

  get(of: SessionRef, key: SessionKey): KnownTranscript | undefined {
    return this.#all.get(nameOf(of, key));
  }

  set(of: SessionRef, key: SessionKey, known: KnownTranscript): void {
    const name = nameOf(of, key);
    this.#all.delete(name);
    this.#all.set(name, known);
    const [oldest] = this.#all.keys();
    if (this.#all.size > LIMITS.hostTranscriptsKnown && oldest !== undefined) this.#all.delete(oldest);
  }
}

function nameOf(of: SessionRef, key: SessionKey): string {
  return JSON.stringify(keyValues(of, key));
}
