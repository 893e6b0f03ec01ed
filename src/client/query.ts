import { OptionError } from '../protocol/errors.js';
import { openAgent, type Prompt } from './open-agent.js';
import type { Options } from './options.js';
import { QueryHandle } from './query-handle.js';
import type { Query } from './query-type.js';
import { validateOptions } from './validate-options.js';

export interface QueryParameters {
  prompt: Prompt;
  options?: Options | undefined;
}

/**
 * Runs an agent. The process starts at once; iterate over the result to read its messages. What is wrong with the
 * options is thrown here; what goes wrong later is thrown out of the loop.
 */
export function query({ prompt, options = {} }: QueryParameters): Query {
  validateOptions(options);
  checkPrompt('query', prompt);
  const { conversation, initialized, mcp, say } = openAgent(options);
  say(prompt);
  return new QueryHandle(conversation, initialized, mcp);
}

export function checkPrompt(caller: string, prompt: unknown): asserts prompt is Prompt {
  if (typeof prompt === 'string') return;
  if (typeof prompt === 'object' && prompt !== null && Symbol.asyncIterator in prompt) return;
  throw new OptionError(
    'prompt',
    prompt,
    `${caller}(): \`prompt\` must be a string or an async iterable of user messages.`,
  );
}
