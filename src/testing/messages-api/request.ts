import { deepFreeze } from '../deep-freeze.js';

/** The body of a `POST /v1/messages`, as far as a test usually asks. Everything else the client sent is there too. */
export interface MessagesRequestBody {
  readonly model?: string;
  readonly max_tokens?: number;
  readonly stream?: boolean;
  readonly system?: string | readonly RequestBlock[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly RequestBlock[] }[];
  readonly tools?: readonly { readonly name: string; readonly [key: string]: unknown }[];
  readonly [key: string]: unknown;
}

/** A content block of a request. */
export interface RequestBlock {
  readonly type: string;
  readonly text?: string;
  readonly [key: string]: unknown;
}

/** The outcome of a tool, as the client reported it to the model. */
export interface ToolResultBlock extends RequestBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly RequestBlock[];
  readonly is_error?: boolean;
}

/** A recorded model request. It is frozen in depth. */
export interface ScriptedRequest {
  /** Position among the requests of its kind, from 0. */
  readonly index: number;
  readonly body: MessagesRequestBody;
  /** The headers that say something about the client: `anthropic-*`, `x-*`, `user-agent`, `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * What the user said last: the text of the latest user message that is not an answer of tools. Blocks that are a
   * `<system-reminder>` of the CLI are left out. Empty if there is none.
   */
  readonly lastUserText: string;
  /** The names in `tools`, in order. */
  readonly toolNames: readonly string[];
  /** The tool results in the last user message. */
  readonly toolResults: readonly ToolResultBlock[];
  /** The system prompt as one text, system messages inside the conversation included. */
  readonly system: string;
}

/** Parses a body and derives the helpers. Throws a `TypeError` that says what is wrong with the body. */
export function readRequest(
  json: string,
  headers: Readonly<Record<string, string>>,
  index: number,
): ScriptedRequest {
  const body = parseBody(json);
  const userMessages = body.messages.filter((message) => message.role === 'user').map(contentBlocks);
  const spoken = userMessages.findLast((blocks) => !blocks.some(isToolResult) && ownText(blocks) !== '');
  return deepFreeze({
    index,
    body,
    headers,
    lastUserText: ownText(spoken ?? []),
    toolNames: (body.tools ?? []).map((tool) => tool.name),
    toolResults: (userMessages.at(-1) ?? []).filter(isToolResult),
    system: [
      ...asBlocks(body.system ?? []),
      // Newer CLIs tell a part of the system prompt in messages of the role `system`.
      ...body.messages.filter((message) => message.role === 'system').flatMap(contentBlocks),
    ]
      .map((block) => block.text ?? '')
      .join('\n\n'),
  });
}

/** The headers worth recording. */
export function headersOfInterest(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const interesting = /^(anthropic-.+|x-.+|user-agent|authorization)$/;
  const kept = Object.entries(headers).filter(([name]) => interesting.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function parseBody(json: string): MessagesRequestBody {
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch (error) {
    throw new TypeError('the body is not JSON', { cause: error });
  }
  if (typeof body !== 'object' || body === null || !('messages' in body) || !Array.isArray(body.messages)) {
    throw new TypeError('messages: Field required');
  }
  // The one place that trusts the client: a test kit need not prove the schema of a request it only quotes.
  return body as MessagesRequestBody;
}

function contentBlocks(message: {
  readonly content: string | readonly RequestBlock[];
}): readonly RequestBlock[] {
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
  return texts.filter((words) => !words.trimStart().startsWith('<system-reminder>')).join('\n');
}
