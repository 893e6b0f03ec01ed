import type { Options } from '../../options/options.js';
import { OptionError } from '../../protocol/base/errors.js';
import type { Prompt } from '../conversation/user-input.js';
import type { Machine } from '../launch/machine.js';
import { givenOptions } from './given-options.js';
import { openAgent } from './open-agent.js';
import { QueryHandle } from './query-handle.js';
import type { Query } from './query-type.js';

export interface QueryParameters {
  prompt: Prompt;
  options?: Options | undefined;
}

/** `query()`, on the given machine. */
export function runQuery({ prompt, options = {} }: QueryParameters, machine: Machine): Query {
  const given = givenOptions(options, 'query');
  checkPrompt('query', prompt);
  const { conversation, initialized, mcp, say } = openAgent(given, machine);
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
