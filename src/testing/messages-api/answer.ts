import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildMessage, type IdSequence, type WireMessage } from '../script/message.js';
import { playMessage, untilAborted, waitOut } from '../script/play.js';
import type { ScriptedRequest } from '../script/request.js';
import type { ErrorStep, MessageStep, StallStep, Step } from '../script/steps.js';

/** What an answer needs besides the step. */
interface AnswerContext {
  readonly request: ScriptedRequest;
  readonly ids: IdSequence;
  /** Aborted as soon as the client disconnects, which ends every wait below. */
  readonly disconnected: AbortSignal;
}

/**
 * Carries out one step. Resolves when the answer is complete or the client has disconnected; the latter is
 * not an error, because many tests are about clients that abort.
 */
export async function answer(response: ServerResponse, step: Step, context: AnswerContext): Promise<void> {
  try {
    await perform(response, step, context);
  } catch (error) {
    if (!context.disconnected.aborted) throw error;
  }
}

/** Answers with a JSON value. */
export function answerJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** Answers with the API's error body. */
export function answerError(response: ServerResponse, error: ErrorStep): void {
  const { type, message, status = 500 } = error;
  answerJson(response, status, { type: 'error', error: { type, message } }, error.headers);
}

async function perform(response: ServerResponse, step: Step, context: AnswerContext): Promise<void> {
  const { request, ids, disconnected } = context;
  const outcome = await waitOut(step, disconnected);
  if (outcome.kind === 'error') return answerError(response, outcome);
  if (outcome.kind === 'disconnect') {
    response.destroy();
    return;
  }
  const content = outcome.kind === 'stall' ? outcome.step : outcome;
  const message = buildMessage(content, request.model ?? 'scripted', ids);
  const isStreamed = request.body.stream === true;
  response.setHeader('request-id', message.id.replace('msg', 'req'));
  return isStreamed
    ? sendEvents(response, message, outcome, disconnected)
    : sendJson(response, message, outcome, disconnected);
}

async function sendJson(
  response: ServerResponse,
  message: WireMessage,
  step: MessageStep | StallStep,
  disconnected: AbortSignal,
): Promise<void> {
  if (step.kind === 'message') return answerJson(response, 200, message);
  const body = JSON.stringify(message);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(body.slice(0, body.length / 2));
  return untilAborted(disconnected);
}

async function sendEvents(
  response: ServerResponse,
  message: WireMessage,
  step: MessageStep | StallStep,
  disconnected: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for await (const event of playMessage(message, step, disconnected)) {
    await sendEvent(response, event, disconnected);
    // The API sends a ping at the beginning of each stream; it is not part of the message.
    if (event.type === 'message_start') await sendEvent(response, { type: 'ping' }, disconnected);
  }
  response.end();
}

async function sendEvent(
  response: ServerResponse,
  event: { type: string },
  disconnected: AbortSignal,
): Promise<void> {
  const room = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  if (!room) await once(response, 'drain', { signal: disconnected });
  // Without a turn of the event loop, Node would join the events into one packet, unlike a real stream.
  else await nextTurn();
}
