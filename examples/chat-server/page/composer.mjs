import { byId, icon } from './dom.mjs';

/**
 * Where messages are written: Enter sends, Shift+Enter begins a line, Escape stops the answer.
 *
 * @param {{ onSend: (prompt: string) => void, onStop: () => void }} listener
 */
export function composer({ onSend, onStop }) {
  const form = byId('composer', HTMLFormElement);
  const words = byId('words', HTMLTextAreaElement);
  const stop = byId('stop', HTMLButtonElement);
  const send = byId('send', HTMLButtonElement);
  stop.replaceChildren(icon('stop'));
  send.replaceChildren(icon('send'));

  const isSized = CSS.supports('field-sizing', 'content');
  /** As high as what is written, up to what the style sheet allows. */
  const fit = () => {
    send.disabled = words.value.trim() === '';
    if (isSized) return;
    words.style.height = 'auto';
    if (words.value !== '') words.style.height = `${words.scrollHeight}px`;
  };
  words.addEventListener('input', fit);
  words.addEventListener('keydown', (event) => {
    // While an input method composes a character, Enter belongs to it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const prompt = words.value.trim();
    if (prompt === '') return;
    words.value = '';
    fit();
    onSend(prompt);
  });
  stop.addEventListener('click', onStop);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !stop.hidden && !event.defaultPrevented) onStop();
  });
  fit();

  return {
    focus: () => words.focus(),
    /** @param {boolean} isRunning */
    update: (isRunning) => {
      stop.hidden = !isRunning;
    },
  };
}
