/** A plain client of the Messages API, for tests of the scripted one. */
import { setTimeout as wait } from 'node:timers/promises';
import type { ScriptedMessagesApi } from '../../src/testing/index.js';

/** Asks as a simple client would. */
export function ask(api: ScriptedMessagesApi, body: object = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${api.url}/v1/messages?beta=true`, {
    method: 'POST',
    body: JSON.stringify({ model: 'claude-test', max_tokens: 32_000, messages: [user('hi')], ...body }),
    ...init,
  });
}

/** Asks as the CLI would. */
export function askAsCli(api: ScriptedMessagesApi, body: object): Promise<Response> {
  return ask(api, body, { headers: { 'user-agent': 'claude-cli/2.1.325 (external, sdk-cli)' } });
}

/** A user message. */
export function user(content: unknown): { role: 'user'; content: unknown } {
  return { role: 'user', content };
}

/** A server-sent event of the Messages API. */
export interface StreamEvent {
  type: string;
  delta?: Record<string, unknown>;
  [key: string]: unknown;
}

/** All events of a streamed answer. */
export async function events(response: Response): Promise<StreamEvent[]> {
  return parseEvents(await response.text());
}

/** The events in a piece of a stream; each must be named after its type. */
export function parseEvents(stream: string): StreamEvent[] {
  const chunks = stream.split('\n\n').filter((chunk) => chunk !== '');
  return chunks.map((chunk) => {
    const [name, data] = chunk.split('\n');
    const event: StreamEvent = JSON.parse(data?.slice('data: '.length) ?? '');
    if (name !== `event: ${event.type}`) throw new Error(`${name} carries an event of type ${event.type}`);
    return event;
  });
}

/** What arrives up to `last`, and for a moment after it, in which nothing more may come. */
export async function readUntilSilent(response: Response, last: RegExp): Promise<string> {
  const reader = response.body!.getReader();
  let received = '';
  for (;;) {
    const next = reader.read();
    const part = await (last.test(received) ? Promise.race([next, wait(150)]) : next);
    if (part === undefined) break;
    if (part.done) throw new Error('the stream ended, but it should have stalled');
    received += new TextDecoder().decode(part.value);
  }
  await reader.cancel();
  return received;
}
