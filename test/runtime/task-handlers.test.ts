/** What a host is told about the output of tasks: commands and subagents alike (builtin-tools 3 and 5, R52). */
import { describe, expect, it } from 'vitest';
import type { Lines } from '../../src/runtime/conversation/lines.js';
import { taskHandlers } from '../../src/runtime/conversation/task-handlers.js';
import { TaskBoard } from '../../src/runtime/tasks/task-board.js';

function board(): TaskBoard {
  const lines = { system: () => {} } as unknown as Lines;
  return new TaskBoard(lines, () => {});
}

const context = { signal: new AbortController().signal } as never;
const ask = (tasks: TaskBoard, id: string) => async () =>
  taskHandlers(tasks).get_task_output?.({ subtype: 'get_task_output', task_id: id }, context);

describe('get_task_output', () => {
  it('is the end of what a subagent has written, also after its end', async () => {
    const tasks = board();
    const output = { output: 'its words', total_bytes: 9, truncated: false };
    const task = tasks.start({
      id: 'a1',
      type: 'local_agent',
      isBackgrounded: true,
      outputFile: '',
      fields: { tool_use_id: 'toolu_1', description: 'Get help' },
      output: () => output,
      stop: () => {},
    });
    await expect(ask(tasks, 'a1')()).resolves.toEqual(output);
    task.end({ status: 'completed', summary: 'done' });
    await expect(ask(tasks, 'a1')()).resolves.toEqual(output);
  });

  it('of nobody’s task is an error that names it, and calls it no command', async () => {
    await expect(ask(board(), 'a2')()).rejects.toThrow(/no output of a task "a2"/);
    await expect(ask(board(), 'a2')()).rejects.not.toThrow(/command/);
  });
});
