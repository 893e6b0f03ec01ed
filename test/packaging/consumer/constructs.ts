// A program for the official SDK that makes messages itself, from what its own `@anthropic-ai/sdk` gives, and hands
// messages of the agent to functions that take the types of that package.
import type {
  NonNullableUsage,
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources';
import type {
  BetaContentBlock,
  BetaMessage,
  BetaRawMessageStreamEvent,
  BetaUsage,
} from '@anthropic-ai/sdk/resources/beta/messages/messages.mjs';

const ids = { uuid: '0-0-0-0-0', session_id: 'a', parent_tool_use_id: null } as const;

export const assistant = (message: BetaMessage): SDKAssistantMessage => ({
  type: 'assistant',
  message,
  ...ids,
});
export const partial = (event: BetaRawMessageStreamEvent): SDKPartialAssistantMessage => ({
  type: 'stream_event',
  event,
  ...ids,
});
export const user = (message: MessageParam): SDKUserMessage => ({ type: 'user', message, ...ids });

/** Every field that this release of the package has, and no other. */
type Complete = {
  [K in keyof BetaUsage]: K extends 'fallback_credit' ? BetaUsage[K] : NonNullable<BetaUsage[K]>;
};
export const usage = (counted: Complete): NonNullableUsage => counted;

export const spoken = ({ message }: SDKAssistantMessage): BetaMessage => message;
export const blocks = ({ message }: SDKAssistantMessage): BetaContentBlock[] => message.content;
export const streamed = ({ event }: SDKPartialAssistantMessage): BetaRawMessageStreamEvent => event;
export const said = ({ message }: SDKUserMessage): MessageParam => message;
export const counted = ({ usage }: SDKResultMessage): BetaUsage => ({ ...usage });

/** An import that was not found would be `any`, and fit everywhere. */
type IsAny<T> = 0 extends 1 & T ? true : false;
export const found: IsAny<BetaMessage> | IsAny<MessageParam> | IsAny<SDKAssistantMessage['message']> = false;
