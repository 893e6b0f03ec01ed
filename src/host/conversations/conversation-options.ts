import type { Options } from '../../options/options.js';
import { clock } from '../../protocol/base/clock.js';
import { OptionError, TenonError } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { SessionRef } from '../storage/port/conversation.js';
import { checkAgentOptions } from './agent-options.js';

type OptionsFor = (session: SessionRef) => Options | Promise<Options>;

/** What the program's function says, checked, and not waited for forever. */
export async function conversationOptions(
  options: OptionsFor,
  ref: SessionRef,
  signal: AbortSignal,
): Promise<Options> {
  const own = await inTime(Promise.resolve(options(ref)), signal);
  if (!isRecord(own)) {
    throw new OptionError('options', own, '`options()` must return the options of the agent.');
  }
  checkAgentOptions(own);
  return own;
}

function inTime<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = (): void => settle(() => reject(new TenonError('ABORTED', 'The work was cut off.')));
    const timer = clock.setTimeout(() => {
      const text = `\`options()\` has not answered within ${LIMITS.hostOptionsMs / 1000} s.`;
      settle(() => reject(new TenonError('STARTUP_TIMEOUT', text)));
    }, LIMITS.hostOptionsMs);
    const settle = (how: () => void): void => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      how();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    answer.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}
