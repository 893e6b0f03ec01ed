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
  /** What the model reads after the results of the answer. */
  added?: readonly AddedText[] | undefined;
}

export interface AddedText {
  readonly text: string;
  /** The host sees it too, as a message in the user's name. */
  readonly isShown: boolean;
}

/**
 * What a call is about to touch; permissions are decided about it. `path` is as the call names it, made absolute;
 * `real` is where it leads.
 */
export type ToolAccess =
  | { readonly kind: 'read' | 'edit'; readonly path: string; readonly real: string }
  /** `offersRead`: the model could as well read files by a tool. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly cwd: string;
      readonly offersRead?: boolean;
    }
  /** `isPlain`: it is only a text, and gives the model no rights. */
  | { readonly kind: 'skill'; readonly name: string; readonly isPlain: boolean }
  /** The user has to answer, whatever rules allow. */
  | { readonly kind: 'question' };

export interface PreparedCall {
  /** Why it cannot run. The model reads it; no hook runs and nobody is asked. */
  readonly problem?: string | undefined;
  readonly access?: ToolAccess | undefined;
  /** The input as hooks, the user and the tool itself see it. Absent: as it was given. */
  readonly input?: Record<string, unknown> | undefined;
}

export interface ToolCall {
  readonly toolUseId: string;
  /** As given by the model, a hook or the host: the runtime does not check it against `inputSchema`. */
  readonly input: Record<string, unknown>;
  /** The input as the model gave it, before `prepare`, hooks and the host. Absent: as `input`. */
  readonly given?: Readonly<Record<string, unknown>> | undefined;
  /** Aborted by an interrupt or the end of the conversation. */
  readonly signal: AbortSignal;
  /** What `prepare` said of this input, and what was permitted. */
  readonly access?: ToolAccess | undefined;
  /** Only with a journal: the same for every attempt at this call, also after a restart. */
  readonly idempotencyKey?: string | undefined;
  /** Reports progress: `{ progress, total?, message? }`. */
  onProgress?(progress: Record<string, unknown>): void;
}

/** A tool of the agent, its own or a server's. */
export interface RuntimeTool {
  /** The name that the model uses. */
  readonly name: string;
  /** Earlier names, by which a model may still call it. */
  readonly aliases?: readonly string[] | undefined;
  readonly description: string;
  /** A JSON Schema of type `object`. */
  readonly inputSchema: Record<string, unknown>;
  readonly annotations?: ToolAnnotations | undefined;
  /**
   * The input as the model means it: with parameters that it left out, and numbers instead of texts. Hooks, the host and
   * the model itself see it. A call that makes no sense stays as it is; never throws.
   */
  asMeant?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** Its calls may run in parallel with others, and in plan mode. Default: false. */
  readonly isReadOnly?: boolean | undefined;
  /** Whether this call may run in parallel with others. Default: `isReadOnly`. */
  isConcurrent?(input: Readonly<Record<string, unknown>>): boolean;
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
  /** A call that may have happened may be made again. Default: as `idempotentHint` and `readOnlyHint` say. */
  readonly isRepeatable?: boolean | undefined;
  /** How many characters of a result the model reads at once. Default: `maxResultChars` of the runtime. */
  readonly maxResultChars?: number | undefined;
  /**
   * Looks at a call before any hook or question, and again if one of them changes its input. What it throws is the
   * call's problem.
   */
  prepare?(input: Readonly<Record<string, unknown>>): Promise<PreparedCall>;
  /**
   * What the model reads of an output that a hook puts in place of `detail`. Undefined: it has not the form that this
   * tool's output has, and is not used. Absent: any output is.
   */
  shown?(output: unknown): ToolOutcome['content'] | undefined;
  /** If it throws, the model reads the error; nothing ends. */
  run(call: ToolCall): Promise<ToolOutcome>;
  /** Only with a journal: whether a call has happened that was begun and never ended. If it throws, nobody knows. */
  reconcile?(call: ToolCall): Promise<ReconciledCall>;
}

export type ReconciledCall =
  | { readonly happened: true; readonly outcome: ToolOutcome }
  | { readonly happened: false };

/** Whether one of these names means the tool: by its name, or by an earlier one. */
export function isCalled({ name, aliases = [] }: RuntimeTool, names: readonly string[]): boolean {
  return [name, ...aliases].some((each) => names.includes(each));
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

/** `get-env` is shown as `Get-Env`, and `read_file` as `Read File`. */
export function titleFrom(name: string): string {
  const words = name.replaceAll(/_+/g, ' ').trim();
  return words.replaceAll(
    /(^|[^a-zA-Z0-9])([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

/** For a tool that no server has: the name the model used. The agent's own tools need no title. */
export function titleOfUnknown(name: string): ToolTitle | undefined {
  const [, tool] = /^mcp__.+?__(.+)$/.exec(name) ?? [];
  return tool === undefined ? undefined : { display_name: titleFrom(tool) };
}
