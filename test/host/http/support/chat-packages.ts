/** The real packages of the AI SDK that chat pages are made with: the newest line, and the one before it. */
import * as aiV6 from '../../../chat/node_modules/ai/dist/index.mjs';
import * as reactV3 from '../../../chat/node_modules/react-v3/dist/index.mjs';
import * as reactV4 from '../../../chat/node_modules/react-v4/dist/index.js';
import * as aiV7 from '../../../chat/node_modules/react-v4/node_modules/ai/dist/index.js';

export type UIMessage = aiV6.UIMessage;
export type UIPart = UIMessage['parts'][number];

type Ai = typeof aiV6;
type React = typeof reactV3;

export interface ChatLine {
  readonly name: string;
  readonly ai: Ai;
  readonly react: React;
}

/** What we use of them has the same types in both. */
export const LINES: readonly ChatLine[] = [
  { name: 'AI SDK 7', ai: aiV7 as unknown as Ai, react: reactV4 as unknown as React },
  { name: 'AI SDK 6', ai: aiV6, react: reactV3 },
];

export type Chat = InstanceType<React['Chat']>;

/** What `useChat` has inside, without a page around it. */
export function chatOf(
  { ai, react }: ChatLine,
  origin: string,
  { id = 'user-7', messages = [] }: { id?: string; messages?: UIMessage[] } = {},
): Chat {
  return new react.Chat({
    id,
    messages,
    transport: new ai.DefaultChatTransport({ api: `${origin}/chat` }),
    sendAutomaticallyWhen: ai.lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}

/** The messages that a page is loaded with. */
export async function loaded(origin: string, id = 'user-7'): Promise<UIMessage[]> {
  const response = await fetch(`${origin}/chat/${id}/messages`);
  return (await response.json()) as UIMessage[];
}

/** Parts as words. */
export function words(message: UIMessage | undefined): string[] {
  return (message?.parts ?? []).flatMap((part): string[] => {
    if (part.type === 'text' || part.type === 'reasoning') return [`${part.type}: ${part.text}`];
    if (part.type === 'dynamic-tool') {
      const { toolName, state, input } = part;
      const outcome = 'output' in part && part.output !== undefined ? [JSON.stringify(part.output)] : [];
      const error = part.errorText === undefined ? [] : [part.errorText];
      return [[toolName, JSON.stringify(input), state, ...outcome, ...error].join(' ')];
    }
    return part.type === 'step-start' ? [] : [part.type];
  });
}

/** What a message that was streamed and one that is loaded have in common: a stream cannot say what was decided. */
export function comparable(message: UIMessage | undefined): unknown {
  if (message === undefined) return undefined;
  const { id, role, parts } = JSON.parse(JSON.stringify(message)) as UIMessage;
  const plain = parts.map((part) => {
    const { approval, rawInput, errorText, ...rest } = part as Record<string, unknown>;
    return { ...rest, ...(errorText === undefined ? {} : { errorText }), isAsked: approval !== undefined };
  });
  return { id, role, parts: plain };
}
