import { isRecord } from '../../protocol/base/kinds.js';
import { type Frame, isControlRequest, isControlResponse } from '../../protocol/wire/frames.js';
import type { TapeFrame } from '../tape-format.js';
import { compareFrames, type TapeDifference } from './differences.js';
import { describeFrame, keyOf } from './frame-key.js';

/** What the program sends during a replay, held against what it sent when it was recorded. */
export class ProgramSide {
  readonly #differs: (difference: TapeDifference) => void;
  /** Frames that the replay has not come to yet. */
  readonly #early = new Map<string, Frame[]>();
  /** How many of each are still to be sent. */
  readonly #expected = new Map<string, number>();
  /** Ids of the recording, and what the program calls the same now. */
  readonly #ids = new Map<string, string>();
  readonly #agentRequests = new Map<string, Frame>();

  constructor(recorded: readonly TapeFrame[], differs: (difference: TapeDifference) => void) {
    this.#differs = differs;
    for (const { frame } of recorded) this.#expect(keyOf(frame), 1);
  }

  /** Takes a frame of the program. Returns the agent's answer to a request that the tape does not have. */
  take(frame: Frame): Frame | undefined {
    const key = keyOf(frame);
    if ((this.#expected.get(key) ?? 0) > 0) {
      this.#expect(key, -1);
      this.#early.set(key, [...(this.#early.get(key) ?? []), frame]);
      return undefined;
    }
    // The recorded program may have been too slow to answer, or to withdraw a request.
    if (isControlResponse(frame) || frame.type === 'control_cancel_request') return undefined;
    const about = describeFrame(frame, undefined);
    this.#differs({ about, frame: undefined, path: '', recorded: undefined, now: frame });
    if (!isControlRequest(frame)) return undefined;
    const error = `The tape has no answer to "${frame.request.subtype}": it was not asked for when it was recorded.`;
    return { type: 'control_response', response: { subtype: 'error', request_id: frame.request_id, error } };
  }

  has(recorded: Frame): boolean {
    return this.#early.get(keyOf(recorded)) !== undefined;
  }

  /** The replay has come to this frame: compares it with that of the program, or reports that there is none. */
  match({ n, frame: recorded }: TapeFrame, isMissed = true): void {
    const key = keyOf(recorded);
    const [now, ...others] = this.#early.get(key) ?? [];
    const asked = isControlResponse(recorded)
      ? this.#agentRequests.get(recorded.response.request_id)
      : undefined;
    if (now === undefined) {
      const about = describeFrame(recorded, asked);
      if (isMissed) this.#differs({ about, frame: n, path: '', recorded, now: undefined });
      return;
    }
    if (others.length === 0) this.#early.delete(key);
    else this.#early.set(key, others);
    this.#learnIds(recorded, now);
    const difference = compareFrames(n, recorded, now, asked);
    if (difference !== undefined) this.#differs(difference);
  }

  /** A frame of the agent, as it is for the program of now; undefined: it answers what was not asked. */
  translated(frame: Frame): Frame | undefined {
    if (isControlRequest(frame)) this.#agentRequests.set(frame.request_id, frame);
    if (isControlResponse(frame) && !this.#ids.has(frame.response.request_id)) return undefined;
    return this.#copied(frame) as Frame;
  }

  #expect(key: string, number: number): void {
    this.#expected.set(key, (this.#expected.get(key) ?? 0) + number);
  }

  #learnIds(recorded: Frame, now: Frame): void {
    const names = ['request_id', 'uuid'] as const;
    for (const name of names) {
      const [old, current] = [
        (recorded as Record<string, unknown>)[name],
        (now as Record<string, unknown>)[name],
      ];
      if (typeof old === 'string' && typeof current === 'string') this.#ids.set(old, current);
    }
  }

  /** A copy, because the program may change what it gets, and a tape may be played again. */
  #copied(value: unknown): unknown {
    if (typeof value === 'string') return this.#ids.get(value) ?? value;
    if (Array.isArray(value)) return value.map((item) => this.#copied(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#copied(item)]));
  }
}
