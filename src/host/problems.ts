import { messageOf } from '../protocol/base/errors.js';
import { emitWarning } from '../protocol/base/host-process.js';
import type { HostOptions, HostProblem } from './host.js';

function warn({ during, error, session }: HostProblem): void {
  const whose = session === undefined ? '' : ` ("${session.session}" of "${session.tenant}")`;
  emitWarning(`The host had a problem with ${during}${whose}: ${messageOf(error)}`, {
    type: 'TenonWarning',
    code: 'TENON_HOST',
  });
}

/** Tells the program what concerns no caller. Its own code must not end the work. */
export function problemTeller(onProblem: HostOptions['onProblem']): (problem: HostProblem) => void {
  if (onProblem === undefined) return warn;
  return (problem) => {
    const failed = (error: unknown): void => {
      warn({ during: '`onProblem`, which has failed', error });
      warn(problem);
    };
    try {
      // An async function is easily given, and would fail where nobody hears it.
      void Promise.resolve(onProblem(problem)).catch(failed);
    } catch (error) {
      failed(error);
    }
  };
}
