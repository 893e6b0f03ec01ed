import type { Readable, Writable } from 'node:stream';
import { TenonError } from '../base/errors.js';
import { type Frame, isFrame } from '../wire/frames.js';
import { LineSplitter } from './pipes.js';
import type { Transport, TransportReceiver } from './transport.js';

/**
 * Frames as lines over two streams: the agent's side of a process, which reads its stdin and writes its
 * stdout.
 */
export class StreamTransport implements Transport {
  readonly pid = undefined;
  readonly #input: Readable;
  readonly #output: Writable;
  #outputEnded = false;
  #ended = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  start(receiver: TransportReceiver): void {
    const splitter = new LineSplitter({
      line: (text, byteLength) => receive(text, byteLength, receiver),
      oversized: (byteLength) => receiver.noise(`[a line of ${byteLength} bytes]`),
    });
    const end = (): void => {
      if (this.#ended) return;
      this.#ended = true;
      splitter.end();
      receiver.end({ code: null, signal: null });
    };
    this.#input.on('data', (chunk: Buffer) => splitter.push(chunk));
    this.#input.on('end', end);
    this.#input.on('error', end);
    // The reader has closed its end: there is nobody left to write to.
    this.#output.on('error', () => {
      this.#outputEnded = true;
      end();
    });
  }

  send(frame: Frame): boolean {
    if (this.#outputEnded) throw new TenonError('INPUT_CLOSED', 'Cannot send: the output has ended.');
    return this.#output.write(`${JSON.stringify(frame)}\n`);
  }

  drained(): Promise<void> {
    if (!this.#output.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      this.#output.once('drain', resolve);
      this.#output.once('error', () => resolve());
    });
  }

  /** Refuses further frames. The stream itself belongs to its owner and stays open. */
  endInput(): void {
    this.#outputEnded = true;
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  async stop(): Promise<void> {
    this.endInput();
    this.#input.destroy();
  }
}

function receive(text: string, byteLength: number, receiver: TransportReceiver): void {
  if (text.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    receiver.noise(text);
    return;
  }
  if (isFrame(value)) receiver.frame(value, byteLength);
  else receiver.noise(text);
}
