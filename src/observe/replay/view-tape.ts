import type { AgentRuntime } from '../../options/agent-runtime.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { type Frame, isControlRequest, isControlResponse } from '../../protocol/wire/frames.js';
import type { SDKUserMessage } from '../../protocol/wire/messages/index.js';
import type { Tape } from '../tape-format.js';
import type { PlayedLine } from '../tape-reader.js';
import { ReplayTransport } from './replay-transport.js';

/** A recorded conversation to look at: both sides of it are played. */
export interface TapeView {
  readonly runtime: AgentRuntime;
  /** What the recorded program said. */
  readonly prompt: AsyncIterable<SDKUserMessage>;
  /** How far into the recording it is, in milliseconds. */
  time(): number;
}

/** `pace`: how long to wait for what came so many milliseconds after what came before it. */
export function viewTape(tape: Tape, pace?: (gapMs: number) => number): TapeView {
  const { file, head } = tape;
  const lines = withoutProgram(tape.lines);
  const said = new Said(lines.filter(isMessage).length);
  const transport = new ReplayTransport({
    file,
    lines,
    patienceMs: LIMITS.replayPatienceMs,
    pace,
    differs: () => {},
    needs: (frame) => said.push(frame),
  });
  return {
    runtime: { name: head.agent, open: () => transport },
    prompt: said,
    time: () => transport.time,
  };
}

/**
 * Without what the agent asked of the program, and the program of the agent: there is no program. What introduced it
 * stays, because every conversation begins with that.
 */
function withoutProgram(lines: readonly PlayedLine[]): PlayedLine[] {
  const introductions = new Set<string>();
  return lines.filter((line) => {
    if (line.kind !== 'frame') return line.kind !== 'input-end';
    const { frame, direction } = line;
    if (frame.type === 'control_cancel_request') return false;
    if (isControlRequest(frame)) {
      const isFirst = direction === '>' && frame.request.subtype === 'initialize' && introductions.size === 0;
      if (isFirst) introductions.add(frame.request_id);
      return isFirst;
    }
    if (isControlResponse(frame)) return direction === '<' && introductions.has(frame.response.request_id);
    return direction === '<' || frame.type === 'user';
  });
}

function isMessage(line: PlayedLine): boolean {
  return line.kind === 'frame' && line.direction === '>' && line.frame.type === 'user';
}

/** The messages of the recorded program, each when the replay comes to it. */
class Said implements AsyncIterable<SDKUserMessage> {
  readonly #waiting: Frame[] = [];
  #left: number;
  #last: Frame | undefined;
  #wake: () => void = () => {};

  constructor(number: number) {
    this.#left = number;
  }

  push(frame: Frame): void {
    // The replay may ask more than once.
    if (frame.type !== 'user' || frame === this.#last) return;
    this.#last = frame;
    this.#waiting.push(frame);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SDKUserMessage, void> {
    while (this.#left > 0) {
      const frame = this.#waiting.shift();
      if (frame === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#left -= 1;
      yield frame as unknown as SDKUserMessage;
    }
  }
}
