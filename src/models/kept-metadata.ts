import type { KeptMetadata, MessageParam } from '../protocol/wire/content.js';

export function keptMetadata(block: object): KeptMetadata | undefined {
  return (block as { provider_metadata?: KeptMetadata }).provider_metadata;
}

/**
 * The messages for a model that knows no such metadata: without it, and without thoughts of other models, whose
 * signatures it would refuse. The same array where there is nothing to leave out.
 */
export function withoutMetadata(messages: readonly MessageParam[]): readonly MessageParam[] {
  const hasAny = ({ content }: MessageParam): boolean =>
    typeof content !== 'string' && content.some((block) => keptMetadata(block) !== undefined);
  if (!messages.some(hasAny)) return messages;
  return messages
    .map((message) => (hasAny(message) ? stripped(message) : message))
    .filter(({ content }) => content.length > 0);
}

function stripped(message: MessageParam): MessageParam {
  const content = (message.content as object[]).flatMap((block) => {
    if (keptMetadata(block) === undefined) return [block];
    const { provider_metadata: _, ...rest } = block as { provider_metadata: unknown; type: string };
    return rest.type === 'thinking' || rest.type === 'redacted_thinking' ? [] : [rest];
  });
  return { ...message, content } as MessageParam;
}
