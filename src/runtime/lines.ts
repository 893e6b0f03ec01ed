import { randomUUID } from 'node:crypto';
import type { AssistantContentBlock, StreamEvent } from '../protocol/content.js';
import type { MessageFrame } from '../protocol/frames.js';
import type { AssistantMessage } from './assistant-stream.js';

/** Makes the lines that the host reads: every one with its session and an id of its own. */
export class Lines {
  readonly #send: (line: MessageFrame) => void;
  sessionId: string;

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

  user(content: unknown, more: object = {}): string {
    return this.send({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      timestamp: new Date().toISOString(),
      ...more,
    });
  }

  /** How far a message of the host has come; only the host's own id says which. */
  lifecycle({ uuid }: MessageFrame, state: 'queued' | 'started' | 'completed'): void {
    if (typeof uuid === 'string') this.send({ type: 'command_lifecycle', command_uuid: uuid, state });
  }

  streamEvent(event: StreamEvent, apiMessageId: string): void {
    this.send({ type: 'stream_event', event, parent_tool_use_id: null, api_message_id: apiMessageId });
  }
}
