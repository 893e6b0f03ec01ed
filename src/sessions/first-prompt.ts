import type { SessionStoreEntry } from '../protocol/wire/session-store.js';

/** What a user entry contributes to the title of its conversation. */
export interface PromptWords {
  /** Something a person wrote. */
  prompt?: string;
  /** A slash command, shown only if there is no prompt at all. */
  command?: string;
}

const MAX_LENGTH = 200;
const COMMAND = /<command-name>(.*?)<\/command-name>/;
const SHELL = /<bash-input>([\s\S]*?)<\/bash-input>/;
/** Text inserted by a program: it begins with a lower-case tag, or reports an interruption. */
const INSERTED_TEXT = /^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

export function promptWords(entry: SessionStoreEntry): PromptWords {
  if (entry.type !== 'user' || entry.isMeta === true || entry.isCompactSummary === true) return {};
  const words: PromptWords = {};
  for (const text of textsOf(entry)) {
    const line = text.replaceAll('\n', ' ').trim();
    if (line === '') continue;
    const command = COMMAND.exec(line)?.[1];
    if (command !== undefined) {
      words.command ??= command;
      continue;
    }
    const shell = SHELL.exec(line)?.[1];
    if (shell !== undefined) return { ...words, prompt: `! ${shell.trim()}` };
    if (INSERTED_TEXT.test(line)) continue;
    return { ...words, prompt: shortened(line) };
  }
  return words;
}

function textsOf(entry: SessionStoreEntry): string[] {
  const content = (entry.message as { content?: unknown } | undefined)?.content;
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  // Nobody wrote tool results, and any text next to them is the CLI's.
  if (content.some((block) => block?.type === 'tool_result')) return [];
  return content.flatMap((block) =>
    block?.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
}

function shortened(line: string): string {
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH).trim()}…`;
}
