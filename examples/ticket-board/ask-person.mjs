// The same decision in the terminal, for people who would rather type.

import { createInterface } from 'node:readline';

/**
 * Asks about each waiting ticket, one at a time. A decision on the page in the meantime withdraws the
 * question.
 *
 * @param {import('./desk.mjs').Desk} desk
 * @param {{ input: NodeJS.ReadableStream, output: NodeJS.WritableStream }} streams
 * @returns {() => void} stops asking
 */
export function askInTerminal(desk, { input, output }) {
  const lines = createInterface({ input, output, terminal: false });
  /** @type {import('./desk.mjs').Waiting | undefined} */
  let asked;
  /** Decided here: it may be among those that wait for another moment. */
  const decided = new Set();

  const ask = () => {
    const waiting = desk.waiting().filter(({ id }) => !decided.has(id));
    if (asked !== undefined && !waiting.some(({ id }) => id === asked?.id)) {
      output.write('  (decided on the page)\n');
      asked = undefined;
    }
    if (asked !== undefined || waiting[0] === undefined) return;
    asked = waiting[0];
    output.write(`Approve the ${asked.kind} "${asked.title}"? [y, or n and a reason] `);
  };

  lines.on('line', async (line) => {
    const ticket = asked;
    if (ticket === undefined) return;
    const [, answer = '', reason = ''] = /^\s*(y|yes|n|no)\b\s*(.*)$/i.exec(line) ?? [];
    asked = undefined;
    if (answer === '') return ask();
    decided.add(ticket.id);
    const decision = /^y/i.test(answer) ? desk.approve(ticket.id) : desk.reject(ticket.id, reason);
    const outcome = await decision.catch((error) => `that did not work: ${error.message}`);
    if (outcome !== 'taken') output.write(`  (${outcome === 'already' ? 'decided on the page' : outcome})\n`);
  });
  const stopListening = desk.onChange(ask);
  ask();
  return () => {
    stopListening();
    lines.close();
  };
}
