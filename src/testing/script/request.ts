import { deepFreeze } from './deep-freeze.js';

/**
 * A request of the Messages API, with the fields that tests usually need. Everything else sent is included
 * too.
 */
export interface MessagesRequestBody {
  readonly model?: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly system?: string | readonly RequestBlock[];
  readonly messages: readonly RequestMessage[];
  readonly tools?: readonly RequestTool[];
  readonly [key: string]: unknown;
}

/** A message of a request. */
export interface RequestMessage {
  readonly role: string;
  readonly content: string | readonly RequestBlock[];
}

/** A tool that a request offers to the model. */
export interface RequestTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

/** A content block of a request. */
export interface RequestBlock {
  readonly type: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** The result of a tool, as the agent reported it to the model. */
export interface ToolResultBlock extends RequestBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly RequestBlock[];
  readonly is_error?: boolean;
}

/** A request that the model received, whichever back end made it. Deeply frozen. */
export interface ScriptedRequest {
  /** The position among the requests of its kind, from 0. */
  readonly index: number;
  /** Everything that was sent, in the format of the Messages API. */
  readonly body: MessagesRequestBody;
  /**
   * The headers that describe the client: `anthropic-*`, `x-*`, `user-agent`, `authorization`. Empty for a
   * `scriptedModel()`, which does not use HTTP.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** The model that was requested. */
  readonly model: string | undefined;
  /** The conversation so far. */
  readonly messages: readonly RequestMessage[];
  /** The tools that were offered. */
  readonly tools: readonly RequestTool[];
  /**
   * What the user said last: the text of the latest user message that does not contain tool results. The
   * CLI's `<system-reminder>` blocks are left out. Empty if there is none.
   */
  readonly lastUserText: string;
  /** The names in `tools`, in order. */
  readonly toolNames: readonly string[];
  /** The tool results in the last user message. */
  readonly toolResults: readonly ToolResultBlock[];
  /** The result of one call, from anywhere in the conversation. */
  toolResult(toolUseId: string): ToolResultBlock | undefined;
  /** The system prompt as one text, including system messages inside the conversation. */
  readonly system: string;
}

/** The record of a request: its body, frozen, with the helpers derived from it. */
export function recordRequest(
  body: MessagesRequestBody,
  headers: Readonly<Record<string, string>>,
  index: number,
): ScriptedRequest {
  const { model, messages, tools = [] } = body;
  const userMessages = messages.filter((message) => message.role === 'user').map(contentBlocks);
  const prompt = userMessages.findLast((blocks) => !blocks.some(isToolResult) && ownText(blocks) !== '');
  return deepFreeze({
    index,
    body,
    headers,
    model,
    messages,
    tools,
    lastUserText: ownText(prompt ?? []),
    toolNames: tools.map((tool) => tool.name),
    toolResults: (userMessages.at(-1) ?? []).filter(isToolResult),
    toolResult: (id) =>
      userMessages
        .flat()
        .filter(isToolResult)
        .findLast((result) => result.tool_use_id === id),
    system: systemText(body),
  });
}

function systemText({ system = [], messages }: MessagesRequestBody): string {
  const blocks = [
    ...asBlocks(system),
    // Newer CLIs send part of the system prompt in messages with the role `system`.
    ...messages.filter((message) => message.role === 'system').flatMap(contentBlocks),
  ];
  return blocks.map((block) => block.text ?? '').join('\n\n');
}

function contentBlocks(message: RequestMessage): readonly RequestBlock[] {
  return asBlocks(message.content);
}

function asBlocks(content: string | readonly RequestBlock[]): readonly RequestBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function isToolResult(block: RequestBlock): block is ToolResultBlock {
  return block.type === 'tool_result';
}

function ownText(blocks: readonly RequestBlock[]): string {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []));
  return texts.filter((text) => !text.trimStart().startsWith('<system-reminder>')).join('\n');
}
