// The routes that `useChat` of the AI SDK uses with `new DefaultChatTransport({ api: base + '/chat' })`, and what its page
// needs besides: its first messages, and a way to stop.

import type { SessionRef } from '../../storage/port/conversation.js';
import { eventText } from '../event-stream.js';
import { type Exchange, json } from '../exchange.js';
import { Problem } from '../problems.js';
import { givenLimit } from '../session-routes.js';
import { chatHistory } from './chat-history.js';
import { type ChatRequest, chatRequest } from './chat-request.js';
import { findTurn } from './turn-position.js';
import { type TurnStreamOptions, turnStream } from './turn-stream.js';
import type { UIChunk } from './ui-chunks.js';

export async function sendChat(exchange: Exchange): Promise<Response> {
  const given = chatRequest(await exchange.body());
  const { session } = given;
  await exchange.authorizeFor({ action: given.kind === 'prompt' ? 'send' : 'answer', session });
  const ref = exchange.refOf(session);
  return given.kind === 'prompt' ? sendPrompt(exchange, ref, given) : sendAnswers(exchange, ref, given);
}

async function sendPrompt(
  exchange: Exchange,
  ref: SessionRef,
  { prompt, key }: Extract<ChatRequest, { kind: 'prompt' }>,
): Promise<Response> {
  const { host } = exchange;
  // A page cannot answer while it waits for another answer: both would wait for ever.
  const questions = await host.pendingApprovals({ ...ref, limit: 1 });
  if (questions.length > 0) {
    throw new Problem(
      409,
      'The agent has asked something. Answer it, or stop it, before you say anything else.',
    );
  }
  const { id, event } = await host.send(ref, prompt, { idempotencyKey: key });
  return streamOf(exchange, { host, ref, position: { prompt: id, after: event }, hasBegun: false });
}

/** The page answers questions, and reads on where it was. */
async function sendAnswers(
  exchange: Exchange,
  ref: SessionRef,
  { answers, knownUntil }: Extract<ChatRequest, { kind: 'answers' }>,
): Promise<Response> {
  const { host, request } = exchange;
  const last = (await host.session(ref))?.event ?? 0;
  const position = await findTurn(host, ref, last, request.signal);
  // Whether somebody else was faster or it is no longer asked, is told by what follows.
  for (const [id, answer] of answers) await host.answer(id, answer, ref);
  if (position === undefined) {
    throw new Problem(409, 'What was asked is settled already. Load the conversation again.');
  }
  return streamOf(exchange, {
    host,
    ref,
    position,
    hasBegun: true,
    knownUntil: Math.min(knownUntil ?? last, last),
    answered: [...answers.keys()],
  });
}

/** What is worked on, from its beginning: for a page that was loaded again. */
export async function resumeChat(exchange: Exchange): Promise<Response> {
  const { host, ref, request } = exchange;
  const session = await host.session(ref);
  if (session === undefined) return new Response(null, { status: 204 });
  const position = await findTurn(host, ref, session.event, request.signal);
  if (position !== undefined) return streamOf(exchange, { host, ref, position, hasBegun: true });
  const isComing = session.inbox > 0 && (session.state === 'queued' || session.state === 'running');
  if (!isComing) return new Response(null, { status: 204 });
  return streamOf(exchange, {
    host,
    ref,
    position: { prompt: undefined, after: session.event },
    hasBegun: false,
  });
}

function streamOf(exchange: Exchange, options: TurnStreamOptions): Promise<Response> {
  async function* source(signal: AbortSignal): AsyncGenerator<string, void> {
    for await (const chunk of turnStream(options, signal)) yield eventText(chunk);
    yield DONE;
  }
  const lastWords = (reason: 'slow' | 'failed'): string => eventText(LAST_WORDS[reason]) + DONE;
  return exchange.stream(source, lastWords, { 'x-vercel-ai-ui-message-stream': 'v1' });
}

const DONE = 'data: [DONE]\n\n';

const LAST_WORDS: Readonly<Record<'slow' | 'failed', UIChunk>> = {
  slow: { type: 'error', errorText: 'This page was too slow. Load the conversation again.' },
  failed: { type: 'error', errorText: 'The answer cannot be read right now. Load the conversation again.' },
};

/** The messages of a page when it is loaded; the newest, if there are many. */
export async function readChat({ host, ref, query, request }: Exchange): Promise<Response> {
  const limit = givenLimit(query.get('limit'));
  return json(await chatHistory(host, ref, { limit, signal: request.signal }));
}

export async function stopChat(exchange: Exchange): Promise<Response> {
  const { host, ref } = exchange;
  await exchange.body();
  await host.interrupt(ref);
  return json({}, 202);
}
