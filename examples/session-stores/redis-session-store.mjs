// A session store in Redis, for a client of the package `redis`: a list for each transcript, a sorted set of
// the conversations of a project, a set of the subpaths of a conversation. There is no listSessionSummaries:
// folding a summary safely on several machines would need a lock, and lists work without it.

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
    const transaction = this.#client.multi();
    transaction.rPush(
      this.#name('entries', projectKey, sessionId, subpath ?? ''),
      entries.map((entry) => JSON.stringify(entry)),
    );
    if (subpath === undefined) {
      this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
      transaction.zAdd(this.#name('sessions', projectKey), { score: this.#lastTime, value: sessionId });
    } else transaction.sAdd(this.#name('subpaths', projectKey, sessionId), subpath);
    await transaction.exec();
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
    const transaction = this.#client.multi();
    if (subpath === undefined) {
      const subpaths = await this.listSubkeys({ projectKey, sessionId });
      for (const each of ['', ...subpaths])
        transaction.del(this.#name('entries', projectKey, sessionId, each));
      transaction.del(this.#name('subpaths', projectKey, sessionId));
      transaction.zRem(this.#name('sessions', projectKey), sessionId);
    } else {
      transaction.del(this.#name('entries', projectKey, sessionId, subpath));
      transaction.sRem(this.#name('subpaths', projectKey, sessionId), subpath);
    }
    await transaction.exec();
  }

  /**
   * JSON, because a key may contain any character, including any separator.
   * @param {string[]} parts
   */
  #name(...parts) {
    return `${this.#prefix}:${JSON.stringify(parts)}`;
  }
}
