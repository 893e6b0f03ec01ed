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

const create = (/** @type {Record<string, string>} */ input) => ({
  name: 'mcp__board__create_ticket',
  input,
});

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
  // By what was said last, and not by how often it was asked: it may be another program that goes on.
  script: ({ all }) => {
    const last = all.at(-1);
    if (last === undefined) return [create({ ...DRAFT, kind: 'defect' })];
    // The error named the valid kinds.
    if (last.text.includes('Invalid ticket kind')) return [create(DRAFT)];
    // On the CLI a call whose program was killed may or may not have been made.
    if (last.text.includes('is on the board') || last.text.includes('outcome is unknown'))
      return [{ name: 'mcp__board__list_tickets' }];
    if (last.isError) return `The ticket was not filed. ${last.text}`;
    return last.text.includes(DRAFT.title) ? `Filed. The board:\n${last.text}` : [create(DRAFT)];
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
