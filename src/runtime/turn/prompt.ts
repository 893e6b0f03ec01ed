import type { CacheControl, MessageParam, UserContentBlock } from '../../protocol/wire/content.js';
import type { InitializeRequest } from '../../protocol/wire/control-requests.js';
import type { ModelRequest, ModelTool } from '../model.js';
import type { RuntimeFlags } from '../start/flags.js';

const CACHED: CacheControl = { type: 'ephemeral' };

const DEFAULT_PROMPT =
  'You are an agent that helps its user by answering and by calling tools. Call a tool when it can find out or do ' +
  'what is asked; read its result before you go on. When a call fails, read why, and try otherwise or say so.';

/** The parts of the system prompt: the host's or the runtime's own, and what is appended to it. */
export function systemPrompt(
  initialize: InitializeRequest,
  flags: RuntimeFlags,
  instructions: readonly string[],
): string[] {
  const own = initialize.systemPrompt ?? [flags.systemPrompt ?? DEFAULT_PROMPT];
  const added = initialize.appendSystemPrompt ?? flags.appendSystemPrompt;
  return [...own, ...(added === undefined ? [] : [added]), ...instructions].filter((part) => part !== '');
}

/**
 * A request that starts with the same bytes in every turn: first the system prompt and the tools (sorted),
 * with cache breakpoints after each of them and after the newest message.
 */
export function modelRequest(
  parameters: Omit<ModelRequest, 'system' | 'tools' | 'messages'>,
  system: readonly string[],
  tools: readonly ModelTool[],
  history: readonly MessageParam[],
): ModelRequest {
  const last = history.at(-1);
  return {
    ...parameters,
    system: markLast(system.map((text) => ({ type: 'text' as const, text }))),
    tools: markLast(tools),
    messages: last === undefined ? [] : [...history.slice(0, -1), withBreakpoint(last)],
  };
}

function markLast<Item extends object>(items: readonly Item[]): (Item & { cache_control?: CacheControl })[] {
  const last = items.at(-1);
  return last === undefined ? [] : [...items.slice(0, -1), { ...last, cache_control: CACHED }];
}

function withBreakpoint(message: MessageParam): MessageParam {
  const { content } = message;
  const blocks: UserContentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as UserContentBlock[]);
  return { ...message, content: markLast(blocks) } as MessageParam;
}
