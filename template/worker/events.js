// @ts-check

/**
 * A body of server-sent events: each message as it comes, and a comment now and then. Platforms may notice only by
 * writing that the reader has left.
 * @param {AsyncIterable<object>} messages
 * @param {() => void} abort called when the reader has left: nobody pays for an answer that nobody reads
 * @param {number} [commentsEveryMs]
 */
export function serverSentEvents(messages, abort, commentsEveryMs = 5_000) {
  const encoder = new TextEncoder();
  const event = (/** @type {string} */ name, /** @type {object} */ data) =>
    encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const reading = messages[Symbol.asyncIterator]();
  /** @type {ReturnType<typeof setInterval>} */
  let comments;
  let hasLeft = false;
  return new ReadableStream({
    start(controller) {
      comments = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(':\n\n'));
      }, commentsEveryMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await reading.next();
        if (!done) return controller.enqueue(event('message', value));
      } catch (error) {
        if (hasLeft) return;
        console.error(error);
        controller.enqueue(event('error', { message: 'The agent failed.' }));
      }
      clearInterval(comments);
      controller.close();
    },
    cancel() {
      hasLeft = true;
      clearInterval(comments);
      abort();
    },
  });
}
