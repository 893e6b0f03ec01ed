import { clock } from '../../../protocol/base/clock.js';
import { checkedLimit, checkedMessage, checkedName, checkSameMessage } from '../checked.js';
import { QueueFullError } from '../errors.js';
import type { InboxEntry, InboxStorage, QueueLimits, Receipt, SendOptions } from '../port/inbox.js';
import type { Conversation, Conversations, Entry } from './conversations.js';

export function memoryInbox(conversations: Conversations): InboxStorage {
  return {
    send: async (ref, message, options = {}) => {
      conversations.checkOpen();
      const { kind, body } = checkedMessage(message);
      const key =
        options.idempotencyKey === undefined
          ? undefined
          : checkedName('idempotencyKey', options.idempotencyKey);
      return conversations.orForget(ref, async (conversation) => {
        const known = key === undefined ? undefined : conversation.keys.get(key);
        if (known !== undefined) {
          checkSameMessage(key, known, { kind, body });
          return receiptOf(known);
        }
        if (kind === 'prompt') checkLimits(conversations, conversation, options.limits ?? {});
        return addEntry(conversations, conversation, { kind, body, idempotencyKey: key }, options);
      });
    },
    read: async (lease, { limit } = {}) => {
      const all = [...conversations.held(lease).inbox.values()];
      const signals = all.filter(({ kind }) => kind !== 'prompt');
      const entries =
        signals.length === 0 ? all : [...signals, ...all.filter(({ kind }) => kind === 'prompt')];
      return entries.slice(0, checkedLimit(limit)).map(entryOf);
    },
  };
}

/** Also for answers. Queues the conversation if the entry is what it has been waiting for. */
export async function addEntry(
  conversations: Conversations,
  conversation: Conversation,
  { kind, body, idempotencyKey }: Pick<Entry, 'kind' | 'body' | 'idempotencyKey'>,
  { wake }: Pick<SendOptions, 'wake'>,
): Promise<Receipt> {
  const before = conversation.state;
  conversation.lastNumber += 1;
  const entry: Entry = {
    id: clock.uuid(),
    number: conversation.lastNumber,
    event: conversation.lastEvent,
    at: clock.now(),
    kind,
    body,
    idempotencyKey,
    acknowledged: undefined,
  };
  conversation.inbox.set(entry.number, entry);
  if (idempotencyKey !== undefined) conversation.keys.set(idempotencyKey, entry);
  if (kind === 'prompt') conversations.countPrompts(conversation, 1);
  conversation.changed = entry.at;
  if (before === 'idle' || (before === 'waiting' && kind !== 'prompt')) {
    conversation.readyAt = clock.monotonic();
    conversations.setState(conversation, 'queued');
  }
  await conversations.wake(conversation, wake, () => {
    takeOut(conversations, conversation, entry.number);
    if (idempotencyKey !== undefined) conversation.keys.delete(idempotencyKey);
    const isNeeded = conversation.inbox.size > 0;
    if (conversation.state === 'queued' && !isNeeded) conversations.setState(conversation, before);
  });
  conversations.tell({ kind: 'inbox', ...conversation.ref }, { kind: 'queue' });
  return receiptOf(entry);
}

export function takeOut(
  conversations: Conversations,
  conversation: Conversation,
  number: number,
): Entry | undefined {
  const entry = conversation.inbox.get(number);
  conversation.inbox.delete(number);
  if (entry?.kind === 'prompt') conversations.countPrompts(conversation, -1);
  return entry;
}

function checkLimits(
  conversations: Conversations,
  { ref, prompts }: Conversation,
  limits: QueueLimits,
): void {
  const counts = {
    session: prompts,
    tenant: conversations.prompts.get(ref.tenant) ?? 0,
    all: conversations.allPrompts,
  };
  for (const of of ['session', 'tenant', 'all'] as const) {
    const limit = limits[of];
    if (limit !== undefined && counts[of] >= limit) throw new QueueFullError(ref, of, limit);
  }
}

function receiptOf({ id, number, event }: Entry): Receipt {
  return { id, number, event };
}

function entryOf({ id, number, at, kind, body }: Entry): InboxEntry {
  return { id, number, at, kind, body: JSON.parse(body) };
}
