import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';

const KINDS = /** @type {const} */ (['bug', 'feature', 'task']);

/** @param {import('./store.mjs').TicketStore} store */
export function boardServer(store) {
  const create = tool(
    'create_ticket',
    'Create a ticket. A person must approve it first: the call returns when they have decided, which may take hours.',
    {
      title: z.string().trim().min(1).max(200).describe('what it is about, in one line'),
      kind: z.string().describe(`one of: ${KINDS.join(', ')}`),
      body: z.string().max(10_000).default('').describe('the details'),
    },
    async ({ title, kind, body }, { signal }) => {
      const known = KINDS.find((each) => each === kind);
      if (known === undefined)
        throw new Error(`Invalid ticket kind '${kind}'. Must be one of: ${KINDS.join(', ')}`);
      const staged = store.stage({ title, kind: known, body });
      if (staged.ticket !== null) return `Ticket #${staged.ticket} "${title}" is already on the board.`;
      const { ticket, reason } = await store.decided(staged.id, signal);
      if (ticket === null) throw new Error(`The ticket was not approved. Reason: ${reason || 'none given'}`);
      return `Ticket #${ticket} "${title}" is on the board.`;
    },
  );
  const list = tool(
    'list_tickets',
    'The tickets on the board',
    { kind: z.enum(KINDS).optional().describe('only tickets of this kind') },
    ({ kind }) => {
      const tickets = store.tickets().filter((ticket) => kind === undefined || ticket.kind === kind);
      return (
        tickets.map((ticket) => `#${ticket.number} [${ticket.kind}] ${ticket.title}`).join('\n') ||
        'No tickets.'
      );
    },
    { annotations: { readOnlyHint: true } },
  );
  return createSdkMcpServer({ name: 'board', tools: [create, list], alwaysLoad: true });
}
