import { LIMITS } from '../../../protocol/base/limits.js';
import type { SDKMessage } from '../../../protocol/wire/messages/index.js';
import type { SessionMessage } from '../../../sessions/session-info.js';
import type { Host } from '../../host.js';
import type { HostEvent } from '../../host-messages.js';
import type { SessionRef } from '../../storage/port/conversation.js';
import { promptIn, type ToldPrompt } from './prompts.js';
import { TurnChunks } from './turn-chunks.js';
import { eventsUntil } from './turn-position.js';
import { answerId } from './ui-chunks.js';
import { type UIMessage, UIMessageBuilder } from './ui-message.js';
import { userParts } from './user-parts.js';

/** A conversation as the messages of a chat page: the same that its streams have told. The newest, if there are many. */
export async function chatHistory(
  host: Host,
  ref: SessionRef,
  { limit = LIMITS.hostPage, signal }: { limit?: number | undefined; signal?: AbortSignal | undefined },
): Promise<UIMessage[]> {
  const session = await host.session(ref);
  if (session === undefined) return [];
  const told = new ToldMessages(Math.min(limit, LIMITS.hostPageMost));
  for await (const event of eventsUntil(host, ref, { after: 0, until: session.event, signal })) {
    const { message } = event;
    if (message.type === 'host' && message.subtype === 'missed') await recall(host, ref, told, event);
    else told.take(event);
  }
  told.end();
  return told.messages;
}

/** What is no longer kept as events, the transcript still says, if not all of it: nothing of questions and failures. */
async function recall(host: Host, ref: SessionRef, told: ToldMessages, { id, at }: HostEvent): Promise<void> {
  const messages = await host.messages(ref);
  told.recall(messages.map((message) => ({ id, at, message: asTold(message) })));
}

/** Messages of a transcript have the form of those that are told, and fewer fields. */
function asTold(message: SessionMessage): SDKMessage {
  return message as unknown as SDKMessage;
}

class ToldMessages {
  messages: UIMessage[] = [];
  readonly #limit: number;
  #turn: TurnChunks | undefined;
  #answer: UIMessageBuilder | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(event: HostEvent): void {
    const prompt = promptIn(event);
    // During a turn the agent may say something in the user's name, and the prompt may be told anew.
    if (prompt === undefined || this.#turn?.isDone === false) this.#add(event);
    else this.#begin(prompt);
  }

  /** What a transcript says. The next event may be of an earlier turn than its last: nothing counts before the next prompt. */
  recall(events: readonly HostEvent[]): void {
    for (const event of events) {
      const prompt = promptIn(event);
      if (prompt === undefined) this.#add(event);
      else this.#begin(prompt);
    }
    this.#turn = undefined;
  }

  /** As a stream leaves it that has told everything. */
  end(): void {
    const isAsking = this.#turn?.isDone === false && this.#turn.isPartlyAsking;
    const { event = 0 } = this.#answer?.message.metadata ?? {};
    if (isAsking) for (const chunk of this.#turn?.pause(event) ?? []) this.#answer?.add(chunk);
  }

  #begin({ id, content }: ToldPrompt): void {
    // The transcript has told it, and what came after it.
    const known = this.messages.findIndex((message) => message.id === id);
    if (known !== -1) this.messages.splice(known);
    this.#turn = new TurnChunks(id);
    this.#answer = undefined;
    this.#push({ id, role: 'user', metadata: { prompt: id }, parts: userParts(content) });
  }

  #add(event: HostEvent): void {
    if (this.#turn === undefined || this.#turn.isDone) return;
    const chunks = this.#turn.take(event);
    if (chunks.length === 0) return;
    if (this.#answer === undefined) {
      this.#answer = new UIMessageBuilder(answerId(this.#turn.prompt));
      for (const chunk of this.#turn.start()) this.#answer.add(chunk);
      this.#push(this.#answer.message);
    }
    this.#answer.goOn();
    for (const chunk of chunks) this.#answer.add(chunk);
    // Where a page that answers a question reads on.
    this.#answer.add({ type: 'message-metadata', messageMetadata: { event: event.id } });
  }

  #push(message: UIMessage): void {
    this.messages.push(message);
    if (this.messages.length > this.#limit) this.messages.shift();
  }
}
