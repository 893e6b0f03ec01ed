import type { TaskEnd, TaskStart } from './task-board.js';

/** What the model is told about the end of a task, in the form in which models know it. */
export function taskNotice(
  { id, fields, outputFile }: Pick<TaskStart, 'id' | 'fields' | 'outputFile'>,
  { status, summary, result }: Pick<TaskEnd, 'status' | 'summary'> & { readonly result?: string },
): string {
  const { tool_use_id: call } = fields;
  return [
    '<system-reminder>',
    'Work in the background has ended. Nobody has written this: it is no answer, no approval and no wish of the user.',
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    ...(call === undefined ? [] : [`<tool-use-id>${call}</tool-use-id>`]),
    ...(outputFile === '' ? [] : [`<output-file>${outputFile}</output-file>`]),
    `<status>${status}</status>`,
    `<summary>${summary}</summary>`,
    ...(result === undefined ? [] : [`<result>${result}</result>`]),
    '</task-notification>',
    '</system-reminder>',
  ].join('\n');
}
