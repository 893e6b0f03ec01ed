import { fileURLToPath } from 'node:url';
import { createHost, memoryStorage } from 'tenon/host';
import { postgresStorage } from 'tenon/host/postgres';
import { askInTerminal } from './ask-person.mjs';
import { begin, follow, HOLD_MS } from './conversation.mjs';
import { Desk } from './desk.mjs';
import { servePage } from './page.mjs';
import { TicketStore } from './store.mjs';
import { boardServer, checkDraft, HARMLESS } from './tools.mjs';

const DRAFT = {
  title: 'The export forgets umlauts',
  kind: 'bug',
  body: 'Exporting "Grüße" gives "Gr??e". Seen by two customers.',
};

/** @type {import('../shared/agent.mjs').Example} */
export const example = {
  name: 'ticket-board',
  question: 'File the export bug: "Grüße" comes out as "Gr??e" for two customers. Then show me the board.',
  systemPrompt: 'You keep a ticket board. A person approves each ticket before it is created.',
  flags: {
    file: {
      type: 'string',
      help: 'the board; default: board.db next to the example; :memory: keeps nothing',
    },
    port: { type: 'string', help: 'the port of the page; default: any free one' },
    approve: { type: 'boolean', help: 'approve everything automatically' },
  },
  open: ({ flags, print }) => {
    const file = String(flags.file ?? fileURLToPath(new URL('board.db', import.meta.url)));
    const store = new TicketStore(file);
    return {
      options: { mcpServers: { board: boardServer(store) }, allowedTools: HARMLESS, canUseTool: checkDraft },
      converse: (talk) => converse(talk, { file, store, flags, print }),
      close: () => store.close(),
    };
  },
  // By what was said so far, and not by how often it was asked: it may be another program that goes on.
  script: ({ all, results }) => {
    if (all.length === 0) return [{ name: 'mcp__board__create_ticket', input: { ...DRAFT, kind: 'defect' } }];
    // The error named the valid kinds.
    if (all.length === 1) return [{ name: 'mcp__board__create_ticket', input: DRAFT }];
    if (results[0]?.isError) return `The ticket was not filed. ${results[0].text}`;
    if (all.length === 2) return [{ name: 'mcp__board__list_tickets' }];
    return `Filed. The board:\n${results[0]?.text}`;
  },
};

/**
 * @param {import('../shared/agent.mjs').Talk} talk
 * @param {{ file: string, store: TicketStore } & Pick<import('../shared/agent.mjs').Surroundings, 'flags' | 'print'>} board
 */
async function converse({ question, options: { signal, ...options }, show }, { file, store, flags, print }) {
  const isKept = file !== ':memory:';
  // Before it is opened: a new one takes a moment.
  print('kept in', isKept ? `${file} (tickets), ${file}.host (the conversation)` : 'memory');
  const storage = isKept ? postgresStorage({ directory: `${file}.host` }) : memoryStorage();
  const host = createHost({ options, storage, approvals: { holdMs: HOLD_MS } });
  const desk = new Desk(host);
  const stop = () => void host.close();
  signal?.addEventListener('abort', stop);
  try {
    await desk.refresh();
    const { ref, isOld } = await begin(host, question);
    if (isOld) print('resumed', 'the conversation that was not finished');
    const page = await servePage(desk, store, Number(flags.port ?? 0));
    print('page', `${page.url} (decide there${process.stdin.isTTY ? ', or here' : ''})`);
    const stopDeciding = decideHere(desk, flags.approve === true);
    try {
      const onQuestion = () => desk.refresh();
      const onAgain = (/** @type {string} */ reason) => print('again', `${reason} What was said so far:`);
      const result = await follow(host, ref, { show, onQuestion, onAgain });
      if (result === undefined) throw signal?.reason ?? new Error('The host was closed.');
      return result;
    } finally {
      stopDeciding();
      await page.close();
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    await host.close();
  }
}

/**
 * @param {Desk} desk
 * @param {boolean} isAutomatic
 * @returns {() => void}
 */
function decideHere(desk, isAutomatic) {
  if (isAutomatic) {
    const approveAll = () => {
      // It fails only if the program is about to end, and says why itself.
      for (const { id } of desk.waiting()) desk.approve(id).catch(() => {});
    };
    const stop = desk.onChange(approveAll);
    approveAll();
    return stop;
  }
  if (!process.stdin.isTTY) return () => {};
  return askInTerminal(desk, { input: process.stdin, output: process.stdout });
}
