import type { AgentRuntime } from '../../options/agent-runtime.js';
import { LIMITS } from '../../protocol/base/limits.js';
import type { Tape } from '../tape-format.js';
import { readTape } from '../tape-reader.js';
import { describeDifference, type TapeDifference, TapeMismatchError } from './differences.js';
import { ReplayTransport } from './replay-transport.js';

export interface ReplayTapeOptions {
  /** Called for each difference between the program and its recording. Default: a warning. */
  onDifference?: ((difference: TapeDifference) => void) | undefined;
  /**
   * How long the replay waits for something that the program did by itself when it was recorded, such as another
   * message or an interrupt; 10 s by default. Tools and callbacks may take as long as they like.
   */
  patienceMs?: number | undefined;
}

/** The agent of a recording: a value for `options.runtime`. */
export interface TapeRuntime extends AgentRuntime {
  readonly tape: Tape;
  /** Where the program did something else than when it was recorded. */
  readonly differences: readonly TapeDifference[];
  /** Throws a `TapeMismatchError` if there are any. */
  assertSame(): void;
}

/**
 * Plays a recorded conversation again, without its agent and without a model: `query({ prompt, options: { runtime:
 * replayTape('run.tape'), mcpServers } })`. The tools and callbacks of the program are called again, with what they
 * were called with; where the program now answers or does something else, that is named, and the recording goes on.
 */
export function replayTape(tape: string | Tape, options: ReplayTapeOptions = {}): TapeRuntime {
  const read = typeof tape === 'string' ? readTape(tape) : tape;
  const { file, lines, head } = read;
  const differences: TapeDifference[] = [];
  return {
    name: head.agent,
    tape: read,
    differences,
    assertSame: () => {
      if (differences.length > 0) throw new TapeMismatchError(file, differences);
    },
    open: ({ warn }) =>
      new ReplayTransport({
        file,
        lines,
        patienceMs: options.patienceMs ?? LIMITS.replayPatienceMs,
        differs: (difference) => {
          differences.push(difference);
          if (options.onDifference !== undefined) options.onDifference(difference);
          else warn(`The program differs from its recording in ${file}: ${describeDifference(difference)}.`);
        },
      }),
  };
}
