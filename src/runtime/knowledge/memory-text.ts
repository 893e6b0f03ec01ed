import type { MessageParam, UserContentBlock } from '../../protocol/wire/content.js';
import type { MemoryFile } from './read-memory.js';

const WHOSE: Readonly<Record<MemoryFile['source'], string>> = {
  user: 'written by the user, for all projects',
  project: 'part of the project',
  local: "the user's own for this project",
  given: 'given by the program',
};

/** Text for the model that nobody said. */
export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

export function memoryReminder(files: readonly MemoryFile[]): string {
  const parts = files.map(({ path, text, source }) => `${path} (${WHOSE[source]}):\n\n${text}`);
  return reminder(`Follow these instructions of the user and the project:\n\n${parts.join('\n\n')}`);
}

/** The messages, with a text before the first of them that is the user's. It is never part of the transcript. */
export function withTextAtStart(
  messages: readonly MessageParam[],
  text: string | undefined,
): readonly MessageParam[] {
  const at = text === undefined ? -1 : messages.findIndex(({ role }) => role === 'user');
  const first = messages[at];
  if (text === undefined || first === undefined) return messages;
  const content: UserContentBlock[] =
    typeof first.content === 'string'
      ? [{ type: 'text', text: first.content }]
      : (first.content as UserContentBlock[]);
  // A result must stay at the start of its message.
  const place = content.findIndex(({ type }) => type !== 'tool_result');
  const before = place === -1 ? content.length : place;
  const filled = [...content.slice(0, before), { type: 'text' as const, text }, ...content.slice(before)];
  return messages.with(at, { ...first, content: filled } as MessageParam);
}
