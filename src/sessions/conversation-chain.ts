// A transcript is a tree: every entry names its parent. A reader wants the branch that ends with the last
// entry, plus the answers to parallel tool calls, which are siblings of that branch.

import type { SessionStoreEntry } from '../protocol/wire/session-store.js';

/** What is needed to place an entry; the entry itself may stay on disk. */
export interface ChainNode {
  uuid: string;
  parent: string | undefined;
  type: 'user' | 'assistant' | 'system' | 'attachment';
  /** Inserted by the CLI, and not shown. */
  hidden: boolean;
  /** The id of an answer, shared by all its blocks. */
  messageId: string | undefined;
  isToolResult: boolean;
  /** When it was written, in a comparable form. */
  at: string;
  /** For a compaction: which earlier entries it kept, and after which entry they belong. */
  kept: { after: string; uuids: readonly string[] } | undefined;
}

/** Undefined for entries that are not part of a conversation: titles, tags, the CLI's own notes. */
export function chainNode(entry: SessionStoreEntry, isSubagent: boolean): ChainNode | undefined {
  const { type, uuid } = entry;
  if (typeof uuid !== 'string' || (entry.isSidechain === true && !isSubagent)) return undefined;
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

/**
 * The conversation that ends with `leaf`, in order; the current one unless given. If an id occurs twice, the later entry
 * counts.
 */
export function conversationOf(nodes: readonly ChainNode[], leaf = nodes.at(-1)): ChainNode[] {
  const byId = new Map<string, ChainNode>();
  const predecessors = new Map<ChainNode, ChainNode | undefined>();
  for (const [index, node] of nodes.entries()) {
    byId.set(node.uuid, node);
    predecessors.set(node, nodes[index - 1]);
  }
  /**
   * If the parent is lost (its line was cut off), the preceding entry replaces it, so that the rest is kept.
   */
  const parentOf = (node: ChainNode): ChainNode | undefined =>
    node.parent === undefined ? undefined : (byId.get(node.parent) ?? predecessors.get(node));
  const branch = withKept(branchTo(leaf, parentOf), byId);
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
 * Adds all blocks of an answer and all results of its calls. The branch passes through one of the calls and
 * its result; the others follow the last block on the branch, first the blocks, then the results, each in
 * order of time.
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
    const siblings = (all: readonly ChainNode[]): ChainNode[] =>
      all.filter(({ uuid }) => !onBranch.has(uuid)).sort(byTime);
    return [node, ...siblings(blocks), ...siblings(results)];
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
