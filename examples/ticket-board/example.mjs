import { fileURLToPath } from 'node:url';
import { askInTerminal } from './ask-person.mjs';
import { servePage } from './page.mjs';
import { TicketStore } from './store.mjs';
import { boardServer } from './tools.mjs';

const DRAFT = {
  title: 'The export forgets umlauts',
  kind: 'bug',
  body: 'Exporting "Grüße" gives "Gr??e". Seen by two customers.',
};

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'ticket-board',
  question: 'File the export bug: "Grüße" comes out as "Gr??e" for two customers. Then show me the board.',
  systemPrompt:
    'You keep a ticket board. Creating a ticket takes as long as a person takes to approve it: wait for it.',
  flags: {
    file: { type: 'string', help: 'the board; default: board.db next to the example' },
    port: { type: 'string', help: 'the port of the page; default: any free one' },
    approve: { type: 'boolean', help: 'approve everything automatically' },
  },
  open: async ({ flags, print }) => {
    const store = new TicketStore(String(flags.file ?? fileURLToPath(new URL('board.db', import.meta.url))));
    const page = await servePage(store, Number(flags.port ?? 0));
    print('page', `${page.url} (decide there${process.stdin.isTTY ? ', or here' : ''})`);
    const approveAll = () => {
      for (const { id } of store.waiting()) store.approve(id);
    };
    const stopApproving = flags.approve ? store.onChange(() => queueMicrotask(approveAll)) : () => {};
    const stopAsking =
      process.stdin.isTTY && !flags.approve
        ? askInTerminal(store, { input: process.stdin, output: process.stdout })
        : () => {};
    return {
      options: { mcpServers: { board: boardServer(store) }, allowedTools: ['mcp__board__*'] },
      close: async () => {
        stopApproving();
        stopAsking();
        await page.close();
        store.close();
      },
    };
  },
  script: ({ index, results }) => {
    if (index === 0) return [{ name: 'mcp__board__create_ticket', input: { ...DRAFT, kind: 'defect' } }];
    // The error named the valid kinds.
    if (index === 1) return [{ name: 'mcp__board__create_ticket', input: DRAFT }];
    if (index === 2 && results[0]?.isError) return `The ticket was not filed. ${results[0].text}`;
    if (index === 2) return [{ name: 'mcp__board__list_tickets' }];
    return `Filed. The board:\n${results[0]?.text}`;
  },
};
