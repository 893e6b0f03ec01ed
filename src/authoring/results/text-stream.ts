import { messageOf } from '../../protocol/base/errors.js';
import type { ToolContext } from '../tool/tool-context.js';
import { jsonText } from './tool-result.js';

export function isTextStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Parts are reported as they arrive; the whole text is the result. A cancelled call abandons the stream. */
export async function textOfStream(
  stream: AsyncIterable<unknown>,
  { signal, reportProgress }: Pick<ToolContext, 'signal' | 'reportProgress'>,
): Promise<string> {
  const parts = stream[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  const letGo = (): void => {
    // A stream that is stuck may never notice, and nobody is interested in a failure now.
    void Promise.resolve(parts.return?.()).catch(() => {});
  };
  signal.addEventListener('abort', letGo);
  let text = '';
  try {
    for (;;) {
      const { done, value } = await parts.next();
      if (done === true || signal.aborted) return text + decoder.decode();
      const part = textOf(value, decoder);
      text += part;
      reportProgress(text.length, undefined, part);
    }
  } catch (error) {
    if (text === '') throw error;
    throw new Error(`${messageOf(error)}\n\nWhat came before:\n${text}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', letGo);
  }
}

/** Bytes are UTF-8, and a character may be split between two parts. */
function textOf(part: unknown, decoder: InstanceType<typeof TextDecoder>): string {
  if (typeof part === 'string') return part;
  if (part instanceof Uint8Array) return decoder.decode(part, { stream: true });
  const json = jsonText(part);
  return json.ok ? json.text : String(part);
}
