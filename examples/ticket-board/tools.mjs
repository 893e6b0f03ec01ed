import { createSdkMcpServer, tool } from 'tenon';
import { z } from 'zod';

const KINDS = /** @type {const} */ (['bug', 'feature', 'task']);

const DRAFT = {
  title: z.string().trim().min(1).max(200).describe('what it is about, in one line'),
  kind: z
    .enum(KINDS, {
      error: ({ input }) => `Invalid ticket kind '${input}'. Must be one of: ${KINDS.join(', ')}`,
    })
    .describe(`one of: ${KINDS.join(', ')}`),
  body: z.string().max(10_000).default('').describe('the details'),
};

/** What needs no person. */
export const HARMLESS = ['mcp__board__list_tickets'];

/**
 * Nobody is asked about a ticket that cannot be: the model is told what is wrong with it. `null` leaves the decision to
 * people.
 *
 * @type {import('tenon').CanUseTool}
 */
export async function checkDraft(toolName, input) {
  if (toolName !== 'mcp__board__create_ticket') return null;
  const { error } = z.object(DRAFT).safeParse(input);
  if (error === undefined) return null;
  const message = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n');
  return { behavior: 'deny', message };
}

/** @param {import('./store.mjs').TicketStore} store */
export function boardServer(store) {
  const create = tool(
    'create_ticket',
    'Create a ticket. A person must approve it first, which may take hours.',
    DRAFT,
    // Somebody has approved it: otherwise nobody calls this.
    (draft, { idempotencyKey }) => {
      if (idempotencyKey === undefined)
        throw new Error('The agent does not say which call this is, so a ticket could be there twice.');
      const { number, title } = store.create(idempotencyKey, draft);
      return `Ticket #${number} "${title}" is on the board.`;
    },
    // By its key, the store knows a call that it has seen before.
    { annotations: { idempotentHint: true } },
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
