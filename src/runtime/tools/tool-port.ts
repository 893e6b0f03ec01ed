import type { ToolResultBlockParam } from '../../protocol/content.js';
import type { McpServerProvenance, McpServerToolPolicy, ToolAnnotations } from '../../protocol/mcp.js';
import type { ToolTitle } from './tool-title.js';

/** What running a tool gave: what the model reads, and what the host is told beside it. */
export interface ToolOutcome {
  content: NonNullable<ToolResultBlockParam['content']>;
  isError: boolean;
  /** `tool_use_result` of the line. */
  detail: unknown;
  /** Whoever ran it has left: whether it has had an effect is not known. */
  wasCut?: true;
}

export interface ToolCall {
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** The tool says how far it is. */
  onProgress?(progress: Record<string, unknown>): void;
}

/** A tool of the agent, the runtime's own or a server's. */
export interface RuntimeTool {
  /** As the model calls it. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly annotations: ToolAnnotations;
  /** Its calls may run beside others. */
  readonly isReadOnly: boolean;
  /** Nobody is asked: it does nothing to the world. */
  readonly needsNoPermission: boolean;
  readonly server: McpServerProvenance | undefined;
  /** Of a server's tool. */
  readonly title?: ToolTitle;
  readonly policy: McpServerToolPolicy['permission_policy'];
  /** May stay out of the prompt until it is searched for. */
  readonly isDeferrable?: boolean;
  /** Further words by which it is found. */
  readonly searchHint?: string | undefined;
  run(call: ToolCall): Promise<ToolOutcome>;
}

export function failedOutcome(text: string): ToolOutcome {
  return { content: text, isError: true, detail: `Error: ${text}` };
}

/** What holds for each of the runtime's own tools: they look something up, or take an answer, and change nothing. */
export const OWN_TOOL = {
  annotations: { readOnlyHint: true },
  isReadOnly: true,
  needsNoPermission: true,
  server: undefined,
  policy: undefined,
} as const;
