import type {
  CallToolResult,
  McpServerProvenance,
  McpServerToolPolicy,
  ToolAnnotations,
} from '../../mcp/types.js';
import type { ToolResultBlockParam } from '../../protocol/wire/content.js';

/** The outcome of a call: what the model reads, and the details for the host. */
export interface ToolOutcome {
  content: NonNullable<ToolResultBlockParam['content']>;
  isError?: boolean | undefined;
  /** The `tool_use_result` of the host's message. Default: the content. */
  detail?: unknown;
  /** The MCP result, for middleware; the other fields are what it means for the model and the host. */
  result?: CallToolResult | undefined;
  /** The server went away during the call, so whether it had an effect is unknown. */
  wasCut?: true;
}

export interface ToolCall {
  readonly toolUseId: string;
  /** As given by the model, a hook or the host: the runtime does not check it against `inputSchema`. */
  readonly input: Record<string, unknown>;
  /** Aborted by an interrupt or the end of the conversation. */
  readonly signal: AbortSignal;
  /** Reports progress: `{ progress, total?, message? }`. */
  onProgress?(progress: Record<string, unknown>): void;
}

/** A tool of the agent, its own or a server's. */
export interface RuntimeTool {
  /** The name that the model uses. */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of type `object`. */
  readonly inputSchema: Record<string, unknown>;
  readonly annotations?: ToolAnnotations | undefined;
  /** Its calls may run in parallel with others, and in plan mode. Default: false. */
  readonly isReadOnly?: boolean | undefined;
  /** Runs without a rule or a question, because it has no effects. Default: false. */
  readonly needsNoPermission?: boolean | undefined;
  /** The MCP server it belongs to. */
  readonly server?: McpServerProvenance | undefined;
  readonly title?: ToolTitle | undefined;
  /** The policy in the server's configuration. */
  readonly policy?: McpServerToolPolicy['permission_policy'];
  /** May be left out of the prompt until it is searched for. */
  readonly isDeferrable?: boolean | undefined;
  /** Additional words for the search. */
  readonly searchHint?: string | undefined;
  /** How many characters of a result the model reads at once. Default: `maxResultChars` of the runtime. */
  readonly maxResultChars?: number | undefined;
  /** If it throws, the model reads the error; nothing ends. */
  run(call: ToolCall): Promise<ToolOutcome>;
}

export function failedOutcome(text: string): ToolOutcome {
  return { content: text, isError: true, detail: `Error: ${text}` };
}

/** Common to the runtime's own tools: they look something up, or take an answer, and change nothing. */
export const OWN_TOOL = {
  annotations: { readOnlyHint: true },
  isReadOnly: true,
  needsNoPermission: true,
} as const;

/** How a tool is shown to people, in the fields of `tool_use_meta`. */
export interface ToolTitle {
  display_name: string;
  server_display_name?: string;
  tool_name?: string;
}

/** `get-env` is shown as `Get-Env`. */
export function titleFrom(name: string): string {
  return name.replaceAll(
    /(^|[^a-zA-Z0-9])([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

/** For a tool that no server has: the name the model used. The agent's own tools need no title. */
export function titleOfUnknown(name: string): ToolTitle | undefined {
  const [, tool] = /^mcp__.+?__(.+)$/.exec(name) ?? [];
  return tool === undefined ? undefined : { display_name: titleFrom(tool) };
}
