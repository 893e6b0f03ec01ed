import { timestamp } from '../../protocol/base/clock.js';
// The model's messages as entries of a transcript in the CLI's format: one per block of an answer, one per
// result of a call. So the CLI can list, read, fork and resume a conversation of the runtime, and vice versa.

import type { MessageParam } from '../../protocol/wire/content.js';
import type { SessionStoreEntry } from '../../protocol/wire/session-store.js';
import { type ChainNode, chainNode, conversationOf } from '../../sessions/conversation-chain.js';
import type { Boundary, CompactMetadata } from './boundary.js';

export interface EntryContext {
  sessionId: string;
  cwd: string;
  version: string;
  model: string | undefined;
  /** The subagent whose transcript it is. */
  agentId?: string | undefined;
}

type Blocks = Extract<MessageParam['content'], readonly unknown[]>;

/** `ids`: one for each line that showed the message to the host. */
export function entriesOf(
  message: MessageParam,
  ids: readonly [string, ...string[]],
  parent: string | undefined,
  context: EntryContext,
): SessionStoreEntry[] {
  const [first, ...more] = ids;
  const { content } = message;
  const apart = Array.isArray(content) && content.length === ids.length;
  const parts: [uuid: string, content: MessageParam['content']][] = apart
    ? content.map((block, index) => [ids[index] as string, [block] as Blocks])
    : [[first, content]];
  let parentUuid = parent ?? null;
  return parts.map(([uuid, part]) => {
    const entry: SessionStoreEntry = {
      parentUuid,
      ...sidechain(context),
      type: message.role,
      message:
        message.role === 'assistant'
          ? {
              id: `msg_${first}`,
              type: 'message',
              role: 'assistant',
              model: context.model ?? 'unknown',
              content: part,
            }
          : { role: 'user', content: part },
      uuid,
      timestamp: timestamp(),
      userType: 'external',
      entrypoint: 'sdk-ts',
      cwd: context.cwd,
      sessionId: context.sessionId,
      version: context.version,
      ...(!apart && more.length > 0 ? { alsoSeenAs: more } : {}),
    };
    parentUuid = uuid;
    return entry;
  });
}

function sidechain({ agentId }: EntryContext): { isSidechain: boolean; agentId?: string } {
  return agentId === undefined ? { isSidechain: false } : { isSidechain: true, agentId };
}

/** A boundary, behind which a reader finds the summary and what is kept, and the summary itself. */
export function boundaryEntries(
  { uuid, summary: summaryId, parent }: Boundary,
  metadata: CompactMetadata,
  summary: MessageParam,
  context: EntryContext,
): SessionStoreEntry[] {
  const common = {
    ...sidechain(context),
    timestamp: timestamp(),
    userType: 'external',
    entrypoint: 'sdk-ts',
    cwd: context.cwd,
    sessionId: context.sessionId,
    version: context.version,
  };
  return [
    {
      parentUuid: null,
      ...(parent === undefined ? {} : { logicalParentUuid: parent }),
      type: 'system',
      subtype: 'compact_boundary',
      content: 'Conversation compacted',
      isMeta: false,
      level: 'info',
      compactMetadata: camelCased(metadata),
      uuid,
      ...common,
    },
    {
      parentUuid: uuid,
      type: 'user',
      isCompactSummary: true,
      isVisibleInTranscriptOnly: true,
      message: { role: 'user', content: summary.content },
      uuid: summaryId,
      ...common,
    },
  ];
}

/** Transcripts spell the names of fields otherwise than lines do. */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      camelCased(part),
    ]),
  );
}

/** A message, with the ids of all lines that showed it. */
export interface StoredMessage {
  message: MessageParam;
  ids: [string, ...string[]];
  /** Its last entry. */
  leaf: string;
}

export interface StoredConversation {
  said: StoredMessage[];
  /** The entry that the next one follows. */
  leaf: string | undefined;
}

/**
 * The conversation in the entries, as the model reads it. With the id of a message: only up to that message, as it was
 * when it was said, even if it was compacted since; undefined if there is none.
 */
export function conversationIn(
  entries: readonly SessionStoreEntry[],
  until?: string,
): StoredConversation | undefined {
  const byId = new Map<string, { node: ChainNode; entry: SessionStoreEntry }>();
  const nodes: ChainNode[] = [];
  for (const entry of entries) {
    const node = chainNode(entry, false);
    if (node === undefined) continue;
    byId.set(node.uuid, { node, entry });
    nodes.push(node);
  }
  const entryOf = ({ uuid }: ChainNode): SessionStoreEntry => byId.get(uuid)?.entry as SessionStoreEntry;
  const tried = new Set<ChainNode>();
  let end = nodes.at(-1);
  do {
    const conversation = conversationOf(nodes, end);
    const said = messagesOf(conversation, entryOf);
    if (until === undefined) return { said, leaf: conversation.at(-1)?.uuid };
    const found = said.findIndex(({ ids }) => ids.includes(until));
    if (found >= 0) return { said: said.slice(0, found + 1), leaf: said[found]?.leaf };
    if (end !== undefined) tried.add(end);
    // What a compaction has left out was there before it.
    const before = conversation.map((node) => entryOf(node).logicalParentUuid).find((id) => id !== undefined);
    end = byId.get(String(before))?.node;
  } while (end !== undefined && !tried.has(end));
  return undefined;
}

function messagesOf(
  conversation: readonly ChainNode[],
  entryOf: (node: ChainNode) => SessionStoreEntry,
): StoredMessage[] {
  const said: (StoredMessage & { group: string | undefined })[] = [];
  for (const node of conversation) {
    const { uuid, hidden, type, messageId, isToolResult } = node;
    if (hidden || (type !== 'user' && type !== 'assistant')) continue;
    const entry = entryOf(node);
    const content = (entry.message as MessageParam | undefined)?.content;
    if (content === undefined) continue;
    const ids: [string, ...string[]] = [uuid, ...((entry.alsoSeenAs as string[] | undefined) ?? [])];
    // The blocks of one answer become one message again, and so do the results of its calls.
    const group = isToolResult ? 'results' : messageId;
    const last = said.at(-1);
    if (last !== undefined && group !== undefined && last.group === group) {
      last.message = {
        ...last.message,
        content: [...blocksOf(last.message.content), ...blocksOf(content)],
      } as MessageParam;
      last.ids.push(...ids);
      last.leaf = uuid;
    } else said.push({ message: { role: type, content } as MessageParam, ids, leaf: uuid, group });
  }
  return said;
}

function blocksOf(content: MessageParam['content']): Blocks {
  return typeof content === 'string' ? ([{ type: 'text', text: content }] as Blocks) : content;
}
