import { isRecord } from '../../protocol/base/kinds.js';
import type { ToolUseBlock } from '../../protocol/wire/content.js';
import type { AgentOutput } from '../../protocol/wire/tools/work.js';

type Completed = Extract<AgentOutput, { status: 'completed' }>;
export type ToolStats = NonNullable<Completed['toolStats']>;

/** What a call is about, for people who watch; undefined if nothing can be said. */
export function activityOf({ name, input }: ToolUseBlock, cwd: string): string | undefined {
  const { file_path, notebook_path, command, description, pattern } = fieldsOf(input);
  const place = shownPath(file_path ?? notebook_path, cwd);
  if (name === 'Read' && place !== undefined) return `Reading ${place}`;
  if (name === 'Write' && place !== undefined) return `Writing ${place}`;
  if ((name === 'Edit' || name === 'NotebookEdit') && place !== undefined) return `Editing ${place}`;
  if (name === 'Bash') return `Running ${textOr(description, textOr(command, 'a command'))}`;
  if (name === 'Glob' || name === 'Grep') return `Searching ${textOr(pattern, '')}`.trim();
  return name === 'Agent' && typeof description === 'string' ? description : undefined;
}

function shownPath(path: unknown, cwd: string): string | undefined {
  if (typeof path !== 'string') return undefined;
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}

/** Undefined if there is nothing to tell. */
export function toldStats(stats: ToolStats): ToolStats | undefined {
  return Object.values(stats).some((count) => count > 0) ? stats : undefined;
}

export function emptyToolStats(): ToolStats {
  return {
    readCount: 0,
    searchCount: 0,
    bashCount: 0,
    editFileCount: 0,
    linesAdded: 0,
    linesRemoved: 0,
    otherToolCount: 0,
  };
}

export function countCall(stats: ToolStats, { name, input }: ToolUseBlock): void {
  const { content, new_string, old_string, new_source } = fieldsOf(input);
  if (name === 'Read') stats.readCount += 1;
  else if (name === 'Glob' || name === 'Grep') stats.searchCount += 1;
  else if (name === 'Bash') stats.bashCount += 1;
  else if (name === 'Write' || name === 'Edit' || name === 'NotebookEdit') {
    stats.editFileCount += 1;
    stats.linesAdded += linesIn(content ?? new_string ?? new_source);
    stats.linesRemoved += linesIn(old_string);
  } else if (name !== 'Agent') stats.otherToolCount += 1;
}

function linesIn(text: unknown): number {
  return typeof text !== 'string' || text === '' ? 0 : text.split('\n').length;
}

function fieldsOf(input: unknown): Record<string, unknown> {
  return isRecord(input) ? input : {};
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
