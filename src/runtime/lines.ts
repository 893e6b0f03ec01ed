import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AssistantContentBlock, StreamEvent } from '../protocol/content.js';
import type { MessageFrame } from '../protocol/frames.js';
import type { SessionKey, SessionStoreEntry } from '../protocol/session-store.js';
import { projectsDirectory } from '../sessions/places.js';
import { type AssistantMessage, emptyCounts } from './assistant-stream.js';

/** Makes the lines that the host reads: every one with its session and an id of its own. */
export class Lines {
  readonly #send: (line: MessageFrame) => void;
  sessionId: string;
  /** The host's own ids of the messages that the turn answers, as far as they have some. */
  answered: string[] = [];

  constructor(sessionId: string, send: (line: MessageFrame) => void) {
    this.sessionId = sessionId;
    this.#send = send;
  }

  /** Returns the id of the line: its own where it has one. */
  send(line: MessageFrame): string {
    const uuid = typeof line.uuid === 'string' ? line.uuid : randomUUID();
    this.#send({ ...line, session_id: this.sessionId, uuid });
    return uuid;
  }

  /** What has come into the store, for a host that keeps a copy. It is no message, so it has no id. */
  mirror({ projectKey, sessionId }: SessionKey, entries: readonly SessionStoreEntry[]): void {
    const filePath = join(projectsDirectory(), projectKey, `${sessionId}.jsonl`);
    this.#send({ type: 'transcript_mirror', filePath, entries });
  }

  system(subtype: string, fields: object): void {
    this.send({ type: 'system', subtype, ...fields });
  }

  /** One line per block, all with the id of the message that they are parts of. */
  assistant(message: AssistantMessage, block: AssistantContentBlock, more: object = {}): string {
    return this.send({
      type: 'assistant',
      message: {
        id: message.id,
        type: 'message',
        role: 'assistant',
        model: message.model,
        // A copy: in memory the host gets this very object, and what it does to it must not change what was said.
        content: [structuredClone(block)],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...message.startUsage },
        context_management: null,
      },
      parent_tool_use_id: null,
      timestamp: new Date().toISOString(),
      ...more,
    });
  }

  /** Words of the runtime itself in the place of an answer that did not come. Returns their `stop_reason`. */
  synthetic(text: string, more: object): string {
    const stop_reason = 'stop_sequence';
    this.send({
      type: 'assistant',
      message: {
        id: randomUUID(),
        type: 'message',
        role: 'assistant',
        model: '<synthetic>',
        content: [{ type: 'text', text }],
        stop_reason,
        stop_sequence: '',
        usage: {
          ...emptyCounts(),
          server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
          service_tier: null,
          cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
        },
        context_management: null,
      },
      parent_tool_use_id: null,
      timestamp: new Date().toISOString(),
      ...more,
    });
    return stop_reason;
  }

  user(content: unknown, more: object = {}): string {
    return this.send({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      timestamp: new Date().toISOString(),
      ...more,
    });
  }

  /** Which messages a line answers. */
  answeredFields(): object {
    const [first] = this.answered;
    return first === undefined ? {} : { user_message_uuid: first, user_message_uuids: [...this.answered] };
  }

  /** How far a message of the host has come; only the host's own id says which. */
  lifecycle({ uuid }: MessageFrame, state: 'queued' | 'started' | 'completed'): void {
    if (typeof uuid === 'string') this.send({ type: 'command_lifecycle', command_uuid: uuid, state });
  }

  streamEvent(event: StreamEvent, apiMessageId: string): void {
    this.send({ type: 'stream_event', event, parent_tool_use_id: null, api_message_id: apiMessageId });
  }
}
