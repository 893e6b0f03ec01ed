import type { HostEvent, HostMessage } from '../host-messages.js';
import type { SessionState } from '../storage/port/conversation.js';
import type { StoredSession } from '../storage/port/sessions.js';
import { eventText } from './event-stream.js';
import { type Exchange, givenName, json } from './exchange.js';
import { givenPrompt } from './given-prompt.js';
import { notFound, Problem } from './problems.js';

export async function sendMessage(exchange: Exchange): Promise<Response> {
  const { ref, host, request } = exchange;
  const body = await exchange.body();
  const prompt = givenPrompt(body.prompt);
  const idempotencyKey = givenKey(body.idempotencyKey, request.headers.get('idempotency-key'));
  const { id, number, event } = await host.send(ref, prompt, { idempotencyKey });
  return json({ id, number, event }, 202);
}

function givenKey(inBody: unknown, inHeader: string | null): string | undefined {
  const key = inBody ?? inHeader ?? undefined;
  if (inBody !== undefined && inHeader !== null && inBody !== inHeader) {
    throw new Problem(400, 'The body and the header name different idempotency keys.');
  }
  return key === undefined ? undefined : givenName('idempotency key', key);
}

export async function readEvents(exchange: Exchange): Promise<Response> {
  const { ref, host, query, request } = exchange;
  const after = givenPosition(request.headers.get('last-event-id') ?? query.get('after'));
  // So that a storage that is away is an answer of its own, and not a stream that ends.
  await host.session(ref);
  let last = after;
  async function* source(signal: AbortSignal): AsyncGenerator<string, void> {
    for await (const event of host.events(ref, { after, signal })) {
      yield eventOf(event);
      // Only now it is on its way.
      last = event.id;
    }
  }
  const lastWords = (reason: 'slow' | 'failed'): string =>
    eventText({ message: { type: 'host', subtype: 'cut_off', reason: REASONS[reason] } }, last);
  return exchange.stream(source, lastWords);
}

const REASONS = {
  slow: 'The reader has taken nothing for too long.',
  failed: 'What is stored cannot be read right now.',
};

function eventOf({ id, at, message }: HostEvent): string {
  return eventText({ at, message: withoutReason(message) }, id);
}

/** Why the work had to begin again is an error of the program or of its machines, with whatever is in its text. */
function withoutReason(message: HostMessage): HostMessage {
  if (message.type !== 'host') return message;
  if (message.subtype === 'resumed') return { ...message, reason: 'The work was interrupted.' };
  return message.subtype === 'parked' ? { ...message, reason: 'The work has failed.' } : message;
}

/** The id of the last event that was seen. */
function givenPosition(text: string | null): number {
  if (text === null || text === '') return 0;
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(position)) return position;
  throw new Problem(400, 'The last event must be named by its id, a whole number from 0.');
}

export async function readSession({ host, ref }: Exchange): Promise<Response> {
  const session = await host.session(ref);
  if (session === undefined) throw notFound();
  return json(shown(session));
}

const STATES: readonly string[] = ['idle', 'queued', 'running', 'waiting', 'parked'] satisfies SessionState[];

export async function listSessions({ host, tenant, onlySession, query }: Exchange): Promise<Response> {
  const state = givenState(query.get('state'));
  const after = query.get('after');
  const limit = givenLimit(query.get('limit'));
  if (onlySession !== undefined) {
    const session = await host.session({ tenant, session: onlySession });
    const isListed = session !== undefined && (state === undefined || session.state === state);
    return json({ sessions: isListed && after === null ? [shown(session)] : [] });
  }
  const sessions = await host.sessions({
    tenant,
    state,
    limit,
    after: after === null ? undefined : { tenant, session: givenName('session', after) },
  });
  return json({ sessions: sessions.map(shown) });
}

function givenState(state: string | null): SessionState | undefined {
  if (state === null) return undefined;
  if (STATES.includes(state)) return state as SessionState;
  throw new Problem(400, `The state must be one of ${STATES.join(', ')}.`);
}

export function givenLimit(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new Problem(400, 'The limit must be a whole number from 1.');
}

/** Which machine has it, and with which error it has failed, is nothing for callers. */
function shown({ owner: _, reason: __, ...session }: StoredSession): StoredSession {
  return session;
}

export async function interrupt(exchange: Exchange): Promise<Response> {
  const { host, ref } = exchange;
  const { dropQueued } = await exchange.body();
  if (dropQueued !== undefined && typeof dropQueued !== 'boolean') {
    throw new Problem(400, '`dropQueued` must be true or false.');
  }
  await host.interrupt(ref, { dropQueued });
  return json({}, 202);
}
