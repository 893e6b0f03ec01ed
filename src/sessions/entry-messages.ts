// What was said, in the entries of a transcript. Without files, so that it runs everywhere.

import type { SessionStoreEntry } from '../protocol/wire/session-store.js';
import { type ChainNode, chainNode, conversationOf } from './conversation-chain.js';
import type { SessionMessage } from './session-info.js';

export type Select = (nodes: readonly ChainNode[]) => ChainNode[];

export function visibleNodes(nodes: readonly ChainNode[], withSystem: boolean): ChainNode[] {
  return conversationOf(nodes).filter(({ type, hidden }) => !hidden && (withSystem || type !== 'system'));
}

export function messagesFromEntries(
  entries: readonly SessionStoreEntry[],
  isSubagent: boolean,
  select: Select,
  metadata: Record<string, unknown>,
): SessionMessage[] {
  const byId = new Map<string, SessionStoreEntry>();
  const nodes = entries.flatMap((entry) => {
    const node = chainNode(entry, isSubagent);
    if (node !== undefined) byId.set(node.uuid, entry);
    return node ?? [];
  });
  return select(nodes).map(({ uuid }) => messageOf(byId.get(uuid) as SessionStoreEntry, metadata));
}

const LOCAL_COMMAND = /^\s*<(?:command-name|local-command-stdout|local-command-stderr)>/;

export function messageOf(entry: SessionStoreEntry, metadata: Record<string, unknown>): SessionMessage {
  const content = (entry.message as { content?: unknown } | undefined)?.content;
  const isLocalCommand = entry.type === 'user' && typeof content === 'string' && LOCAL_COMMAND.test(content);
  const more = {
    ...(entry.isCompactSummary === true ? { isCompactSummary: true, is_meta: true } : {}),
    ...(isLocalCommand ? { isCompletedLocalCommand: true } : {}),
    ...(typeof entry.timestamp === 'string' ? { timestamp: entry.timestamp } : {}),
  };
  return {
    type: entry.type as SessionMessage['type'],
    uuid: String(entry.uuid),
    session_id: String(entry.sessionId ?? ''),
    message: entry.message,
    parent_tool_use_id: typeof metadata.toolUseId === 'string' ? metadata.toolUseId : null,
    parent_agent_id: typeof metadata.parentAgentId === 'string' ? metadata.parentAgentId : null,
    ...more,
  };
}
