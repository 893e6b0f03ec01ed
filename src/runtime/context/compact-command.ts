import { messageOf } from '../../protocol/base/errors.js';
import { compactionOf, type TurnParts } from '../turn/new-turn.js';
import { brokenTurn, emptyTurn, type TurnOutcome } from '../turn/turn-record.js';

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
  try {
    const outcome = await compactionOf(parts).byHand(instructions, signal, once);
    once();
    if (outcome.kind === 'done') {
      await parts.knowledge.renewMemory();
      lines.user('<local-command-stdout>Compacted </local-command-stdout>', { isReplay: true });
      return done;
    }
    if (outcome.kind === 'nothing') {
      lines.commandSays('There is nothing to compact.');
      return done;
    }
    const text = `A hook prevented the compaction: ${outcome.reason}`;
    lines.commandSays(text);
    return { ...done, text };
  } catch (error) {
    once();
    const broken = {
      ...brokenTurn(`The conversation was not compacted: ${messageOf(error)}`),
      localCommand: 'compact',
    };
    if (!signal.aborted) return broken;
    lines.user([{ type: 'text', text: '[Request interrupted by user]' }]);
    return { ...broken, terminalReason: 'aborted_streaming', text: 'The turn was interrupted.' };
  }
}
