/** An answer of a model, and what the vendors' APIs have in common when they stream it. */

export interface Answer {
  /** With what its vendor signs thoughts by. */
  thinking?: { text: string; signature: string };
  /** In pieces as they are streamed. */
  text?: readonly string[];
  calls?: readonly { id: string; name: string; input: object }[];
  usage?: { fresh?: number; read?: number; written?: number; output?: number };
  stop?: 'length' | 'filter';
}

export type Json = Record<string, unknown>;

/** What is streamed: the content, and then the end with the reason and the usage. */
export interface Frames {
  contentType: string;
  content: (string | Buffer)[];
  end: (string | Buffer)[];
}

export const sse = (data: Json | string): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const named = (data: Json): string => `event: ${data.type}\n${sse(data)}`;
export const events = (content: string[], end: string[]): Frames => ({
  contentType: 'text/event-stream',
  content,
  end,
});

export function totals({ usage: { fresh = 0, read = 0, written = 0, output = 0 } = {} }: Answer) {
  return { fresh, read, written, output, all: fresh + read + written };
}

/** One of the words for why it ended. */
export function reason(
  { stop, calls = [] }: Answer,
  words: [end: string, call: string, length: string, filter: string],
) {
  if (stop === 'length') return words[2];
  if (stop === 'filter') return words[3];
  return calls.length > 0 ? words[1] : words[0];
}
