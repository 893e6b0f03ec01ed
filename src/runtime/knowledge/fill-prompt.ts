import { withArguments } from './fill-in.js';
import type { KnownPrompt } from './prompts.js';
import { shellPartsIn, withOutputs } from './shell-parts.js';

/** Why a skill or command could not be used. */
export class PromptError extends Error {}

/** It is not for whoever asked. */
export class NotForUserError extends PromptError {}

/** Runs a command that stands in a text, without asking anybody. */
export type RunShellPart = (
  command: string,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean }>;

/**
 * The text of a skill or command, ready for the model. A command in it that nobody has allowed, or that fails, means
 * that the whole cannot be used: half a text could say the opposite.
 */
export async function fillPrompt(
  prompt: KnownPrompt,
  args: string,
  runShellPart: RunShellPart,
  signal: AbortSignal,
): Promise<string> {
  const { name, content, directory, hasHooks } = prompt;
  if (hasHooks) {
    throw new PromptError(`"${name}" has \`hooks\` in its head, which the runtime cannot run.`);
  }
  const text = typeof content === 'string' ? withArguments(content, args, prompt) : await content(args);
  const outputs: string[] = [];
  for (const { command, written } of shellPartsIn(text)) {
    const { text: output, isError } = await runShellPart(command, signal);
    signal.throwIfAborted();
    if (isError)
      throw new PromptError(`"${name}" could not be filled in: ${written} was not run or failed: ${output}`);
    outputs.push(output.trimEnd());
  }
  const filled = withOutputs(text, outputs);
  return directory === undefined ? filled : `Files of this skill are in ${directory}.\n\n${filled}`;
}
