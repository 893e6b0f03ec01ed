/** A receiver that keeps everything a transport tells it, in order, and can be waited for. */
import { EventEmitter, once } from 'node:events';
import type { DroppedFrame, Frame, TransportEnd, TransportReceiver } from '../../src/protocol/index.js';

export class RecordingReceiver implements TransportReceiver {
  readonly frames: Frame[] = [];
  readonly byteLengths: number[] = [];
  readonly noises: string[] = [];
  readonly drops: DroppedFrame[] = [];
  readonly ends: TransportEnd[] = [];
  stderrText = '';
  /** What came after the end; must stay empty. */
  readonly afterEnd: unknown[] = [];
  readonly #events = new EventEmitter();

  frame(frame: Frame, byteLength: number): void {
    this.#note(frame);
    this.frames.push(frame);
    this.byteLengths.push(byteLength);
    this.#events.emit('frame');
  }

  noise(line: string): void {
    this.#note(line);
    this.noises.push(line);
  }

  dropped(frame: DroppedFrame): void {
    this.#note(frame);
    this.drops.push(frame);
  }

  stderr(text: string): void {
    this.stderrText += text;
  }

  end(end: TransportEnd): void {
    this.#note(end);
    this.ends.push(end);
    this.#events.emit('end');
  }

  /** The frame with this index, as soon as it is there. */
  async nth(index: number): Promise<Frame> {
    while (this.frames.length <= index) await once(this.#events, 'frame');
    return this.frames[index] as Frame;
  }

  async ended(): Promise<TransportEnd> {
    if (this.ends.length === 0) await once(this.#events, 'end');
    return this.ends[0] as TransportEnd;
  }

  #note(what: unknown): void {
    if (this.ends.length > 0) this.afterEnd.push(what);
  }
}
