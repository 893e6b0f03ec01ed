// The conversations at the side.

import { byId, element, icon } from './dom.mjs';
import { ServerError, server } from './server.mjs';
import { sync } from './sync.mjs';

/** @typedef {import('../conversations.mjs').Listed} Listed */

const LOOK_EVERY_MS = 4_000;

const STATES = {
  queued: 'waits its turn',
  running: 'is writing',
  waiting: 'waits for you',
  parked: 'stands still',
  idle: '',
};

/**
 * @param {object} parts
 * @param {(id: string) => void} parts.onRemoved
 * @param {(error: unknown) => void} parts.onProblem
 */
export function sidebar({ onRemoved, onProblem }) {
  const list = byId('list', HTMLUListElement);
  /** @type {Listed[]} */
  let listed = [];
  /** One that the server does not know by its title yet. @type {Listed | undefined} */
  let fresh;
  let current = '';
  /** What the page itself knows of the one that is open: sooner than the list. @type {Listed['state'] | undefined} */
  let currentState;

  const show = () => {
    const isListed = listed.some(({ id, title }) => id === fresh?.id && title !== '');
    const rest = listed.filter(({ id }) => isListed || id !== fresh?.id);
    const all = fresh === undefined || isListed ? listed : [fresh, ...rest];
    sync(list, all, ({ id }) => id, itemView);
  };

  /** @param {Listed} first @returns {import('./sync.mjs').View<Listed>} */
  const itemView = (first) => {
    const { id } = first;
    const title = element('span', { className: 'item-title' });
    const state = element('span', { className: 'item-state' });
    const link = element('a', { href: `/c/${id}` }, title, state);
    const remove = element('button', { type: 'button', className: 'plain remove' }, icon('trash'));
    /** Twice: what is deleted is gone. @param {boolean} isSure */
    const ask = (isSure) => {
      remove.replaceChildren(isSure ? 'Delete?' : icon('trash'));
      remove.classList.toggle('is-sure', isSure);
    };
    remove.addEventListener('blur', () => ask(false));
    remove.addEventListener('click', async () => {
      if (!remove.classList.contains('is-sure')) return ask(true);
      try {
        await server.remove(id);
        listed = listed.filter((each) => each.id !== id);
        if (fresh?.id === id) fresh = undefined;
        show();
        onRemoved(id);
      } catch (error) {
        onProblem(error);
      }
    });
    const node = element('li', {}, link, remove);
    const update = (/** @type {Listed} */ item) => {
      const known = (id === current ? currentState : undefined) ?? item.state;
      title.textContent = item.title || 'A conversation';
      remove.setAttribute('aria-label', `Delete “${title.textContent}”`);
      state.textContent = STATES[known] || ago(item.changed);
      node.dataset.state = known;
      if (id === current) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    };
    return { node, update };
  };

  let isLooking = false;
  const look = async () => {
    if (isLooking || document.hidden) return;
    isLooking = true;
    try {
      listed = await server.conversations();
      show();
    } catch (error) {
      // The connection of the open conversation says that the server is away.
      if (!(error instanceof ServerError) || error.status === 401) onProblem(error);
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  document.addEventListener('visibilitychange', look);

  return {
    look,
    /** @param {string} id */
    titleOf: (id) => [fresh, ...listed].find((each) => each?.id === id)?.title ?? '',
    /** @param {string} id */
    select: (id) => {
      current = id;
      currentState = undefined;
      show();
    },
    /** @param {Listed['state']} state of the one that is open */
    note: (state) => {
      if (state === currentState) return;
      currentState = state;
      show();
      void look();
    },
    /** @param {string} id @param {string} title */
    add: (id, title) => {
      fresh = { id, title, state: 'queued', changed: Date.now() };
      show();
    },
    close: () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      sync(list, [], () => '', itemView);
    },
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** @param {number} time */
function ago(time) {
  const minutes = Math.floor((Date.now() - time) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (Date.now() - time < DAY_MS)
    return new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false }).format(time);
  return new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' }).format(time);
}
