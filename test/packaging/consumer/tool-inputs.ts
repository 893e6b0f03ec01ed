// A program that answers the CLI's own tools: what it is asked has the types of an entry that has nothing else.
import type { CanUseTool } from 'tenon';
import type { AskUserQuestionInput, BashOutput, ToolInputSchemas } from 'tenon/sdk-tools';
import type { AskUserQuestionInput as Same } from 'tenon/sdk-tools.js';

export const answer: CanUseTool = async (name, input) => {
  if (name !== 'AskUserQuestion') return { behavior: 'deny', message: 'Only questions.' };
  const { questions } = input as unknown as AskUserQuestionInput;
  const answers = Object.fromEntries(questions.map(({ question, options }) => [question, options[0].label]));
  return { behavior: 'allow', updatedInput: { ...input, answers } satisfies Partial<Same> & object };
};

export const printed = ({ stdout, stderr }: BashOutput): string => stdout + stderr;
// @ts-expect-error It is a text.
export const wrong: BashOutput['stdout'] = 1;
export const any: ToolInputSchemas = { command: 'ls' };
