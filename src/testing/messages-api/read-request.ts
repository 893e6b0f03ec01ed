import { type MessagesRequestBody, recordRequest, type ScriptedRequest } from '../script/request.js';

/** Parses a body and records it. Throws a `TypeError` that says what is wrong with the body. */
export function readRequest(
  json: string,
  headers: Readonly<Record<string, string>>,
  index: number,
): ScriptedRequest {
  return recordRequest(parseBody(json), headers, index);
}

/** The headers worth recording. */
export function headersOfInterest(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const interesting = /^(anthropic-.+|x-.+|user-agent|authorization)$/;
  const kept = Object.entries(headers).filter(([name]) => interesting.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function parseBody(json: string): MessagesRequestBody {
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch (error) {
    throw new TypeError('the body is not JSON', { cause: error });
  }
  if (typeof body !== 'object' || body === null || !('messages' in body) || !Array.isArray(body.messages)) {
    throw new TypeError('messages: Field required');
  }
  // The only place that trusts the client: a test kit need not validate requests that it only records.
  return body as MessagesRequestBody;
}
