// Messages on their way: shown at once, until the conversation itself has them.

import { element } from './dom.mjs';
import { server } from './server.mjs';
import { sync } from './sync.mjs';

/** @typedef {{ key: string, prompt: string, id: string | undefined, problem: string | undefined }} Message */

export class Unsent {
  /** @type {Message[]} */
  #messages = [];
  #place;
  #session;

  /** @param {HTMLElement} place @param {string} session */
  constructor(place, session) {
    this.#place = place;
    this.#session = session;
  }

  get size() {
    return this.#messages.length;
  }

  /** @param {string} prompt */
  async send(prompt) {
    /** @type {Message} */
    const message = { key: crypto.randomUUID(), prompt, id: undefined, problem: undefined };
    this.#messages.push(message);
    await this.#try(message);
  }

  /** Those that the conversation has by now go. @param {readonly { id: string }[]} turns */
  arrived(turns) {
    this.#messages = this.#messages.filter(({ id }) => !turns.some((turn) => turn.id === id));
    this.#show();
  }

  clear() {
    this.#messages = [];
    this.#show();
  }

  /** @param {Message} message */
  async #try(message) {
    message.problem = undefined;
    this.#show();
    try {
      // With the same key, a second try is the same message.
      const { id } = await server.send(this.#session, {
        prompt: message.prompt,
        idempotencyKey: message.key,
      });
      message.id = id;
    } catch (error) {
      message.problem = error instanceof Error ? error.message : String(error);
    }
    this.onChange();
    this.#show();
  }

  /** Called when one was taken or refused. */
  onChange = () => {};

  #show() {
    sync(
      this.#place,
      this.#messages,
      ({ key }) => key,
      (message) => this.#view(message),
    );
  }

  /** @param {Message} message @returns {import('./sync.mjs').View<Message>} */
  #view(message) {
    const words = element('p', { className: 'outcome' });
    const again = element('button', { type: 'button', text: 'Try again' });
    again.addEventListener('click', () => this.#try(message));
    const tail = element('div', { className: 'tail at-end' }, words, again);
    const node = element(
      'section',
      { className: 'turn', ariaLabel: 'A message on its way' },
      element('div', { className: 'prompt is-unsent', text: message.prompt }),
      tail,
    );
    const update = (/** @type {Message} */ { problem, id }) => {
      words.textContent =
        problem === undefined ? (id === undefined ? 'Sending …' : 'Waits its turn') : `Not sent. ${problem}`;
      words.classList.toggle('problem', problem !== undefined);
      again.hidden = problem === undefined;
    };
    return { node, update };
  }
}
