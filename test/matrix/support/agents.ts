/** Conversations in which agents call agents. */
import type { SDKMessage } from '../../../src/index.js';
import { blocks, type ScriptedRequest, type ScriptStep, toolUse } from '../../../src/testing/index.js';
import { serverWith, textResult } from './calc.js';
import type { Context, Outcome, Scenario } from './scenario.js';

/** What each agent answers, by the words that its task has and no other's. The main agent's are `MAIN PROMPT`. */
export function plays(
  parts: Readonly<Record<string, readonly ScriptStep[]>>,
): (request: ScriptedRequest) => ScriptStep {
  return ({ body, messages }) => {
    const said = JSON.stringify(body.messages);
    const names = Object.keys(parts);
    const name = said.includes('MAIN PROMPT') ? 'MAIN PROMPT' : names.find((each) => said.includes(each));
    const answers = messages.filter(({ role }) => role === 'assistant').length;
    const step = parts[name ?? '']?.[answers];
    if (step === undefined) throw new Error(`${name} has no answer after ${answers}`);
    return step;
  };
}

/** The call of the agent `helper`, which waits unless it is told not to. */
export function agentCall(prompt: string, more: Record<string, unknown> = {}): ScriptStep {
  return toolUse('Agent', input(prompt, more));
}

/** Several calls in one answer. */
export function agentCalls(...prompts: readonly string[]): ScriptStep {
  return blocks(prompts.map((prompt) => toolUse('Agent', input(prompt))));
}

function input(prompt: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { description: 'Get help', prompt, subagent_type: 'helper', run_in_background: false, ...more };
}

export const HELPER = { description: 'Helps', prompt: 'You are the helper.' };

/** A prompt, agents, and their tools. */
export const agentBase = {
  prompt: 'MAIN PROMPT',
  options: () => ({ tools: ['Task', 'Bash', 'Read', 'Write', 'TaskStop'], agents: { helper: HELPER } }),
  // What an answer has cost so far is a guess.
  leftToTiming: /^usage\.total_tokens$/,
} as const satisfies Partial<Scenario>;

/** A tool that returns when the turn has had its first result. */
export function untilResult(context: Context): ReturnType<typeof serverWith> {
  return serverWith(context, 'wait', async () => {
    await context.messages.waitFor(({ type }) => type === 'result', 'the first result');
    return textResult('waited');
  });
}

/** A tool that returns when its call is cancelled. */
export function untilCancelled(context: Context): ReturnType<typeof serverWith> {
  return serverWith(
    context,
    'wait',
    (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(textResult('cut')))),
  );
}

/** The lines of subagents: who, and what. */
export function linesOfAgents({ messages }: Outcome): string[] {
  return messages.flatMap((message) => {
    if ((message.type !== 'assistant' && message.type !== 'user') || message.parent_tool_use_id === null)
      return [];
    const { content } = message.message;
    const block = typeof content === 'string' ? { type: content } : content[0];
    return [`${message.type} ${(block as { type: string }).type}`];
  });
}

export function taskLines(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) =>
    message.type === 'system' && message.subtype.startsWith('task_') ? [message.subtype] : [],
  );
}

/** The `tool_use_result` of the main agent's calls. */
export function handedBack({ messages }: Outcome): unknown[] {
  return messages.flatMap((message) =>
    message.type === 'user' && message.parent_tool_use_id === null ? [message.tool_use_result] : [],
  );
}

/** The requests of the agent with this task. */
export function requestsOf({ requests }: Outcome, task: string): ScriptedRequest[] {
  return requests.filter(({ body }) => {
    const said = JSON.stringify(body.messages);
    return said.includes(task) && !said.includes('MAIN PROMPT');
  });
}
