import { TenonError } from '../../protocol/errors.js';
import { type OpenAgent, openAgent, type Prompt } from '../open-agent.js';
import { checkPrompt } from '../query.js';
import { QueryHandle } from '../query-handle.js';
import type { Query } from '../query-type.js';
import { validateOptions } from '../validate-options.js';
import { ready } from './ready.js';
import type { WarmParameters, WarmQuery } from './warm-types.js';

export async function startup({
  options = {},
  initializeTimeoutMs,
}: WarmParameters = {}): Promise<WarmQuery> {
  validateOptions(options);
  const agent = openAgent(options);
  await ready(agent, 'startup', initializeTimeoutMs);
  return new WarmAgent(agent);
}

class WarmAgent implements WarmQuery {
  readonly #agent: OpenAgent;
  #used = false;

  constructor(agent: OpenAgent) {
    this.#agent = agent;
  }

  get pid() {
    return this.#agent.conversation.pid;
  }

  get exited() {
    return this.#agent.conversation.ending.exited;
  }

  query(prompt: Prompt): Query {
    checkPrompt('WarmQuery.query', prompt);
    if (this.#used) {
      throw new TenonError(
        'ALREADY_USED',
        'WarmQuery.query() can only be called once, and not after close().',
      );
    }
    this.#used = true;
    const { conversation, initialized, mcp, say } = this.#agent;
    say(prompt);
    return new QueryHandle(conversation, initialized, mcp);
  }

  close(): Promise<void> {
    this.#used = true;
    return this.#agent.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
