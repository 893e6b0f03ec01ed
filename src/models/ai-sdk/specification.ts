// What the adapter needs of a language model of the AI SDK family. The specifications V2, V3 and V4 differ in a few
// places, which are told apart by `specificationVersion` and by shape; no package of theirs is imported.

export type JsonObject = { [key: string]: unknown };

/** By provider: `{ anthropic: { signature: '…' } }`. */
export type ProviderMetadata = Record<string, JsonObject>;

/** A `LanguageModel` of `@ai-sdk/*` or of another provider: specification V2, V3 or V4. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  /** Such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  // Each specification has a type of its own for the options, and they do not fit each other.
  doStream(options: never): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

export interface CallOptions {
  prompt: PromptMessage[];
  tools?: FunctionTool[];
  maxOutputTokens: number;
  abortSignal: AbortSignal;
  providerOptions?: ProviderMetadata;
  headers?: Record<string, string>;
  /** V4 only. */
  reasoning?: string;
}

export interface FunctionTool {
  type: 'function';
  name: string;
  description: string;
  inputSchema: JsonObject;
  providerOptions?: ProviderMetadata;
}

export type PromptMessage = (
  | { role: 'system'; content: string }
  | { role: 'user'; content: UserPart[] }
  | { role: 'assistant'; content: AssistantPart[] }
  | { role: 'tool'; content: ToolResultPart[] }
) & { providerOptions?: ProviderMetadata };

type Part<Type extends string, Fields> = { type: Type; providerOptions?: ProviderMetadata } & Fields;

/** V2 and V3: base64 text or a URL; V4: an object that says which. */
export type FileData = string | URL | { type: 'data'; data: string } | { type: 'url'; url: URL };

export type FilePart = Part<'file', { data: FileData; mediaType: string; filename?: string }>;
export type UserPart = Part<'text', { text: string }> | FilePart;
export type AssistantPart =
  | Part<'text', { text: string }>
  | Part<'reasoning', { text: string }>
  | Part<'tool-call', { toolCallId: string; toolName: string; input: unknown }>;
export type ToolResultPart = Part<
  'tool-result',
  { toolCallId: string; toolName: string; output: ToolResultOutput }
>;

export type ToolResultOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'content'; value: (Part<'text', { text: string }> | JsonObject)[] };

/** The parts of a stream that the adapter reads; others are passed over. */
export type StreamPart =
  | { type: 'stream-start'; warnings?: readonly JsonObject[] }
  | { type: 'response-metadata'; id?: string }
  | {
      type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
      id: string;
      providerMetadata?: ProviderMetadata;
    }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string; providerMetadata?: ProviderMetadata }
  | { type: 'tool-input-start'; id: string; toolName: string; providerExecuted?: boolean }
  | { type: 'tool-input-delta'; id: string; delta: string }
  | {
      type: 'tool-call';
      toolCallId: string;
      toolName: string;
      input: string;
      providerExecuted?: boolean;
      providerMetadata?: ProviderMetadata;
    }
  | { type: 'finish'; usage?: JsonObject; finishReason?: unknown; providerMetadata?: ProviderMetadata }
  | { type: 'error'; error: unknown };
