// The list at the side of the page. The host knows conversations by their names; people know them by what they began with.

const TITLE_CHARACTERS = 80;
const KEPT_TITLES = 10_000;
const SHOWN = 200;

/**
 * @typedef {object} Listed
 * @property {string} id
 * @property {string} title
 * @property {import('tenon/host').SessionState} state
 * @property {number} changed
 */

export class Conversations {
  #host;
  /** @type {Map<string, string>} */
  #titles = new Map();

  /** @param {import('tenon/host').Host} host */
  constructor(host) {
    this.#host = host;
  }

  /**
   * Those of one person, the newest first.
   *
   * @param {string} tenant
   * @returns {Promise<Listed[]>}
   */
  async of(tenant) {
    const sessions = await this.#host.sessions({ tenant, limit: 10_000 });
    const newest = sessions.toSorted((left, right) => right.changed - left.changed).slice(0, SHOWN);
    return Promise.all(
      newest.map(async ({ session: id, state, changed, event }) => {
        const title = event === 0 ? '' : await this.#titleOf({ tenant, session: id });
        return { id, title, state, changed };
      }),
    );
  }

  /** @param {import('tenon/host').SessionRef} ref */
  async remove(ref) {
    await this.#host.remove(ref);
    this.#titles.delete(keyOf(ref));
  }

  /** @param {import('tenon/host').SessionRef} ref */
  async #titleOf(ref) {
    const key = keyOf(ref);
    const known = this.#titles.get(key);
    if (known !== undefined) return known;
    const title = await firstWords(this.#host, ref);
    if (title === '') return title;
    this.#titles.set(key, title);
    if (this.#titles.size > KEPT_TITLES) this.#titles.delete(this.#titles.keys().next().value ?? '');
    return title;
  }
}

/**
 * Of the first prompt. It is the first event, unless events that old are no longer kept.
 *
 * @param {import('tenon/host').Host} host
 * @param {import('tenon/host').SessionRef} ref
 */
async function firstWords(host, ref) {
  for await (const { message } of host.events(ref)) {
    if (message.type !== 'user') return '';
    const { content } = message.message;
    const words =
      typeof content === 'string'
        ? content
        : content.map((block) => ('text' in block ? block.text : '')).join(' ');
    return words.replace(/\s+/g, ' ').trim().slice(0, TITLE_CHARACTERS);
  }
  return '';
}

/** @param {import('tenon/host').SessionRef} ref */
const keyOf = ({ tenant, session }) => JSON.stringify([tenant, session]);
