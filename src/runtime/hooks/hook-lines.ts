import { clock } from '../../protocol/base/clock.js';
import type { Lines } from '../conversation/lines.js';
import type { CommandOutcome } from './command-port.js';
import { type HookCall, labelOf } from './hook-call.js';

/**
 * Shows the host a command that runs for a hook, as the CLI does when a session starts: such a command may take long,
 * and nothing else is to be seen meanwhile. The result tells how it went; undefined: it has not ended by itself.
 */
export function shownCommand(
  lines: Lines,
  call: HookCall,
): { ended(outcome: CommandOutcome | undefined): void } | undefined {
  if (call.event !== 'SessionStart') return undefined;
  const run = { hook_id: clock.uuid(), hook_name: labelOf(call), hook_event: call.event };
  lines.system('hook_started', run);
  let hasEnded = false;
  return {
    ended: (outcome) => {
      if (hasEnded) return;
      hasEnded = true;
      const { code = null, stdout = '', stderr = '' } = outcome ?? {};
      lines.system('hook_response', {
        ...run,
        output: stdout + stderr,
        stdout,
        stderr,
        ...(code === null ? {} : { exit_code: code }),
        outcome: code === 0 ? 'success' : code === null ? 'cancelled' : 'error',
      });
    },
  };
}
