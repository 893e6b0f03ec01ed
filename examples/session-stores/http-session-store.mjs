// A session store behind HTTP, for programs without files and without database clients: workers, browsers, Deno with
// nothing but `--allow-net`. Both halves use nothing but `fetch`, `Request` and `Response`: the store that the agent
// gets, and the handler that puts any other store behind an address.

import { SessionConflictError, TenonError } from 'tenon';

const METHODS = /** @type {const} */ ([
  'append',
  'load',
  'listSessions',
  'listSessionSummaries',
  'delete',
  'listSubkeys',
]);

/** @implements {Required<import('tenon').SessionStore>} */
export class HttpSessionStore {
  #url;
  #headers;

  /**
   * @param {string} url of a `sessionStoreHandler`
   * @param {Record<string, string>} [headers] such as `authorization`
   */
  constructor(url, headers = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  /**
   * @param {import('tenon').SessionKey} key
   * @param {import('tenon').SessionStoreEntry[]} entries
   * @param {import('tenon').SessionAppendOptions} [options]
   */
  async append(key, entries, options = {}) {
    const response = await this.#send('append', [key, entries, options]);
    if (response.status === 409) throw new SessionConflictError(key);
    await answerOf(response);
  }

  /** @param {import('tenon').SessionKey} key */
  async load(key) {
    return answerOf(await this.#send('load', [key]));
  }

  /** @param {string} projectKey */
  async listSessions(projectKey) {
    return answerOf(await this.#send('listSessions', [projectKey]));
  }

  /** @param {string} projectKey */
  async listSessionSummaries(projectKey) {
    return answerOf(await this.#send('listSessionSummaries', [projectKey]));
  }

  /** @param {import('tenon').SessionKey} key */
  async delete(key) {
    await answerOf(await this.#send('delete', [key]));
  }

  /** @param {{ projectKey: string, sessionId: string }} key */
  async listSubkeys(key) {
    return answerOf(await this.#send('listSubkeys', [key]));
  }

  /**
   * @param {typeof METHODS[number]} method
   * @param {unknown[]} given
   */
  #send(method, given) {
    return fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.#headers },
      body: JSON.stringify({ method, given }),
    });
  }
}

/** @param {Response} response */
async function answerOf(response) {
  const text = await response.text();
  // The agent tries again, and says what is wrong if that does not help.
  if (!response.ok) throw new Error(`The session store answered ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
}

/**
 * Answers the requests of an HttpSessionStore from another store. Who may ask is yours to check, before it is called.
 *
 * @param {Required<import('tenon').SessionStore>} store
 * @returns {(request: Request) => Promise<Response>}
 */
export function sessionStoreHandler(store) {
  return async (request) => {
    const { method, given } = (await request.json().catch(() => null)) ?? {};
    if (!METHODS.includes(method) || !Array.isArray(given)) {
      return new Response('No such method', { status: 400 });
    }
    const call = /** @type {Record<string, (...given: unknown[]) => Promise<unknown>>} */ (store)[method];
    try {
      return Response.json((await call?.apply(store, given)) ?? null);
    } catch (error) {
      const isConflict = TenonError.is(error) && error.code === 'SESSION_CONFLICT';
      return new Response(error instanceof Error ? error.message : String(error), {
        status: isConflict ? 409 : 500,
      });
    }
  };
}
