import { messageOf } from '../../protocol/base/errors.js';
import { isRecord } from '../../protocol/base/kinds.js';
import { ModelError } from '../../runtime/model.js';
import { type Failure, isTransientStatus, statusOfType } from '../retrying.js';

/** An `APICallError` of the AI SDK, or anything else that a provider throws. */
interface ThrownByProvider {
  statusCode?: unknown;
  responseHeaders?: Record<string, string>;
  responseBody?: unknown;
  isRetryable?: unknown;
  name?: unknown;
}

export function failureOf(error: unknown): Failure {
  const { statusCode, isRetryable, responseHeaders = {}, name } = asThrown(error);
  const status = typeof statusCode === 'number' ? statusCode : statusOfType(wordsIn(error).type);
  const isOfNetwork = typeof name === 'string' && /connect|timeout|fetch|network/i.test(name);
  const isTransient =
    isRetryable === true ||
    (status === undefined ? isOfNetwork || isFetchFailure(error) : isTransientStatus(status));
  return { status, isTransient, header: (wanted) => responseHeaders[wanted], reason: textOf(error) };
}

/** What the runtime understands, with the status and the words of the provider. */
export function modelError(error: unknown): unknown {
  if (error instanceof ModelError || (error instanceof Error && error.name === 'AbortError')) return error;
  const { status } = failureOf(error);
  const said = wordsOf(asThrown(error).responseBody);
  const details = {
    ...(status === undefined ? {} : { status }),
    ...(said.type === undefined ? {} : { type: said.type }),
  };
  return new ModelError(said.message ?? textOf(error), { ...details, cause: error });
}

/** Providers say what is wrong in a JSON body, each at a slightly different place. */
function wordsOf(body: unknown): Words {
  if (typeof body !== 'string') return {};
  try {
    return wordsIn(JSON.parse(body));
  } catch {
    return {};
  }
}

interface Words {
  message?: string;
  type?: string;
}

function wordsIn(sent: unknown): Words {
  const said = isRecord(sent) ? (sent.error ?? sent) : sent;
  const fields = isRecord(said) ? said : {};
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const message = [fields.message, said].find(isText);
  const type = [fields.code, fields.type, fields.status].find(isText);
  return { ...(message === undefined ? {} : { message }), ...(type === undefined ? {} : { type }) };
}

function textOf(error: unknown): string {
  if (error instanceof Error || typeof error === 'string') return messageOf(error);
  return wordsIn(error).message ?? `The model's stream failed: ${JSON.stringify(error)}`;
}

/** `fetch` says no more than this when there is no connection; the cause has the code. */
function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
}

function asThrown(error: unknown): ThrownByProvider {
  return typeof error === 'object' && error !== null ? error : {};
}
