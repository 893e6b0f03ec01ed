import { isRecord } from '../../protocol/base/kinds.js';
import type { RuntimeTool } from '../../runtime/tools/tool-port.js';
import { checkedInput, type InputSchema } from './checked-input.js';

const OPTION = {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'The choice, in one to five words.' },
    description: { type: 'string', description: 'What choosing it means.' },
    preview: { type: 'string', description: 'What it would look like, if that helps to choose.' },
  },
  required: ['label', 'description'],
};

const QUESTION = {
  type: 'object',
  properties: {
    question: { type: 'string', description: 'The whole question, with a question mark.' },
    header: { type: 'string', description: 'What it is about, in one or two words.' },
    options: { type: 'array', items: OPTION, minItems: 2, maxItems: 4 },
    multiSelect: { type: 'boolean', description: 'Several choices are possible.', default: false },
  },
  required: ['question', 'header', 'options'],
};

const SCHEMA: InputSchema = {
  type: 'object',
  properties: {
    questions: { type: 'array', items: QUESTION, minItems: 1, maxItems: 4 },
    answers: { type: 'object', description: 'Left to the user.' },
    annotations: { type: 'object', description: 'Left to the user.' },
    metadata: { type: 'object' },
  },
  required: ['questions'],
  additionalProperties: false,
};

interface Question {
  question: string;
  header: string;
  options: { label: string; description: string; preview?: string }[];
  multiSelect: boolean;
}

/** Asks the user, who answers by way of the permission request: `updatedInput` has the answers. */
export const askUserQuestion: RuntimeTool = {
  name: 'AskUserQuestion',
  description:
    'Asks the user one to four questions, each with two to four choices. Use it when the answer changes what you do ' +
    'and you cannot find it out yourself. The user may also answer in their own words.',
  inputSchema: SCHEMA,
  isReadOnly: true,
  prepare: async (input) => ({ access: { kind: 'question' }, input: { questions: questionsIn(input) } }),
  run: async ({ input }) => {
    const { answers = {}, annotations } = checkedInput('AskUserQuestion', SCHEMA, input);
    const given = isRecord(answers) ? answers : {};
    const notes = isRecord(annotations) ? annotations : {};
    const detail = {
      questions: questionsIn(input),
      answers: given,
      ...(annotations === undefined ? {} : { annotations }),
    };
    return { content: told(given, notes), detail };
  },
};

function told(answers: Record<string, unknown>, notes: Record<string, unknown>): string {
  const lines = Object.entries(answers).map(([question, answer]) => {
    const { preview, notes: words } = (notes[question] ?? {}) as { preview?: string; notes?: string };
    return [
      `"${question}" = "${answer}"`,
      ...(preview === undefined ? [] : [`as previewed:\n${preview}`]),
      ...(words === undefined ? [] : [`with the remark: ${words}`]),
    ].join(' ');
  });
  return lines.length === 0 ? 'The user has not answered.' : `The user has answered:\n${lines.join('\n')}`;
}

/** Throws with what is wrong with them, for the model to mend. */
function questionsIn(input: Readonly<Record<string, unknown>>): Question[] {
  const { questions } = checkedInput('AskUserQuestion', SCHEMA, input) as { questions: unknown[] };
  if (questions.length < 1 || questions.length > 4) refuse('ask one to four questions');
  const read = questions.map(questionIn);
  if (new Set(read.map(({ question }) => question)).size < read.length) refuse('ask each question once');
  return read;
}

function questionIn(value: unknown): Question {
  const { question, header, options, multiSelect = false } = isRecord(value) ? value : {};
  if (typeof question !== 'string' || typeof header !== 'string' || typeof multiSelect !== 'boolean') {
    refuse('each question needs `question` and `header`, texts, and `options`');
  }
  if (!Array.isArray(options) || options.length < 2 || options.length > 4) {
    refuse('each question needs two to four options. If there is only one way, take it without asking');
  }
  if (!options.every((option) => isRecord(option) && typeof option.label === 'string')) {
    refuse('each option needs a `label`');
  }
  const choices = options as Question['options'];
  if (new Set(choices.map(({ label }) => label)).size < choices.length) refuse('name each option once');
  return { question, header, options: choices, multiSelect };
}

function refuse(what: string): never {
  throw new Error(`InputValidationError: AskUserQuestion: ${what}.`);
}
