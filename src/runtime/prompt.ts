import type { CacheControl, MessageParam, UserContentBlock } from '../protocol/content.js';
import type { InitializeRequest } from '../protocol/control-requests.js';
import type { RuntimeFlags } from './flags.js';
import type { ModelRequest, ModelTool } from './model.js';
import type { RuntimeTool } from './tools/tool-port.js';

const CACHED: CacheControl = { type: 'ephemeral' };

const DEFAULT_PROMPT =
  'You are an agent that helps its user by answering and by calling tools. Call a tool when it can find out or do ' +
  'what is asked; read its result before you go on. When a call fails, read why, and try otherwise or say so.';

/** The parts of the system prompt: what the host says, or the runtime's own, and what is added to either. */
export function systemPrompt(
  initialize: InitializeRequest,
  flags: RuntimeFlags,
  instructions: readonly string[],
): string[] {
  // Older clients give one string, in `initialize` or as a flag.
  const given = (initialize.systemPrompt ?? flags.systemPrompt) as string | string[] | undefined;
  const own = given === undefined ? [DEFAULT_PROMPT] : typeof given === 'string' ? [given] : given;
  const added = initialize.appendSystemPrompt ?? flags.appendSystemPrompt;
  return [...own, ...(added === undefined ? [] : [added]), ...instructions].filter((part) => part !== '');
}

/**
 * A request whose beginning stays the same from turn to turn, byte for byte: system and tools first, tools sorted by
 * name, with cache breakpoints behind each and behind the newest message.
 */
export function modelRequest(
  parameters: Omit<ModelRequest, 'system' | 'tools' | 'messages'>,
  system: readonly string[],
  tools: readonly RuntimeTool[],
  history: readonly MessageParam[],
): ModelRequest {
  const sorted = [...tools].sort((left, right) => (left.name < right.name ? -1 : 1));
  return {
    ...parameters,
    system: markLast(system.map((text) => ({ type: 'text' as const, text }))),
    tools: markLast(
      sorted.map(
        ({ name, description, inputSchema }): ModelTool => ({ name, description, input_schema: inputSchema }),
      ),
    ),
    messages: history.map((message, index) =>
      index === history.length - 1 ? withBreakpoint(message) : message,
    ),
  };
}

function markLast<Item extends object>(items: Item[]): (Item & { cache_control?: CacheControl })[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, cache_control: CACHED } : item));
}

function withBreakpoint(message: MessageParam): MessageParam {
  const { content } = message;
  const blocks: UserContentBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content as UserContentBlock[]);
  return { ...message, content: markLast(blocks) } as MessageParam;
}
