import type { MessageFrame } from '../../protocol/wire/frames.js';
import type { TaskEnd, TaskNews, TaskStart } from './task.js';

export interface TaskNotice extends Pick<TaskEnd, 'summary' | 'usage'> {
  readonly status: TaskEnd['status'] | 'killed';
  readonly result?: string | undefined;
}

/** What the model is told about the end of a task, in the form in which models know it. */
export function taskNotice(
  { id, fields, outputFile }: Pick<TaskStart, 'id' | 'fields' | 'outputFile'>,
  { status, summary, result, usage }: TaskNotice,
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
    ...(usage === undefined
      ? []
      : [
          `<usage><subagent_tokens>${usage.total_tokens}</subagent_tokens><tool_uses>${usage.tool_uses}</tool_uses><duration_ms>${usage.duration_ms}</duration_ms></usage>`,
        ]),
    '</task-notification>',
    '</system-reminder>',
  ].join('\n');
}

/** The same as a message of the conversation, in nobody's name. */
export function newsMessage({ text, runId, isForLater }: TaskNews): MessageFrame {
  return {
    type: 'user',
    message: { role: 'user', content: text },
    origin: { kind: 'task-notification', producer: 'session-task', runId },
    ...(isForLater ? { priority: 'later' } : {}),
  };
}
