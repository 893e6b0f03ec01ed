// The same decision in the terminal, for people who would rather type.

import { createInterface } from 'node:readline';

/**
 * Asks about each waiting ticket, one at a time. A decision on the page in the meantime withdraws the
 * question.
 *
 * @param {import('./store.mjs').TicketStore} store
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream }} streams
 * @returns {() => void} stops asking
 */
export function askInTerminal(store, { input, output }) {
  const lines = createInterface({ input, output, terminal: false });
  /** @type {import('./store.mjs').Staged | undefined} */
  let asked;

  const ask = () => {
    const waiting = store.waiting();
    if (asked !== undefined && !waiting.some(({ id }) => id === asked?.id)) {
      output.write('  (decided on the page)\n');
      asked = undefined;
    }
    if (asked !== undefined || waiting[0] === undefined) return;
    asked = waiting[0];
    output.write(`Approve the ${asked.kind} "${asked.title}"? [y, or n and a reason] `);
  };

  lines.on('line', (line) => {
    const ticket = asked;
    if (ticket === undefined) return;
    const [, answer = '', reason = ''] = /^\s*(y|yes|n|no)\b\s*(.*)$/i.exec(line) ?? [];
    asked = undefined;
    if (/^y/i.test(answer)) store.approve(ticket.id);
    else if (/^n/i.test(answer)) store.reject(ticket.id, reason);
    else ask();
  });
  const stopListening = store.onChange(ask);
  ask();
  return () => {
    stopListening();
    lines.close();
  };
}
