/** A board with a host in this process: the prompt of a conversation is the ticket that its agent asks for. */
import { createHost, type HostStorage, memoryStorage } from 'tenon/host';
import { embedded } from 'tenon/runtime';
import { scriptedModel, toolUse } from 'tenon/testing';
import { textOf } from '../shared/script.mjs';
import { Desk, TENANT } from './desk.mjs';
import { TicketStore } from './store.mjs';
import { boardServer, checkDraft, HARMLESS } from './tools.mjs';

export const draft = {
  title: 'The export forgets umlauts',
  kind: 'bug' as const,
  body: 'Exporting "Grüße" gives "Gr??e".',
};

/** A storage that outlives the hosts on it. */
export function sharedStorage(): HostStorage {
  return { ...memoryStorage(), close: async () => {} };
}

export interface HostedBoard extends AsyncDisposable {
  readonly desk: Desk;
  readonly store: TicketStore;
  readonly host: ReturnType<typeof createHost>;
  /** An agent asks for this ticket, in a conversation of its own, whose name it is. Resolves when a person is asked. */
  ask(title: string, session?: string): Promise<string>;
  /** What the model was told in the end. */
  outcome(session: string): Promise<string>;
}

export function hostedBoard(
  storage: HostStorage = memoryStorage(),
  { file = ':memory:', holdMs = 20 }: { file?: string; holdMs?: number } = {},
): HostedBoard {
  const store = new TicketStore(file);
  const model = scriptedModel(({ lastUserText, toolResults: [result] }) =>
    result === undefined
      ? toolUse('mcp__board__create_ticket', JSON.parse(lastUserText), { id: `toolu_${lastUserText.length}` })
      : textOf(result.content),
  );
  const host = createHost({
    options: {
      runtime: embedded({ model }),
      mcpServers: { board: boardServer(store) },
      allowedTools: HARMLESS,
      canUseTool: checkDraft,
    },
    storage,
    approvals: { holdMs },
  });
  const desk = new Desk(host);
  const until = async (session: string, subtype: string) => {
    let said = '';
    for await (const { message } of host.events({ tenant: TENANT, session })) {
      if (message.type === 'result' && message.subtype === 'success') said = message.result;
      if (message.type === 'host' && message.subtype === subtype) return said;
    }
    throw new Error('The events have ended.');
  };
  return {
    desk,
    store,
    host,
    ask: async (title, session = title) => {
      await host.send({ tenant: TENANT, session }, JSON.stringify({ ...draft, title }));
      await until(session, 'approval');
      await desk.refresh();
      return session;
    },
    outcome: (session) => until(session, 'done'),
    [Symbol.asyncDispose]: async () => {
      await host.close();
      store.close();
    },
  };
}
