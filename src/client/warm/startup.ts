import { givenOptions } from '../../options/normalise.js';
import { clock, type Timer } from '../../protocol/base/clock.js';
import { TenonError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Prompt } from '../conversation/user-input.js';
import { checkPrompt, type OpenAgent, openAgent } from '../query/open-agent.js';
import { nodeMachine } from '../query/query.js';
import { QueryHandle } from '../query/query-handle.js';
import type { Query } from '../query/query-type.js';
import type { WarmParameters, WarmQuery } from './warm-types.js';

/** `unwanted`: the agent is not needed any more, and is ended instead of awaited. */
export async function startup(
  { options = {}, initializeTimeoutMs }: WarmParameters = {},
  unwanted?: AbortSignal,
): Promise<WarmQuery> {
  const agent = openAgent(givenOptions(options, 'startup'), nodeMachine);
  await untilReady(agent, 'startup', initializeTimeoutMs, unwanted);
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
    return this.#agent.conversation.exited;
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
    const { conversation, initialized, mcp, say, tape } = this.#agent;
    say(prompt);
    return new QueryHandle(conversation, initialized, mcp, tape);
  }

  close(): Promise<void> {
    this.#used = true;
    return this.#agent.conversation.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Waits until the agent has answered `initialize`. If it does not, or dies, it has ended when this rejects.
 */
export async function untilReady(
  { conversation, initialized }: OpenAgent,
  caller: string,
  timeoutMs: number = LIMITS.initializeMs,
  unwanted?: AbortSignal,
): Promise<void> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    const refuse = (): void =>
      reject(new TenonError('CLOSED', `${caller}(): the agent is not needed any more.`));
    if (unwanted?.aborted) refuse();
    unwanted?.addEventListener('abort', refuse, { once: true });
    timer = clock.setTimeout(() => {
      const text = `${caller}(): the agent was not ready within ${timeoutMs} ms. Slow MCP servers, hooks or disks can be the cause; raise \`initializeTimeoutMs\`.`;
      reject(new TenonError('STARTUP_TIMEOUT', text));
    }, timeoutMs);
  });
  try {
    await Promise.race([initialized, late]);
  } catch (error) {
    // The conversation knows best why a process died.
    const reason = await Promise.race([
      conversation.done.catch((why: unknown) => why),
      Promise.resolve(error),
    ]);
    await conversation.close();
    throw reason instanceof Error ? reason : error;
  } finally {
    clock.clearTimeout(timer);
  }
}
