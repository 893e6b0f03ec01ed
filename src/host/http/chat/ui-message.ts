// A message of a chat page (`UIMessage` of the AI SDK), made of the chunks that a stream would tell of it.

import { permissionIn } from '../given-answer.js';
import type { ChatMetadata, UIChunk } from './ui-chunks.js';

export interface UIMessage {
  id: string;
  role: 'user' | 'assistant';
  metadata?: ChatMetadata;
  parts: UIPart[];
}

export interface ToolPart {
  type: 'dynamic-tool';
  toolName: string;
  toolCallId: string;
  providerExecuted: true;
  state:
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied';
  input?: unknown;
  output?: unknown;
  errorText?: string;
  approval?: { id: string; approved?: boolean; reason?: string };
}

interface TextPart {
  type: 'text' | 'reasoning';
  /** Only thoughts have one. */
  id?: string;
  text: string;
  state?: 'streaming' | 'done';
}

export type UIPart =
  | TextPart
  | ToolPart
  | { type: 'file'; mediaType: string; url: string; filename?: string }
  | { type: 'step-start' }
  | Extract<UIChunk, { type: `data-${string}` }>;

/** Makes the answer of a turn from its chunks. */
export class UIMessageBuilder {
  readonly message: UIMessage;
  readonly #texts = new Map<string, TextPart>();

  constructor(id: string) {
    this.message = { id, role: 'assistant', parts: [] };
  }

  add(chunk: UIChunk): void {
    const { message } = this;
    switch (chunk.type) {
      case 'start':
      case 'message-metadata':
        message.metadata = { ...message.metadata, ...chunk.messageMetadata };
        break;
      case 'start-step':
        message.parts.push({ type: 'step-start' });
        break;
      case 'text-start':
      case 'reasoning-start':
        this.#beginText(chunk.type === 'text-start' ? 'text' : 'reasoning', chunk.id);
        break;
      case 'text-delta':
      case 'reasoning-delta':
        this.#writeText(chunk.id, chunk.delta);
        break;
      case 'text-end':
      case 'reasoning-end':
        this.#endText(chunk.id);
        break;
      // Who loads the conversation has not seen what is void.
      case 'data-resumed':
        message.parts = [];
        break;
      case 'data-approval':
        this.#decide(chunk);
        this.#putData(chunk);
        break;
      case 'data-parked':
      case 'data-queued':
        this.#putData(chunk);
        break;
      default:
        if ('toolCallId' in chunk) this.#tool(chunk);
    }
  }

  /** There is more: it is no longer stopped. */
  goOn(): void {
    const { message } = this;
    const isStale = ({ type }: UIPart): boolean => type === 'data-parked';
    if (message.parts.some(isStale)) message.parts = message.parts.filter((part) => !isStale(part));
  }

  #beginText(type: TextPart['type'], id: string): void {
    const name = type === 'reasoning' ? { id } : {};
    const part: TextPart = { type, ...name, text: '', state: 'streaming' };
    this.#texts.set(id, part);
    this.message.parts.push(part);
  }

  #writeText(id: string, delta: string): void {
    const part = this.#texts.get(id);
    if (part !== undefined) part.text += delta;
  }

  #endText(id: string): void {
    const part = this.#texts.get(id);
    if (part !== undefined) part.state = 'done';
    this.#texts.delete(id);
  }

  #putData(chunk: Extract<UIChunk, { type: `data-${string}` }>): void {
    const { parts } = this.message;
    const index = parts.findIndex((part) => part.type === chunk.type && 'id' in part && part.id === chunk.id);
    if (index === -1) parts.push(chunk);
    else parts[index] = chunk;
  }

  /** A stream cannot say what was decided, and a message that is loaded must. */
  #decide({ id, data }: Extract<UIChunk, { type: 'data-approval' }>): void {
    const call = this.message.parts.find((part) => part.type === 'dynamic-tool' && part.approval?.id === id);
    if (call?.type !== 'dynamic-tool') return;
    if (data.state === 'withdrawn') delete call.approval;
    if (data.answer === undefined) return;
    const permission = permissionIn(data.answer);
    const isDenied = permission?.behavior === 'deny';
    call.approval = { id, approved: !isDenied, ...(isDenied ? { reason: permission.message } : {}) };
    call.state = 'approval-responded';
  }

  #tool(chunk: Extract<UIChunk, { toolCallId: string }>): void {
    const { parts } = this.message;
    const known = parts.findLast(
      (part) => part.type === 'dynamic-tool' && part.toolCallId === chunk.toolCallId,
    );
    if ('toolName' in chunk && known === undefined) {
      const { toolName, toolCallId, providerExecuted } = chunk;
      const part: ToolPart = {
        type: 'dynamic-tool',
        toolName,
        toolCallId,
        providerExecuted,
        state: 'input-streaming',
      };
      parts.push(part);
      changeTool(part, chunk);
    } else if (known?.type === 'dynamic-tool') changeTool(known, chunk);
  }
}

/** What is still being written of an input is left out: nobody could use half of it. */
function changeTool(part: ToolPart, chunk: Extract<UIChunk, { toolCallId: string }>): void {
  switch (chunk.type) {
    case 'tool-input-available':
      if (part.approval === undefined) part.state = 'input-available';
      part.input = chunk.input;
      return;
    case 'tool-approval-request':
      part.state = 'approval-requested';
      part.approval = { id: chunk.approvalId };
      return;
    case 'tool-output-available':
      part.state = 'output-available';
      part.output = chunk.output;
      return;
    case 'tool-output-error':
      part.state = 'output-error';
      part.errorText = chunk.errorText;
      if (part.approval?.approved === undefined) delete part.approval;
      return;
    case 'tool-output-denied':
      part.state = 'output-denied';
      return;
  }
}
