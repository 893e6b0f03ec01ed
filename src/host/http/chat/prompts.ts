import { isRecord } from '../../../protocol/base/kinds.js';
import type { HostEvent } from '../../host-messages.js';

export interface ToldPrompt {
  /** The `id` of its receipt. */
  readonly id: string;
  readonly content: unknown;
}

/** The prompt that an event tells of. Results of tools and what the agent tells itself are user messages, too. */
export function promptIn({ message }: HostEvent): ToldPrompt | undefined {
  if (message.type !== 'user' || message.parent_tool_use_id != null || message.isSynthetic) return undefined;
  const { uuid, origin } = message;
  if (uuid === undefined || (origin !== undefined && origin.kind !== 'human')) return undefined;
  const { content } = message.message;
  const isResult = (block: unknown): boolean => isRecord(block) && block.type === 'tool_result';
  return Array.isArray(content) && content.some(isResult) ? undefined : { id: uuid, content };
}
