import { messageOf } from '../../protocol/base/errors.js';
import { compactionOf, type TurnParts } from '../turn/new-turn.js';
import { emptyTurn, type TurnOutcome } from '../turn/turn-record.js';

/** A turn in which nobody is answered. `ready` is called before the conversation begins anew. */
export async function runCompactCommand(
  instructions: string,
  parts: TurnParts,
  signal: AbortSignal,
  ready: () => void,
): Promise<TurnOutcome> {
  const { lines } = parts;
  let isReady = false;
  const once = (): void => {
    if (!isReady) ready();
    isReady = true;
  };
  const done = { ...emptyTurn(''), localCommand: 'compact' };
  /** As in the CLI, a compaction that fails is no failed turn: the conversation is as it was. */
  const says = (text: string): void =>
    lines.commandSays(text, {
      local_command_source: `<local-command-stderr>${text}</local-command-stderr>`,
      local_command_run: { command: 'compact', args: instructions },
      local_command_outcome: { kind: 'failed' },
    });
  try {
    const outcome = await compactionOf(parts).byHand(instructions, signal, once);
    once();
    if (outcome.kind === 'done') {
      await parts.knowledge.renewMemory();
      lines.user('<local-command-stdout>Compacted </local-command-stdout>', { isReplay: true });
      return done;
    }
    if (outcome.kind === 'nothing') {
      says('There is nothing to compact.');
      return done;
    }
    const text = `A hook prevented the compaction: ${outcome.reason}`;
    says(text);
    return { ...done, text };
  } catch (error) {
    once();
    if (signal.aborted) {
      const text = 'The compaction was interrupted.';
      lines.commandSays(text, {
        local_command_source: `<local-command-stderr>${text}</local-command-stderr>`,
      });
      return done;
    }
    const text = `The conversation was not compacted: ${messageOf(error)}`;
    says(text);
    return { ...done, text };
  }
}
