// biome-ignore-all lint/suspicious/noTsIgnore: there is no error here, where the package is installed.

// What messages carry of the Messages API, in the types of the consumer's own `@anthropic-ai/sdk`. A program that has
// that package makes messages from its values and hands them to functions that take its types; with shapes of ours it
// would have to have the release that they were written from. Who does not have the package gets our shapes.

import type { AssistantMessageBody, MessageParam, StreamEvent, Usage } from './content.js';

// Each on one line, and in a comment that stays in the declarations: it covers the next line, for consumers without the
// package. What cannot be imported is `any`.
/** @ts-ignore */
type PeerMessage = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaMessage;
/** @ts-ignore */
type PeerEvent = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaRawMessageStreamEvent;
/** @ts-ignore */
type PeerUsage = import('@anthropic-ai/sdk/resources/beta/messages/messages.mjs').BetaUsage;
/** @ts-ignore */
type PeerParam = import('@anthropic-ai/sdk/resources').MessageParam;

// In brackets: what cannot be imported, compared by itself, makes the whole type `any`.
type OrOwn<Theirs, Own> = [0] extends [1 & Theirs] ? Own : Theirs;

/** `BetaMessage` of your `@anthropic-ai/sdk`; without that package, `AssistantMessageBody`. */
export type ApiMessage = OrOwn<PeerMessage, AssistantMessageBody>;
/** `BetaRawMessageStreamEvent` of your `@anthropic-ai/sdk`; without that package, `StreamEvent`. */
export type ApiStreamEvent = OrOwn<PeerEvent, StreamEvent>;
/** `BetaUsage` of your `@anthropic-ai/sdk`; without that package, `Usage`. */
export type ApiUsage = OrOwn<PeerUsage, Usage>;
/** `MessageParam` of your `@anthropic-ai/sdk`; without that package, `MessageParam` of this one. */
export type ApiMessageParam = OrOwn<PeerParam, MessageParam>;
