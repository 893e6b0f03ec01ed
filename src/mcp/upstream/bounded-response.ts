import { LIMITS } from '../../protocol/base/limits.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The response, which ends with an error once a message in it is too long: the library would wait for its end. */
export function boundedResponse(response: Response, exceeded: () => Error): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  const size = isStream ? new EventSize() : new BodySize();
  const bounded = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        if (size.add(chunk) > LIMITS.maxMcpMessageBytes) controller.error(exceeded());
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, { status, statusText, headers });
}

class BodySize {
  #bytes = 0;

  add({ length }: Uint8Array): number {
    this.#bytes += length;
    return this.#bytes;
  }
}

/** Bytes since the last empty line, which ends an event. */
class EventSize {
  #event = 0;
  #line = 0;
  #last = 0;

  /** The size of the event that is open at the end of the chunk, or of the longest one that ended in it. */
  add(chunk: Uint8Array): number {
    let longest = 0;
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk, start, at);
      const isEmpty = this.#line === 0 || (this.#line === 1 && this.#last === CARRIAGE_RETURN);
      longest = Math.max(longest, this.#event);
      if (isEmpty) this.#event = 0;
      this.#line = 0;
      start = at + 1;
    }
    this.#take(chunk, start, chunk.length);
    return Math.max(longest, this.#event);
  }

  #take(chunk: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    this.#event += end - start;
    this.#line += end - start;
    this.#last = chunk[end - 1] ?? 0;
  }
}
