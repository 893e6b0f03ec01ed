// What the page asks of its server.

/**
 * @typedef {import('../conversations.mjs').Listed} Listed
 * @typedef {{ name: string, about: 'scripted' | 'live' }} Person
 */

/** An answer that was no success; `status` 0: there was none. */
export class ServerError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const UNREACHABLE = 'The server cannot be reached.';

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 */
async function ask(method, path, body) {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(path, { method, ...init }).catch(() => {
    throw new ServerError(UNREACHABLE, 0);
  });
  const value = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new ServerError(value.detail ?? `The server says ${response.status}.`, response.status);
  return value;
}

const path = (/** @type {string} */ id) => `/api/sessions/${encodeURIComponent(id)}`;

export const server = {
  /** Who has signed in, if somebody has. @returns {Promise<Partial<Person>>} */
  me: () => ask('GET', '/me'),
  /** @param {string} name @returns {Promise<Person>} */
  signIn: (name) => ask('POST', '/sign-in', { name }),
  signOut: () => ask('POST', '/sign-out', {}),
  /** @returns {Promise<Listed[]>} */
  conversations: async () => (await ask('GET', '/conversations')).conversations,
  /** @param {string} id */
  remove: (id) => ask('DELETE', `/conversations/${encodeURIComponent(id)}`),
  /** Whether there is such a conversation. @param {string} id */
  exists: (id) =>
    ask('GET', path(id)).then(
      () => true,
      (error) => {
        if (error.status === 404) return false;
        throw error;
      },
    ),
  /**
   * The same key again is the same message: a second try after a lost answer does not send it twice.
   *
   * @param {string} id
   * @param {{ prompt: string, idempotencyKey: string }} message
   * @returns {Promise<{ id: string }>}
   */
  send: (id, message) => ask('POST', `${path(id)}/messages`, message),
  /** @param {string} id */
  stop: (id) => ask('POST', `${path(id)}/interrupt`, {}),
  /** @param {string} approval @param {import('tenon/host').HostAnswer} answer */
  answer: (approval, answer) => ask('POST', `/api/approvals/${encodeURIComponent(approval)}`, answer),
};
