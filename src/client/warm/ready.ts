import { TenonError } from '../../protocol/errors.js';
import { LIMITS } from '../../protocol/limits.js';
import type { OpenAgent } from '../open-agent.js';

/** Waits until the agent has answered `initialize`. One that does not, or dies, is gone when this rejects. */
export async function ready(
  { conversation, initialized }: OpenAgent,
  caller: string,
  timeoutMs: number = LIMITS.initializeMs,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const text = `${caller}(): the agent was not ready within ${timeoutMs} ms. Slow MCP servers, hooks or disks can be why; raise \`initializeTimeoutMs\`.`;
      reject(new TenonError('STARTUP_TIMEOUT', text));
    }, timeoutMs);
  });
  try {
    await Promise.race([initialized, late]);
  } catch (error) {
    // The loop knows best why a process has died.
    const reason = await Promise.race([
      conversation.ending.done.catch((why: unknown) => why),
      Promise.resolve(error),
    ]);
    await conversation.close();
    throw reason instanceof Error ? reason : error;
  } finally {
    clearTimeout(timer);
  }
}
