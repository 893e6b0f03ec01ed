// The page: who is there, what is open, and what an address means.

import { openChat } from './chat.mjs';
import { composer } from './composer.mjs';
import { byId, element, icon } from './dom.mjs';
import { drawer } from './drawer.mjs';
import { ServerError, server } from './server.mjs';
import { sidebar } from './sidebar.mjs';
import { themeButton } from './theme.mjs';

const SUGGESTIONS = [
  { prompt: 'Do you have hammers?', words: 'It looks them up, and shows how' },
  { prompt: 'Order two rubber mallets', words: 'It asks before it does it' },
  { prompt: 'Help me choose a gift', words: 'It asks what you would like' },
  { prompt: 'Tell me the story of the hammer', words: 'Long enough to reload the page in the middle' },
];

const ABOUT = {
  scripted:
    'The model is scripted and knows only a few sentences. Start the server with --live for a real one.',
  live: 'A model can be wrong. It asks before it orders anything.',
};

const CONNECTION = { connected: '', lost: 'The connection is lost. Trying again …', 'signed out': '' };

const app = byId('app', HTMLDivElement);
const signIn = byId('sign-in', HTMLElement);
const side = drawer();
const list = sidebar({ onRemoved: (id) => id === chat?.id && go('/'), onProblem });
const writing = composer({ onSend: send, onStop: () => chat?.stop().catch(onProblem) });
/** @type {ReturnType<typeof openChat> | undefined} */
let chat;

themeButton(byId('theme', HTMLButtonElement));
byId('new', HTMLAnchorElement).prepend(icon('plus'));
byId('suggestions', HTMLUListElement).append(
  ...SUGGESTIONS.map(({ prompt, words }) => {
    const button = element(
      'button',
      { type: 'button' },
      element('strong', { text: prompt }),
      element('span', { text: words }),
    );
    button.addEventListener('click', () => send(prompt));
    return element('li', {}, button);
  }),
);
byId('sign-in-form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault();
  const problem = byId('sign-in-problem', HTMLParagraphElement);
  problem.textContent = '';
  try {
    enter(await server.signIn(byId('name', HTMLInputElement).value));
  } catch (error) {
    problem.textContent = error instanceof Error ? error.message : String(error);
  }
});
byId('sign-out', HTMLButtonElement).addEventListener('click', async () => {
  try {
    await server.signOut();
    location.assign('/');
  } catch (error) {
    onProblem(error);
  }
});
// Links to conversations do not load the page anew.
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0;
  if (link === null || !isPlain || link.origin !== location.origin || link.hash !== '') return;
  event.preventDefault();
  go(link.pathname);
});
window.addEventListener('popstate', open);

await server.me().then(
  ({ name, about }) => (name === undefined || about === undefined ? leave() : enter({ name, about })),
  (error) => {
    leave();
    byId('sign-in-problem', HTMLParagraphElement).textContent = error.message;
  },
);

/** @param {import('./server.mjs').Person} person */
function enter({ name, about }) {
  signIn.hidden = true;
  app.hidden = false;
  byId('me', HTMLSpanElement).textContent = name;
  byId('greeting', HTMLHeadingElement).textContent = `What do you need, ${name}?`;
  byId('about', HTMLParagraphElement).textContent = ABOUT[about];
  void list.look();
  open();
}

function leave() {
  chat?.close();
  chat = undefined;
  app.hidden = true;
  signIn.hidden = false;
  byId('name', HTMLInputElement).focus();
}

/** @param {string} path */
function go(path) {
  if (path !== location.pathname) history.pushState(null, '', path);
  open();
}

/** Shows what the address names. */
async function open() {
  const id = /^\/c\/([\w-]+)$/.exec(location.pathname)?.[1] ?? '';
  side.close();
  if (id !== '' && id === chat?.id) return;
  show(id);
  if (id === '') return;
  const exists = await server.exists(id).catch((error) => {
    onProblem(error);
    // It may be there: the connection tells as soon as there is one.
    return true;
  });
  if (exists || chat?.id !== id) return;
  chat.close();
  chat = undefined;
  setTitle('Not found');
  byId('absent', HTMLDivElement).hidden = false;
}

/** @param {string} id empty: a new conversation */
function show(id) {
  chat?.close();
  chat = id === '' ? undefined : openChat(id, { onChange, onConnection, say });
  byId('empty', HTMLDivElement).hidden = id !== '';
  byId('absent', HTMLDivElement).hidden = true;
  list.select(id);
  setTitle(list.titleOf(id) || (id === '' ? 'New conversation' : ' '));
  writing.update(false);
  onConnection('connected');
  // On a touch screen the keyboard would cover the page.
  if (matchMedia('(hover: hover)').matches) writing.focus();
}

/** @param {string} prompt */
async function send(prompt) {
  if (chat === undefined) {
    const id = crypto.randomUUID();
    history.pushState(null, '', `/c/${id}`);
    list.add(id, prompt);
    show(id);
  }
  await chat?.send(prompt);
  void list.look();
}

/** @param {{ isRunning: boolean, isAsking: boolean, title: string }} state */
function onChange({ isRunning, isAsking, title }) {
  writing.update(isRunning);
  list.note(isAsking ? 'waiting' : isRunning ? 'running' : 'idle');
  if (title !== '') setTitle(title, isAsking);
}

/** @param {'connected' | 'lost' | 'signed out'} state */
function onConnection(state) {
  byId('connection', HTMLParagraphElement).textContent = CONNECTION[state];
  if (state === 'signed out') leave();
}

/** @param {string} title @param {boolean} [isAsking] */
function setTitle(title, isAsking = false) {
  byId('title', HTMLHeadingElement).textContent = title;
  document.title = `${isAsking ? '● ' : ''}${title.trim() || 'Conversation'} · Chat`;
}

/** @param {string} words */
function say(words) {
  byId('said', HTMLParagraphElement).textContent = words;
}

/** @param {unknown} error */
function onProblem(error) {
  if (error instanceof ServerError && error.status === 401) return leave();
  byId('connection', HTMLParagraphElement).textContent =
    error instanceof Error ? error.message : String(error);
}
