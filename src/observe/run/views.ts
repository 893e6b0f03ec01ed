/*
 * What people are shown of a run: the same values in the page, in the terminal, in `explainToolCall()` and in exports.
 * Everything in this folder is made of the lines of a tape alone, live or from a file, and needs neither Node nor a
 * browser. Times are milliseconds since the start of the tape.
 */

/** What somebody waited for. `person`: a permission, a question or an elicitation that a host answers. */
export type SpanKind = 'turn' | 'model' | 'tool' | 'person' | 'hook' | 'subagent' | 'compaction';

/** `cut`: it was still open when the run ended. */
export type SpanStatus = 'open' | 'ok' | 'error' | 'cut';

export interface Span {
  /** Unique in the run, and the same whenever the same tape is read: `tool:toolu_01`. */
  readonly id: string;
  /** The turn of a call, the subagent of its calls, the call that a permission or a hook belongs to. */
  readonly parent: string | undefined;
  readonly kind: SpanKind;
  /** The model, the tool as the model calls it, the hook's event, the subagent's type. */
  readonly name: string;
  readonly start: number;
  /** Undefined while it is open. */
  readonly end: number | undefined;
  readonly status: SpanStatus;
  /** The `n` of the frames with which it began and ended, where frames told of it. */
  readonly firstFrame: number | undefined;
  readonly lastFrame: number | undefined;
  /** Input and output where there are any, and facts: `attempts`, `firstTokenMs`, `inputTokens`, `error`, `decision` … */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Time in which nothing was open: the program, or its user, had the word. */
export interface Gap {
  readonly start: number;
  readonly end: number;
}

export interface Timeline {
  /** In the order of their starts. */
  readonly spans: readonly Span[];
  /** Longer than a second; to be folded. */
  readonly gaps: readonly Gap[];
  /** The spans that determined how long each turn took, in order: shortening another one would not have helped. */
  readonly criticalPath: readonly string[];
  /** The sum of each kind on the critical path, and `other` for what no span accounts for. */
  readonly criticalMs: Readonly<Record<SpanKind | 'other', number>>;
  readonly duration: number;
}

/** In this order; the first that is not `done` is why a tool was not called, or gave nothing. */
export type FunnelStepName =
  | 'defined'
  | 'connected'
  | 'listed'
  | 'visible'
  | 'in the prompt'
  | 'requested'
  | 'permitted'
  | 'ran'
  | 'result';

export interface FunnelStep {
  readonly name: FunnelStepName;
  /** `unknown`: the tape does not tell. `waiting`: the run is not over, and it may still come. */
  readonly state: 'done' | 'broken' | 'waiting' | 'unknown' | 'not reached';
  /** One sentence about what was seen. */
  readonly detail: string;
  /** The frame that shows it. */
  readonly frame: number | undefined;
}

/** Why a tool was, or was not, called. */
export interface ToolFunnel {
  /** As the model calls it: `mcp__shop__stock`. */
  readonly tool: string;
  /** Undefined for the agent's own tools. */
  readonly server: string | undefined;
  readonly description: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>> | undefined;
  readonly steps: readonly FunnelStep[];
  /** Undefined if every step is done, or nothing is known to be wrong. */
  readonly broken:
    | { readonly step: FunnelStepName; readonly reason: string; readonly remedy: string }
    | undefined;
  /** Span ids of its calls. */
  readonly calls: readonly string[];
  readonly failed: number;
}

/** Why a run stopped, in the words of the banner. */
export interface StopReason {
  readonly state: 'running' | 'waiting' | 'finished' | 'failed' | 'stopped';
  /** One line: `Finished: end_turn`, `The program was killed (SIGKILL) while 2 requests were open`. */
  readonly title: string;
  /** `failure`, denials, exit code, the last of stderr, requests that were still open: one per line, in order of use. */
  readonly details: readonly string[];
}

/** One message of the conversation. */
export interface ShownMessage {
  readonly frame: number;
  readonly t: number;
  readonly role: 'user' | 'assistant' | 'system' | 'result';
  /** The subagent that it belongs to (its `tool_use` id). */
  readonly parent: string | undefined;
  readonly blocks: readonly ShownBlock[];
  /** What is worth a word beside it: a model, a stop reason, an error. */
  readonly note: string | undefined;
}

export interface ShownBlock {
  readonly kind: 'text' | 'thinking' | 'tool_use' | 'tool_result' | 'image' | 'other';
  readonly text: string;
  /** For calls and results: the tool, and the id that joins the two. */
  readonly tool?: string | undefined;
  readonly toolUseId?: string | undefined;
  readonly isError?: boolean | undefined;
  readonly value?: unknown;
}

/** One request to a model. */
export interface ModelRequest {
  /** 0, 1, 2 … in the run. */
  readonly index: number;
  readonly span: string;
  readonly model: string;
  readonly start: number;
  readonly end: number | undefined;
  /** Of a subagent: its `tool_use` id. */
  readonly parent: string | undefined;
  readonly usage: TokenUsage | undefined;
  /** Undefined if the price is not known. */
  readonly costUsd: number | undefined;
  readonly error: string | undefined;
  /** What the model saw: only where the tape has it (embedded runtime; CLI with its request bodies). */
  readonly hasContext: boolean;
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What the model saw in one request. */
export interface RequestContext {
  readonly request: ModelRequest;
  readonly system: readonly string[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: unknown;
  }[];
  readonly messages: readonly {
    readonly role: string;
    readonly blocks: readonly ShownBlock[];
    /** Whether the request before had it, too, in the same place. */
    readonly isNew: boolean;
  }[];
  /** What changed since the request before: `tools: + mcp__shop__stock`, `system[0] changed`. */
  readonly changes: readonly string[];
}

export interface CostReport {
  readonly requests: readonly ModelRequest[];
  readonly total: TokenUsage;
  /** What the result says; undefined if there was none yet, or it says nothing. */
  readonly reportedUsd: number | undefined;
  /** By model, from `modelUsage` of the result. `costUsd` undefined: the price is not known. */
  readonly models: readonly {
    readonly model: string;
    readonly usage: TokenUsage;
    readonly costUsd: number | undefined;
  }[];
  /** An estimate of what each tool's results and calls put into the context, in characters. */
  readonly tools: readonly {
    readonly tool: string;
    readonly calls: number;
    readonly resultChars: number;
    readonly ms: number;
  }[];
}

/** What differs between two runs. */
export interface RunComparison {
  /** In order of weight: tools and their descriptions, options, prompts, answers. The first explains the most. */
  readonly differences: readonly {
    readonly where: string;
    readonly left: string;
    readonly right: string;
  }[];
  /** Rows of a table: `duration`, `requests`, `input tokens`, `cost` … */
  readonly figures: readonly { readonly name: string; readonly left: string; readonly right: string }[];
}

/** The one line above everything, and in the terminal: the same numbers everywhere. */
export interface RunTotals {
  readonly durationMs: number;
  /** The model's answers outside of subagents: what `tenon run` and `--max-turns` count. */
  readonly turns: number;
  readonly requests: number;
  readonly calls: number;
  readonly usage: TokenUsage;
  readonly costUsd: number | undefined;
  readonly frames: number;
}
