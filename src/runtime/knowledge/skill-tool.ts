import { withoutUndefined } from '../../protocol/base/kinds.js';
import type { PreparedCall, RuntimeTool } from '../tools/tool-port.js';
import type { Knowledge } from './knowledge.js';
import type { KnownPrompt } from './prompts.js';

export interface SkillToolParts {
  readonly knowledge: Pick<Knowledge, 'find' | 'isAllowed'>;
  /** The text for the model. Throws if it cannot be made. */
  fill(prompt: KnownPrompt, args: string, signal: AbortSignal): Promise<string>;
  /** Allows what the skill may use, for the rest of the turn. */
  grant(rules: readonly string[]): void;
  /** The full name of a model. */
  modelNamed(name: string): string;
  warn(text: string): void;
}

/** The tool by which the model loads a skill or a command: its text follows the result. */
export function skillTool({ knowledge, fill, grant, modelNamed, warn }: SkillToolParts): RuntimeTool {
  return {
    name: 'Skill',
    description:
      'Loads a skill by its name, with arguments if it takes some. The text of the skill follows: do what it says. ' +
      'Load a skill before you begin with a task that its description fits.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'The name, as in the list of skills.' },
        args: { type: 'string', description: 'Its arguments, in one text.' },
      },
      required: ['skill'],
      additionalProperties: false,
    },
    prepare: async (input) => prepare(input, knowledge),
    run: async ({ input: { skill, args = '' }, signal }) => {
      const prompt = knowledge.find(String(skill));
      if (prompt === undefined) throw new Error(unknown(String(skill)));
      const { name, allowedTools, model, isForked } = prompt;
      // Whoever permitted the call has permitted what the skill asks for: it stands in its head.
      if (allowedTools.length > 0) grant(allowedTools);
      const text = await fill(prompt, String(args), signal);
      if (isForked)
        warn(`The skill "${name}" runs in the conversation itself: the runtime does not fork it.`);
      return {
        content: `Loading the skill ${name}: its text follows.`,
        detail: withoutUndefined({
          success: true,
          commandName: name,
          allowedTools: allowedTools.length === 0 ? undefined : [...allowedTools],
          model: model === undefined ? undefined : modelNamed(model),
        }),
        added: [{ text, isShown: true }],
      };
    },
  };
}

function prepare(
  { skill, args }: Readonly<Record<string, unknown>>,
  knowledge: SkillToolParts['knowledge'],
): PreparedCall {
  if (typeof skill !== 'string')
    return { problem: 'InputValidationError: Skill needs `skill`, the name of a skill.' };
  if (args !== undefined && typeof args !== 'string') {
    return { problem: 'InputValidationError: `args` of Skill must be a text.' };
  }
  const prompt = knowledge.find(skill);
  if (prompt === undefined) return { problem: unknown(skill) };
  const { name, isForModel, allowedTools, hasHooks } = prompt;
  if (!isForModel) {
    return {
      problem: `Only the user can use the skill ${name}, by /${name} (disable-model-invocation). Ask for that.`,
    };
  }
  if (!knowledge.isAllowed(name))
    return { problem: `The skill ${name} is not among those of this conversation.` };
  return { access: { kind: 'skill', name, isPlain: allowedTools.length === 0 && !hasHooks } };
}

function unknown(name: string): string {
  return `Unknown skill: ${name}`;
}
