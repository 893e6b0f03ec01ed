import { isRecord } from '../../protocol/base/kinds.js';
import type { MessageParam } from '../../protocol/wire/content.js';
import type { Workspace } from '../workspace.js';
import type { FileMemory } from './file-memory.js';
import { absolutePath } from './paths.js';

/** A text that is longer may have been cut. */
const MOST_CHARS = 80_000;

/**
 * What the model has seen of files, from what was said earlier: files that it has read as a whole, or written. What an
 * edit made of a file cannot be told from what was said.
 */
export async function remember(
  memory: FileMemory,
  workspace: Workspace,
  messages: readonly MessageParam[],
): Promise<void> {
  const texts = new Map<string, string | undefined>();
  const calls = new Map<string, { name: string; input: Record<string, unknown> }>();
  for (const block of messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content))) {
    if (block.type === 'tool_use' && isRecord(block.input)) {
      calls.set(block.id, { name: block.name, input: block.input });
    } else if (block.type === 'tool_result' && block.is_error !== true) {
      const call = calls.get(block.tool_use_id);
      if (call !== undefined) note(texts, call.name, call.input, block.content);
    }
  }
  for (const [path, text] of texts) {
    if (text === undefined || text.length > MOST_CHARS) continue;
    const located = await workspace.locate(absolutePath(workspace, path)).catch(() => undefined);
    if (located?.kind === 'file') await memory.note(located.real, text, true);
  }
}

function note(
  texts: Map<string, string | undefined>,
  name: string,
  { file_path: path, content, offset, limit }: Record<string, unknown>,
  result: unknown,
): void {
  if (typeof path !== 'string') return;
  if (name === 'Write' && typeof content === 'string') texts.set(path, content);
  if (name === 'Edit') texts.set(path, undefined);
  if (name === 'Read' && offset === undefined && limit === undefined) texts.set(path, textIn(result));
}

/** The text whose lines are numbered; undefined if this is something else. */
function textIn(result: unknown): string | undefined {
  if (typeof result !== 'string') return undefined;
  const lines = result.split('\n').map((line) => /^\d+\t([\s\S]*)$/.exec(line)?.[1]);
  return lines.every((line) => line !== undefined) ? lines.join('\n') : undefined;
}
