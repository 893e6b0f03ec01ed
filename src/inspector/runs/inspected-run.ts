import { LIMITS } from '../../protocol/base/limits.js';
import { MemoryText, type RunText } from './run-text.js';

/** Not inside another text: there its quotes are escaped. */
const SESSION = /"session_id":"([\w-]{1,64})"/g;
const STARTED_AT = /"startedAt":"([^"]{1,40})"/;
const END = /^\{"kind":"end"/;
/** The head is the first line, and short. */
const HEAD_CHARS = 64 * 1024;

/** A run as the server knows it: its text, which it never parses, and what it must find in it. */
export class InspectedRun {
  readonly number: number;
  readonly name: string;
  readonly text: RunText;
  /** Lines that are not in the text, because somebody else writes that: spans that its agent reported. */
  readonly spans: MemoryText = new MemoryText();
  /** By which its agent's spans are recognised. */
  readonly sessions: Set<string> = new Set();
  spanCount = 0;
  hasEnded = false;
  /** Why it cannot be read any further. */
  broken: string | undefined;
  #startedAt: number | undefined;

  constructor(number: number, name: string, text: RunText) {
    this.number = number;
    this.name = name;
    this.text = text;
  }

  /** Milliseconds since 1970; undefined until the head is there. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** Looks through lines that have been added. Returns the sessions that were not known. */
  look(lines: string): string[] {
    if (this.#startedAt === undefined) {
      const time = Date.parse(STARTED_AT.exec(lines.slice(0, HEAD_CHARS))?.[1] ?? '');
      if (!Number.isNaN(time)) this.#startedAt = time;
    }
    this.hasEnded ||= END.test(lines.slice(lines.lastIndexOf('\n', lines.length - 2) + 1));
    const found: string[] = [];
    for (const [, session = ''] of lines.matchAll(SESSION)) {
      if (this.sessions.has(session) || this.sessions.size >= LIMITS.maxSessionsOfRun) continue;
      this.sessions.add(session);
      found.push(session);
    }
    return found;
  }
}
