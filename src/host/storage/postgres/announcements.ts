import { clock, type Timer, unref } from '../../../protocol/base/clock.js';
import { LIMITS } from '../../../protocol/base/limits.js';
import type { Topic } from '../port/storage.js';
import { keyOf, Watchers } from '../watchers.js';
import { numberIn, type SqlDatabase, statement, textIn } from './sql.js';

const NOTIFY = statement(
  `SELECT pg_notify($1, $2::text || ' ' || key) FROM unnest($3::text[]) AS said (key)`,
);

type OfSession = Extract<Topic, { session: string }>;

/**
 * Tells this program and others what has changed. Nothing here is part of a transaction: a word that gets lost is made up for by
 * a look at the database now and then. PostgreSQL lets commits that notify wait for one another, so words are collected while
 * the last ones are on their way, and said together.
 */
export class Announcements {
  readonly #watchers = new Watchers();
  readonly #open: () => Promise<SqlDatabase>;
  readonly #schema: string;
  readonly #channel: string;
  /** What it says itself comes back to it, and is known already. */
  readonly #self = clock.uuid();
  #unsaid = new Set<string>();
  #saying: Promise<void> | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  #listening: Promise<void> | undefined;
  #failures = 0;
  #timer: Timer | undefined;
  #isClosed = false;
  /** The numbers of watched conversations, as they were at the last look. */
  #seen = new Map<string, number>();

  constructor(open: () => Promise<SqlDatabase>, schema: string, channel: string) {
    this.#open = open;
    this.#schema = schema;
    this.#channel = channel;
  }

  watch(topic: Topic, onChange: () => void): () => void {
    const end = this.#watchers.add(topic, onChange);
    this.#listening ??= this.#listen();
    if (this.#timer === undefined) this.#schedule();
    return end;
  }

  changed(...topics: Topic[]): void {
    for (const topic of topics) {
      const key = keyOf(topic);
      this.#watchers.tell(key);
      this.#unsaid.add(key);
    }
    this.#saying ??= this.#say();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clock.clearTimeout(this.#timer);
    this.#watchers.clear();
    await this.#saying;
    await this.#listening;
    await this.#stopListening?.();
  }

  async #say(): Promise<void> {
    try {
      const database = await this.#open();
      while (this.#unsaid.size > 0) {
        const keys = [...this.#unsaid];
        this.#unsaid = new Set();
        if (database.listen === undefined) continue;
        await database.query(NOTIFY, [this.#channel, this.#self, keys]);
      }
    } catch {
      // Others look for themselves after a while.
      this.#unsaid = new Set();
    } finally {
      this.#saying = undefined;
    }
  }

  async #listen(): Promise<void> {
    try {
      const database = await this.#open();
      const stop = await database.listen?.(
        this.#channel,
        (said) => this.#heard(said),
        () => this.#lost(),
      );
      if (this.#isClosed) return await stop?.();
      this.#stopListening = stop;
      this.#failures = 0;
      // What was said before was not heard.
      await this.#look();
    } catch {
      this.#lost();
    }
  }

  #heard(said: string): void {
    const at = said.indexOf(' ');
    if (said.slice(0, at) !== this.#self) this.#watchers.tell(said.slice(at + 1));
  }

  #lost(): void {
    this.#stopListening = undefined;
    this.#failures += 1;
    if (this.#isClosed) return;
    const pause = Math.min(LIMITS.hostListenRetryMs * 2 ** this.#failures, LIMITS.hostListenRetryMaxMs);
    const again = (): void => {
      if (!this.#isClosed) this.#listening = this.#listen();
    };
    unref(clock.setTimeout(again, pause));
    // Until then it has to look.
    clock.clearTimeout(this.#timer);
    this.#schedule();
  }

  #schedule(): void {
    const pause = this.#stopListening === undefined ? LIMITS.hostPollMs : LIMITS.hostSafetyPollMs;
    this.#timer = unref(clock.setTimeout(() => void this.#lookAgain(), pause));
  }

  async #lookAgain(): Promise<void> {
    const database = await this.#open().catch(() => undefined);
    if (database?.isOwn) return;
    await this.#look().catch(() => {});
    this.#timer = undefined;
    if (!this.#isClosed && !this.#watchers.isEmpty) this.#schedule();
  }

  /** One statement for all conversations that are watched. */
  async #look(): Promise<void> {
    const topics = this.#watchers.topics();
    const watched = topics.filter(
      (topic): topic is OfSession => topic.kind === 'inbox' || topic.kind === 'events',
    );
    const seen = watched.length === 0 ? new Map<string, number>() : await this.#numbersOf(watched);
    for (const topic of topics) {
      const key = keyOf(topic);
      const isSame = seen.has(key) && seen.get(key) === this.#seen.get(key);
      if (!isSame) this.#watchers.tell(key);
    }
    this.#seen = seen;
  }

  async #numbersOf(watched: readonly OfSession[]): Promise<Map<string, number>> {
    const database = await this.#open();
    const { rows } = await database.query(
      `SELECT s.tenant, s.session, s.last_number, s.last_event FROM ${this.#schema}.sessions s
       WHERE (s.tenant, s.session) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
      [watched.map(({ tenant }) => tenant), watched.map(({ session }) => session)],
    );
    return new Map(
      rows.flatMap((row): [string, number][] => {
        const ref = { tenant: textIn(row, 'tenant') ?? '', session: textIn(row, 'session') ?? '' };
        return [
          [keyOf({ kind: 'inbox', ...ref }), numberIn(row, 'last_number')],
          [keyOf({ kind: 'events', ...ref }), numberIn(row, 'last_event')],
        ];
      }),
    );
  }
}
