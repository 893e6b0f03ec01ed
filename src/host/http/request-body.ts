import { clock, unref } from '../../protocol/base/clock.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { LIMITS } from '../../protocol/base/limits.js';
import { Problem } from './problems.js';

/** The body of a request, which must be a JSON object. An empty one is `{}`. Never more than so many bytes are read. */
export async function jsonBody(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem(415, 'Only a body of the type application/json is taken.');
  }
  const text = await bodyText(request, maxBytes);
  const value = text.trim() === '' ? {} : parsed(text);
  if (!isRecord(value)) throw new Problem(400, 'The body must be a JSON object.');
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}

async function bodyText(request: Request, maxBytes: number): Promise<string> {
  const tooLong = new Problem(413, `The body is longer than ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLong;
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const late = lateProblem();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.reached]);
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLong;
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    void reader.cancel().catch(() => {});
    if (error instanceof Problem) throw error;
    throw error instanceof TypeError && !request.signal.aborted
      ? new Problem(400, 'The body is not UTF-8.')
      : new Problem(400, 'The body has not arrived.');
  } finally {
    late.clear();
  }
}

function lateProblem(): { reached: Promise<never>; clear: () => void } {
  let clear = (): void => {};
  const reached = new Promise<never>((_, reject) => {
    const timer = clock.setTimeout(
      () => reject(new Problem(408, 'The body has not arrived in time.')),
      LIMITS.hostBodyMs,
    );
    unref(timer);
    clear = () => clock.clearTimeout(timer);
  });
  reached.catch(() => {});
  return { reached, clear };
}
