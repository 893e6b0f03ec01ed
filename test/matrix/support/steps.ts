import type { Script, ScriptedRequest, ScriptStep } from '../../../src/testing/index.js';

/** A step, or how it follows from the request. */
type NextStep = ScriptStep | ((request: ScriptedRequest) => ScriptStep | Promise<ScriptStep>);

/**
 * Steps of one conversation, found by the number of answers so far: several cells may play it at once, and a step may
 * need what the agent has said, such as the id of a task.
 */
export function inOrder(...steps: readonly NextStep[]): Extract<Script, (...args: never[]) => unknown> {
  return (request) => {
    const answers = request.messages.filter(({ role }) => role === 'assistant').length;
    const step = steps[answers];
    if (step === undefined) throw new Error(`there is no step after ${answers} answers`);
    return typeof step === 'function' ? step(request) : step;
  };
}

/** The id of the task that the agent told the model of last. */
export function lastTask({ messages }: ScriptedRequest): string {
  const found = [...JSON.stringify(messages).matchAll(/\/tasks\/(\w+)\.output/g)];
  return found.at(-1)?.[1] ?? 'no task';
}
