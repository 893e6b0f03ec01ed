// A session store in Redis, for a client of the package `redis`: a list for each transcript, a sorted set of the
// conversations of a project, a set of the subpaths of a conversation. There is no listSessionSummaries: to fold a summary
// safely between two machines would take a lock, and lists work without.

/** @implements {Omit<Required<import('tenon').SessionStore>, 'listSessionSummaries'>} */
export class RedisSessionStore {
  #client;
  #prefix;
  #lastTime = 0;

  /**
   * @param {import('redis').RedisClientType} client
   * @param {string} [prefix]
   */
  constructor(client, prefix = 'tenon') {
    this.#client = client;
    this.#prefix = prefix;
  }

  /**
   * @param {import('tenon').SessionKey} key
   * @param {import('tenon').SessionStoreEntry[]} entries
   */
  async append(key, entries) {
    if (entries.length === 0) return;
    const { projectKey, sessionId, subpath } = key;
    const together = this.#client.multi();
    together.rPush(
      this.#name('entries', projectKey, sessionId, subpath ?? ''),
      entries.map((entry) => JSON.stringify(entry)),
    );
    if (subpath === undefined) {
      this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
      together.zAdd(this.#name('sessions', projectKey), { score: this.#lastTime, value: sessionId });
    } else together.sAdd(this.#name('subpaths', projectKey, sessionId), subpath);
    await together.exec();
  }

  /** @param {import('tenon').SessionKey} key */
  async load({ projectKey, sessionId, subpath = '' }) {
    const lines = await this.#client.lRange(this.#name('entries', projectKey, sessionId, subpath), 0, -1);
    return lines.length === 0 ? null : lines.map((line) => JSON.parse(line));
  }

  /** @param {string} projectKey */
  async listSessions(projectKey) {
    const members = await this.#client.zRangeWithScores(this.#name('sessions', projectKey), 0, -1);
    return members.map(({ value, score }) => ({ sessionId: value, mtime: score }));
  }

  /** @param {{ projectKey: string, sessionId: string }} key */
  async listSubkeys({ projectKey, sessionId }) {
    return this.#client.sMembers(this.#name('subpaths', projectKey, sessionId));
  }

  /** @param {import('tenon').SessionKey} key */
  async delete({ projectKey, sessionId, subpath }) {
    const together = this.#client.multi();
    if (subpath === undefined) {
      const subpaths = await this.listSubkeys({ projectKey, sessionId });
      for (const each of ['', ...subpaths]) together.del(this.#name('entries', projectKey, sessionId, each));
      together.del(this.#name('subpaths', projectKey, sessionId));
      together.zRem(this.#name('sessions', projectKey), sessionId);
    } else {
      together.del(this.#name('entries', projectKey, sessionId, subpath));
      together.sRem(this.#name('subpaths', projectKey, sessionId), subpath);
    }
    await together.exec();
  }

  /**
   * JSON, because any character may be in a key, also the one that would be put between.
   * @param {string[]} parts
   */
  #name(...parts) {
    return `${this.#prefix}:${JSON.stringify(parts)}`;
  }
}
