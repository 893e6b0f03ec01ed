// Reads the events of a conversation, and comes back when the connection is lost: with the id of the last event, so that
// nothing is missing and nothing comes twice. `EventSource` could do that, but says nothing of why it was refused.

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** The server says something at least every 15 seconds. */
const SILENCE_MS = 45_000;

/**
 * @typedef {object} Listener
 * @property {number} after the id of the last event that is known
 * @property {(event: import('./conversation.mjs').Event) => void} onEvent
 * @property {(state: 'connected' | 'lost' | 'signed out') => void} onState
 */

/**
 * @param {string} session
 * @param {Listener} listener
 * @returns {() => void} stops reading
 */
export function readEvents(session, { after, onEvent, onState }) {
  const end = new AbortController();
  let last = after;
  let delayMs = FIRST_DELAY_MS;

  /** @param {import('./conversation.mjs').Event} event */
  const receive = (event) => {
    delayMs = FIRST_DELAY_MS;
    const { message } = event;
    last = event.id;
    // The last words of a stream: it is read again from here.
    if (message.type === 'host' && message.subtype === 'cut_off') return;
    onEvent(event);
  };

  const run = async () => {
    while (!end.signal.aborted) {
      const outcome = await readOnce(session, last, {
        signal: end.signal,
        receive,
        connected: () => onState('connected'),
      });
      if (end.signal.aborted) return;
      onState(outcome);
      if (outcome === 'signed out') return;
      await pause(delayMs, end.signal);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    }
  };
  void run();
  return () => end.abort();
}

/**
 * @param {string} session
 * @param {number} last
 * @param {{ signal: AbortSignal, receive: Listener['onEvent'], connected: () => void }} options
 * @returns {Promise<'lost' | 'signed out'>}
 */
async function readOnce(session, last, { signal, receive, connected }) {
  const silence = new AbortController();
  const stop = () => silence.abort();
  signal.addEventListener('abort', stop, { once: true });
  let timer = setTimeout(stop, SILENCE_MS);
  try {
    const headers = { accept: 'text/event-stream', ...(last === 0 ? {} : { 'last-event-id': String(last) }) };
    const url = `/api/sessions/${encodeURIComponent(session)}/events`;
    const response = await fetch(url, { headers, signal: silence.signal, cache: 'no-store' });
    if (response.status === 401) return 'signed out';
    if (!response.ok || response.body === null) return 'lost';
    connected();
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'lost';
      clearTimeout(timer);
      timer = setTimeout(stop, SILENCE_MS);
      for (const { id, data } of parser.push(value))
        receive({ id: Number(id), message: JSON.parse(data).message });
    }
  } catch {
    return 'lost';
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Of the format `text/event-stream`, what the host uses of it. */
export class EventParser {
  #rest = '';

  /**
   * @param {string} text
   * @returns {{ id: string, data: string }[]} the events that are complete
   */
  push(text) {
    const parts = (this.#rest + text).split('\n\n');
    this.#rest = parts.pop() ?? '';
    return parts.map(readFields).filter(({ data }) => data !== '');
  }
}

/** @param {string} text */
function readFields(text) {
  const fields = { id: '', data: '' };
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(id|data): ?(.*)$/s.exec(line) ?? [];
    if (name === 'id') fields.id = value;
    if (name === 'data') fields.data += value;
  }
  return fields;
}

/**
 * Over early at the end, or when the network is back.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      window.removeEventListener('online', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener('abort', wake);
    window.addEventListener('online', wake);
  });
}
