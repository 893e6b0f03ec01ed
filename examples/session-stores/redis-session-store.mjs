// A session store in Redis, for a client of the package `redis`: a list for each transcript, a sorted set of
// the conversations of a project, a set of the subpaths of a conversation. There is no listSessionSummaries:
// folding a summary safely on several machines would need a lock, and lists work without it.

import { lastEntryId, SessionConflictError } from 'tenon';

/** Compares and appends in one step. An id of ours at the end means that an earlier attempt got through. */
const APPEND = `
  local given = cjson.decode(ARGV[1])
  local last = redis.call('GET', KEYS[2]) or ''
  local follows = not given.checks or last == given.after
  for _, id in ipairs(given.ids) do follows = follows or id == last end
  if not follows then return 0 end
  for index = 2, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[index]) end
  if given.last ~= '' then redis.call('SET', KEYS[2], given.last) end
  if given.time then redis.call('ZADD', KEYS[3], given.time, given.name)
  else redis.call('SADD', KEYS[3], given.name) end
  return 1`;

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
   * @param {import('tenon').SessionAppendOptions} [options]
   */
  async append(key, entries, { after } = {}) {
    if (entries.length === 0) return;
    const { projectKey, sessionId, subpath } = key;
    if (subpath === undefined) this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    const given = {
      checks: after !== undefined,
      after: after ?? '',
      last: lastEntryId(entries) ?? '',
      ids: entries.flatMap(({ uuid }) => uuid ?? []),
      ...(subpath === undefined ? { time: this.#lastTime, name: sessionId } : { name: subpath }),
    };
    const isAppended = await this.#client.eval(APPEND, {
      keys: [
        this.#name('entries', projectKey, sessionId, subpath ?? ''),
        this.#name('last', projectKey, sessionId, subpath ?? ''),
        subpath === undefined
          ? this.#name('sessions', projectKey)
          : this.#name('subpaths', projectKey, sessionId),
      ],
      arguments: [JSON.stringify(given), ...entries.map((entry) => JSON.stringify(entry))],
    });
    if (isAppended !== 1) throw new SessionConflictError(key);
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
      for (const each of ['', ...subpaths]) this.#deleteEntries(transaction, projectKey, sessionId, each);
      transaction.del(this.#name('subpaths', projectKey, sessionId));
      transaction.zRem(this.#name('sessions', projectKey), sessionId);
    } else {
      this.#deleteEntries(transaction, projectKey, sessionId, subpath);
      transaction.sRem(this.#name('subpaths', projectKey, sessionId), subpath);
    }
    await transaction.exec();
  }

  /**
   * @param {ReturnType<import('redis').RedisClientType['multi']>} transaction
   * @param {string[]} key
   */
  #deleteEntries(transaction, ...key) {
    transaction.del([this.#name('entries', ...key), this.#name('last', ...key)]);
  }

  /**
   * JSON, because a key may contain any character, including any separator.
   * @param {string[]} parts
   */
  #name(...parts) {
    return `${this.#prefix}:${JSON.stringify(parts)}`;
  }
}
