import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OptionError } from '../protocol/base/errors.js';
import { isRecord } from '../protocol/base/kinds.js';
import { type ChainNode, chainNode } from './conversation-chain.js';
import { entriesOf, parseEntry, readAt, withFile } from './entries.js';
import { messageOf, messagesFromEntries, type Select, visibleNodes } from './entry-messages.js';
import { page } from './page.js';
import { projectKeyAt } from './places.js';
import { isSessionId } from './project-key.js';
import type {
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ListSubagentsOptions,
  SessionMessage,
} from './session-info.js';
import { callStore } from './store-calls.js';
import { findTranscript, namesIn } from './transcript-files.js';

export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId)) return [];
  const { dir, sessionStore, includeSystemMessages = false } = options;
  const select = (nodes: readonly ChainNode[]) =>
    page(visibleNodes(nodes, includeSystemMessages), { limit: options.limit, offset: options.offset });
  if (sessionStore != null) {
    const key = { projectKey: await projectKeyAt(dir), sessionId };
    const stored = await callStore('load', () => sessionStore.load(key));
    return messagesFromEntries(stored ?? [], false, select, {});
  }
  const file = await findTranscript(sessionId, dir);
  return file === undefined ? [] : messagesFromFile(file.path, false, select, {});
}

export async function listSubagents(
  sessionId: string,
  options: ListSubagentsOptions = {},
): Promise<string[]> {
  if (!isSessionId(sessionId)) return [];
  const { dir, sessionStore } = options;
  if (sessionStore == null) return [...(await subagentFiles(sessionId, dir)).keys()];
  if (sessionStore.listSubkeys === undefined) {
    throw new OptionError(
      'sessionStore',
      sessionStore,
      'listSubagents(): this sessionStore has no listSubkeys(), so subagents cannot be listed. Add that method.',
    );
  }
  const key = { projectKey: await projectKeyAt(dir), sessionId };
  const subpaths = await callStore('listSubkeys', async () => sessionStore.listSubkeys?.(key) ?? []);
  return subpaths.flatMap((subpath) => /(?:^|\/)agent-([^/]+)$/.exec(subpath)?.[1] ?? []);
}

export async function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options: GetSubagentMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId)) return [];
  const { dir, sessionStore } = options;
  const select = (nodes: readonly ChainNode[]) =>
    page(visibleNodes(nodes, false), { limit: options.limit, offset: options.offset });
  if (sessionStore != null) {
    const key = { projectKey: await projectKeyAt(dir), sessionId, subpath: `subagents/agent-${agentId}` };
    const stored = (await callStore('load', () => sessionStore.load(key))) ?? [];
    return messagesFromEntries(
      stored,
      true,
      select,
      stored.findLast(({ type }) => type === 'agent_metadata') ?? {},
    );
  }
  const path = (await subagentFiles(sessionId, dir)).get(agentId);
  if (path === undefined) return [];
  return messagesFromFile(path, true, select, await readMetadata(path));
}

/** The transcripts of a conversation's subagents, by id. */
export async function subagentFiles(sessionId: string, dir?: string): Promise<Map<string, string>> {
  const file = await findTranscript(sessionId, dir);
  const files = new Map<string, string>();
  if (file === undefined) return files;
  const pending = [join(file.folder, 'subagents')];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await namesIn(folder)) {
      const id = /^agent-(.+)\.jsonl$/.exec(entry.name)?.[1];
      if (entry.isDirectory()) pending.push(join(folder, entry.name));
      else if (id !== undefined) files.set(id, join(folder, entry.name));
    }
  }
  return files;
}

/** The CLI's metadata about a subagent, which is stored next to its transcript. */
export async function readMetadata(path: string): Promise<Record<string, unknown>> {
  try {
    const metadata: unknown = JSON.parse(await readFile(path.replace(/\.jsonl$/, '.meta.json'), 'utf8'));
    return isRecord(metadata) ? metadata : {};
  } catch {
    return {};
  }
}

/** Reads the file twice: first for its structure, then only for the messages that are wanted. */
async function messagesFromFile(
  path: string,
  isSubagent: boolean,
  select: Select,
  metadata: Record<string, unknown>,
): Promise<SessionMessage[]> {
  const messages = await withFile(path, async (file) => {
    const nodes: ChainNode[] = [];
    const places = new Map<string, { offset: number; length: number }>();
    for await (const { entry, offset, length } of entriesOf(file)) {
      const node = chainNode(entry, isSubagent);
      if (node === undefined) continue;
      nodes.push(node);
      places.set(node.uuid, { offset, length });
    }
    const found: SessionMessage[] = [];
    for (const { uuid } of select(nodes)) {
      const { offset, length } = places.get(uuid) as { offset: number; length: number };
      const entry = parseEntry(await readAt(file, offset, length));
      if (entry !== undefined) found.push(messageOf(entry, metadata));
    }
    return found;
  });
  return messages ?? [];
}
