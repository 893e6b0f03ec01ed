// A transcript is a tree: every entry names its parent. What a reader wants is the branch that ends with the last
// entry, with the answers to parallel tool calls, which hang beside it.

import type { SessionStoreEntry } from '../protocol/session-store.js';

/** What has to be known of an entry to find its place; the entry itself may stay on disk. */
export interface ChainNode {
  uuid: string;
  parent: string | undefined;
  type: 'user' | 'assistant' | 'system' | 'attachment';
  /** Put in by the CLI, and not shown. */
  hidden: boolean;
  /** Of an answer: all its blocks have it. */
  messageId: string | undefined;
  isToolResult: boolean;
  /** When it was said, in a form that can be compared. */
  at: string;
  /** Of a compaction: which earlier entries it has kept, and after which one they go. */
  kept: { after: string; uuids: readonly string[] } | undefined;
}

/** undefined for what is no part of a conversation: titles, marks, the CLI's own notes. */
export function chainNode(entry: SessionStoreEntry, ofSubagent: boolean): ChainNode | undefined {
  const { type, uuid } = entry;
  if (typeof uuid !== 'string' || (entry.isSidechain === true && !ofSubagent)) return undefined;
  if (type !== 'user' && type !== 'assistant' && type !== 'system' && type !== 'attachment') return undefined;
  const message = entry.message as { id?: unknown; content?: unknown } | undefined;
  return {
    uuid,
    parent: typeof entry.parentUuid === 'string' ? entry.parentUuid : undefined,
    type,
    hidden: type === 'attachment' || (entry.isMeta === true && type !== 'system'),
    messageId: type === 'assistant' && typeof message?.id === 'string' ? message.id : undefined,
    isToolResult:
      type === 'user' &&
      Array.isArray(message?.content) &&
      message.content.some((block) => block?.type === 'tool_result'),
    at: typeof entry.timestamp === 'string' ? entry.timestamp : '',
    kept: keptBy(entry),
  };
}

function keptBy(entry: SessionStoreEntry): ChainNode['kept'] {
  const { preservedMessages: kept } = (entry.compactMetadata ?? {}) as {
    preservedMessages?: { anchorUuid?: unknown; uuids?: unknown };
  };
  if (typeof kept?.anchorUuid !== 'string' || !Array.isArray(kept.uuids)) return undefined;
  return { after: kept.anchorUuid, uuids: kept.uuids.filter((uuid) => typeof uuid === 'string') };
}

/** The conversation as it stands, in order. Of ids that come twice the later entry counts. */
export function conversationOf(nodes: readonly ChainNode[]): ChainNode[] {
  const byId = new Map<string, ChainNode>();
  const before = new Map<ChainNode, ChainNode | undefined>();
  for (const [index, node] of nodes.entries()) {
    byId.set(node.uuid, node);
    before.set(node, nodes[index - 1]);
  }
  /** A parent that is lost (its line was cut off) does not take all before it along: the entry before stands in. */
  const parentOf = (node: ChainNode): ChainNode | undefined =>
    node.parent === undefined ? undefined : (byId.get(node.parent) ?? before.get(node));
  const branch = withKept(branchTo(nodes.at(-1), parentOf), byId);
  return withParallel(branch, [...byId.values()]);
}

function branchTo(
  leaf: ChainNode | undefined,
  parentOf: (node: ChainNode) => ChainNode | undefined,
): ChainNode[] {
  const branch: ChainNode[] = [];
  const seen = new Set<string>();
  for (let node = leaf; node !== undefined && !seen.has(node.uuid); node = parentOf(node)) {
    seen.add(node.uuid);
    branch.push(node);
  }
  return branch.reverse();
}

function withKept(branch: readonly ChainNode[], byId: ReadonlyMap<string, ChainNode>): ChainNode[] {
  const kept = branch.findLast((node) => node.kept !== undefined)?.kept;
  if (kept === undefined) return [...branch];
  const present = new Set(branch.map(({ uuid }) => uuid));
  const missing = kept.uuids.flatMap((uuid) => (present.has(uuid) ? [] : (byId.get(uuid) ?? [])));
  return branch.flatMap((node) => (node.uuid === kept.after ? [node, ...missing] : [node]));
}

/**
 * All blocks of an answer and all results of its calls. The branch goes through one of the calls and its result; the
 * others come after the last block that is on the branch, first the blocks, then the results, each in the order of time.
 */
function withParallel(branch: readonly ChainNode[], nodes: readonly ChainNode[]): ChainNode[] {
  const onBranch = new Set(branch.map(({ uuid }) => uuid));
  const lastBlocks = new Set(
    new Map(branch.map((node) => [node.messageId ?? node.uuid, node] as const)).values(),
  );
  const blocksOf = grouped(nodes, ({ messageId }) => messageId);
  const resultsOf = grouped(nodes, ({ isToolResult, parent }) => (isToolResult ? parent : undefined));
  return branch.flatMap((node) => {
    if (node.messageId === undefined || !lastBlocks.has(node)) return [node];
    const blocks = blocksOf.get(node.messageId) ?? [];
    const results = blocks.flatMap(({ uuid }) => resultsOf.get(uuid) ?? []);
    const beside = (all: readonly ChainNode[]): ChainNode[] =>
      all.filter(({ uuid }) => !onBranch.has(uuid)).sort(byTime);
    return [node, ...beside(blocks), ...beside(results)];
  });
}

/** In linear time: a transcript may have a million entries. */
function grouped(
  nodes: readonly ChainNode[],
  keyOf: (node: ChainNode) => string | undefined,
): Map<string, ChainNode[]> {
  const groups = new Map<string, ChainNode[]>();
  for (const node of nodes) {
    const key = keyOf(node);
    const group = key === undefined ? undefined : groups.get(key);
    if (group !== undefined) group.push(node);
    else if (key !== undefined) groups.set(key, [node]);
  }
  return groups;
}

function byTime(one: ChainNode, other: ChainNode): number {
  return one.at < other.at ? -1 : one.at > other.at ? 1 : 0;
}
