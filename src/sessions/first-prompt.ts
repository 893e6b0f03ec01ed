import type { SessionStoreEntry } from '../protocol/session-store.js';

/** What a user entry contributes to the title of its conversation. */
export interface PromptWords {
  /** Something that a person said. */
  prompt?: string;
  /** A slash command: shown only when nothing was said at all. */
  command?: string;
}

const LONGEST = 200;
const COMMAND = /<command-name>(.*?)<\/command-name>/;
const SHELL = /<bash-input>([\s\S]*?)<\/bash-input>/;
/** Words that a program put in: they begin with a tag in lower case, or tell of an interruption. */
const NOT_SAID = /^(?:\s*<[a-z][\w-]*[\s>]|\[Request interrupted by user[^\]]*\])/;

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
    if (NOT_SAID.test(line)) continue;
    return { ...words, prompt: shortened(line) };
  }
  return words;
}

function textsOf(entry: SessionStoreEntry): string[] {
  const content = (entry.message as { content?: unknown } | undefined)?.content;
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  // Results of tools are nobody's words, and the text beside them is the CLI's.
  if (content.some((block) => block?.type === 'tool_result')) return [];
  return content.flatMap((block) =>
    block?.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
}

function shortened(line: string): string {
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).trim()}…`;
}
