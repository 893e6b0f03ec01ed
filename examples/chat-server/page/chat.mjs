// One conversation that is open in the page.

import { Conversation } from './conversation.mjs';
import { byId } from './dom.mjs';
import { readEvents } from './event-reader.mjs';
import { server } from './server.mjs';
import { sync } from './sync.mjs';
import { turnView } from './turn-view.mjs';
import { Unsent } from './unsent.mjs';

/** A page that nobody looks at lets go of its connection: a browser has only six for a server. */
const HIDDEN_FOR_MS = 30_000;
const NEAR_END_PIXELS = 120;
const ABOVE_QUESTION_PIXELS = 80;

/**
 * @typedef {object} ChatListener
 * @property {(chat: { isRunning: boolean, isAsking: boolean, title: string }) => void} onChange
 * @property {(state: 'connected' | 'lost' | 'signed out') => void} onConnection
 * @property {(words: string) => void} say to those who listen instead of looking
 */

/**
 * @param {string} id
 * @param {ChatListener} listener
 */
export function openChat(id, { onChange, onConnection, say }) {
  const place = byId('turns', HTMLDivElement);
  const scroll = byId('scroll', HTMLDivElement);
  const note = byId('note', HTMLParagraphElement);
  const latest = byId('latest', HTMLButtonElement);
  const unsent = new Unsent(byId('unsent', HTMLDivElement), id);
  let conversation = new Conversation();
  let isFollowing = true;
  let frame = 0;
  let before = { isRunning: false, isAsking: false };

  const show = () => {
    frame = 0;
    const { turns, running, open, parked, missed } = conversation;
    sync(place, turns, (turn, index) => turn.id || String(index), turnView);
    unsent.arrived(turns);
    const words = noteOf(parked, missed);
    note.textContent = words;
    note.hidden = words === '';
    const now = { isRunning: running !== undefined, isAsking: open.length > 0 };
    if (now.isAsking && !before.isAsking) say('The agent waits for your answer.');
    if (before.isRunning && !now.isRunning) say('The answer is complete.');
    before = now;
    onChange({ ...now, title: turns[0]?.prompt?.replace(/\s+/g, ' ').trim() ?? '' });
    follow();
  };
  /** Many events in a moment are shown once. */
  const showSoon = () => {
    frame ||= requestAnimationFrame(show);
  };
  unsent.onChange = showSoon;

  /** @type {Element | null} */
  let followed = null;
  const follow = () => {
    const question = openQuestion(scroll);
    // Who fills in a form is left alone.
    if (isFollowing && (question === null || question !== followed)) scroll.scrollTop = endOf(scroll);
    followed = question;
    latest.hidden = isFollowing;
  };
  const onScroll = () => {
    isFollowing = endOf(scroll) - scroll.scrollTop < NEAR_END_PIXELS;
    latest.hidden = isFollowing;
  };
  const toEnd = () => {
    isFollowing = true;
    followed = null;
    follow();
  };
  scroll.addEventListener('scroll', onScroll, { passive: true });
  latest.addEventListener('click', toEnd);
  // Pictures and fonts of the system may change heights later, and so does the size of the window.
  const resized = new ResizeObserver(follow);
  resized.observe(place);

  let stop = () => {};
  const start = () => {
    stop();
    stop = readEvents(id, {
      after: conversation.last,
      onState: onConnection,
      onEvent: (event) => {
        // A conversation that was deleted and begun again counts from the beginning.
        if (event.id < conversation.last) conversation = new Conversation();
        conversation.apply(event);
        showSoon();
      },
    });
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hiding;
  let isAway = false;
  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.hidden) {
      hiding = setTimeout(() => {
        isAway = true;
        stop();
      }, HIDDEN_FOR_MS);
    } else if (isAway) {
      isAway = false;
      start();
    }
  };
  document.addEventListener('visibilitychange', onVisibility);
  start();

  return {
    id,
    /** @param {string} prompt */
    send: (prompt) => {
      isFollowing = true;
      const sent = unsent.send(prompt);
      showSoon();
      return sent;
    },
    stop: () => server.stop(id),
    get isRunning() {
      return conversation.running !== undefined || unsent.size > 0;
    },
    close: () => {
      stop();
      clearTimeout(hiding);
      cancelAnimationFrame(frame);
      resized.disconnect();
      document.removeEventListener('visibilitychange', onVisibility);
      scroll.removeEventListener('scroll', onScroll);
      latest.removeEventListener('click', toEnd);
      sync(place, [], () => '', turnView);
      unsent.clear();
      note.hidden = true;
      latest.hidden = true;
    },
  };
}

/** @param {HTMLElement} scroll */
const openQuestion = (scroll) => scroll.querySelector('.question.is-open');

/** Where the latest is seen best: a question from its beginning. @param {HTMLElement} scroll */
function endOf(scroll) {
  const question = openQuestion(scroll);
  const end = scroll.scrollHeight - scroll.clientHeight;
  if (question === null) return end;
  const above = question.getBoundingClientRect().top - scroll.getBoundingClientRect().top;
  return Math.min(end, scroll.scrollTop + above - ABOVE_QUESTION_PIXELS);
}

/** @param {string | undefined} parked @param {number} missed */
function noteOf(parked, missed) {
  if (parked !== undefined)
    return `This conversation stands still until somebody has looked at it: ${parked}`;
  return missed === 0 ? '' : 'The beginning of this conversation is no longer kept.';
}
