import { wait } from '../../protocol/base/clock.js';
import type { StreamEvent } from '../../protocol/wire/content.js';
import type { WireMessage } from './message.js';
import type { DisconnectStep, ErrorStep, MessageStep, StallStep, Step } from './steps.js';
import { firstPart, streamEvents } from './stream-events.js';

/** What is left of a step after its waits. */
export type Answer = MessageStep | StallStep | ErrorStep | DisconnectStep;

/**
 * Waits as long as the step says. Rejects with the signal's reason as soon as nobody waits for the answer.
 */
export async function waitOut(step: Step, signal: AbortSignal): Promise<Answer> {
  switch (step.kind) {
    case 'delay':
      await wait(step.milliseconds, { signal });
      return waitOut(step.step, signal);
    case 'hang':
      return untilAborted(signal);
    default:
      return step;
  }
}

/** Streams a message with the pauses of its step. An answer that stalls never ends by itself. */
export async function* playMessage(
  message: WireMessage,
  step: MessageStep | StallStep,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void> {
  const events =
    step.kind === 'stall' ? firstPart(streamEvents(message, step.step)) : streamEvents(message, step);
  for (const { event, pauseMs } of events) {
    if (pauseMs > 0) await wait(pauseMs, { signal });
    signal.throwIfAborted();
    yield event;
  }
  if (step.kind === 'stall') await untilAborted(signal);
}

/** Rejects with the signal's reason, and never resolves. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
