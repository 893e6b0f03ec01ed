import type { BuiltInContext } from '../../runtime/tools/built-ins.js';
import type { RuntimeTool } from '../../runtime/tools/tool-port.js';
import { checkedInput, type InputSchema } from './checked-input.js';

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    task_id: { type: 'string', description: 'The ID of the task.' },
    shell_id: { type: 'string', description: 'An earlier name of task_id.' },
  },
  additionalProperties: false,
};

/** Ends what runs in the background. */
export function taskStopTool({ tasks }: BuiltInContext): RuntimeTool {
  return {
    name: 'TaskStop',
    aliases: ['KillShell', 'KillBash'],
    description: 'Ends a command or an agent that runs in the background.',
    inputSchema: SCHEMA,
    isReadOnly: true,
    needsNoPermission: true,
    prepare: async (input) => {
      if (tasks.get(idIn(input)) === undefined) throw new Error(`No task found with ID: ${idIn(input)}`);
      return {};
    },
    run: async ({ input }) => {
      const id = idIn(input);
      const task = tasks.get(id);
      if (task === undefined) throw new Error(`No task found with ID: ${id}`);
      const { type, fields, command } = task.start;
      await tasks.stop(id, 'parent');
      const detail = {
        message: `The task ${id} was ended (${command ?? fields.description}).`,
        task_id: id,
        task_type: type,
        command: command ?? fields.description,
      };
      return { content: JSON.stringify(detail), detail };
    },
  };
}

function idIn(input: Readonly<Record<string, unknown>>): string {
  const { task_id, shell_id } = checkedInput('TaskStop', SCHEMA, input) as Record<string, string | undefined>;
  const id = task_id ?? shell_id;
  if (id === undefined) throw new Error('TaskStop: the parameter `task_id` is missing.');
  return id;
}
