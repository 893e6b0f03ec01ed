import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { buildMessage, firstPart, type IdSequence, streamEvents } from './message.js';
import type { ScriptedRequest } from './request.js';
import type { ErrorStep, MessageStep, Step } from './steps.js';

/** What an answer needs besides the step. */
interface AnswerContext {
  readonly request: ScriptedRequest;
  readonly ids: IdSequence;
  /** Aborted as soon as the client is gone: every wait below ends with it. */
  readonly gone: AbortSignal;
}

/**
 * Carries out one step. Resolves when the answer is complete or the client is gone; the latter is not an error, since
 * clients that abort are what many tests are about.
 */
export async function answer(response: ServerResponse, step: Step, context: AnswerContext): Promise<void> {
  try {
    await perform(response, step, context);
  } catch (error) {
    if (!context.gone.aborted) throw error;
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
  const { type, message } = error;
  answerJson(response, error.status, { type: 'error', error: { type, message } }, error.headers);
}

async function perform(response: ServerResponse, step: Step, context: AnswerContext): Promise<void> {
  switch (step.kind) {
    case 'message':
      return sendMessage(response, step, context, 'whole');
    case 'stall':
      await sendMessage(response, step.step, context, 'part');
      return untilGone(context.gone);
    case 'delay':
      await wait(step.milliseconds, undefined, { signal: context.gone });
      return perform(response, step.step, context);
    case 'error':
      return answerError(response, step);
    case 'hang':
      return untilGone(context.gone);
    case 'disconnect':
      response.destroy();
      return;
  }
}

async function sendMessage(
  response: ServerResponse,
  step: MessageStep,
  context: AnswerContext,
  extent: 'whole' | 'part',
): Promise<void> {
  const { request, ids, gone } = context;
  const message = buildMessage(step, request.body.model ?? 'scripted', ids);
  const headers = { 'request-id': message.id.replace('msg', 'req') };
  if (request.body.stream !== true) {
    if (extent === 'whole') return answerJson(response, 200, message, headers);
    const body = JSON.stringify(message);
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write(body.slice(0, body.length / 2));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  const events = streamEvents(message, step);
  for (const event of extent === 'whole' ? events : firstPart(events)) {
    gone.throwIfAborted();
    const room = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (!room) await once(response, 'drain', { signal: gone });
    // Without a turn of the event loop Node would join the events into one packet, which no real stream does.
    else await nextTurn();
  }
  if (extent === 'whole') response.end();
}

async function untilGone(gone: AbortSignal): Promise<void> {
  if (!gone.aborted) await once(gone, 'abort');
}
