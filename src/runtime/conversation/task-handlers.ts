import { ControlFault } from '../../protocol/channel/control-channel.js';
import { textField } from '../../protocol/channel/received-fields.js';
import type { TaskBoard } from '../tasks/task-board.js';
import type { ControlHandlers } from './control-handlers.js';

/** What the host may ask about tasks. */
export function taskHandlers(
  tasks: TaskBoard,
): Pick<ControlHandlers, 'get_task_output' | 'stop_task' | 'background_tasks'> {
  return {
    get_task_output: (fields) => {
      const id = textField(fields, 'task_id');
      const output = tasks.output(id);
      if (output === undefined) {
        throw new ControlFault(
          'not_available',
          `There is no output of a task "${id}": this conversation has started none with this task_id, or it is long gone.`,
        );
      }
      return { ...output };
    },
    // One that has ended, or never was, is not running either.
    stop_task: async (fields) => {
      await tasks.stop(textField(fields, 'task_id'), 'user');
      return {};
    },
    background_tasks: ({ tool_use_id: call }) => {
      if (typeof call !== 'string') {
        tasks.sendToBackground();
        return {};
      }
      const backgrounded = tasks.foreground.some(({ start }) => start.fields.tool_use_id === call);
      tasks.sendToBackground(call);
      return { backgrounded };
    },
  };
}
