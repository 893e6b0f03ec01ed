// Messages API content as delivered by the agent. Unions are closed on `type`, so that comparing it narrows.

import type {
  AdvisorToolResultBlock,
  BashCodeExecutionToolResultBlock,
  CodeExecutionToolResultBlock,
  ContainerUploadBlock,
  McpToolListingBlock,
  McpToolUseBlock,
  ServerToolUseBlock,
  TextEditorCodeExecutionToolResultBlock,
  ToolDefinition,
  ToolSearchToolResultBlock,
  ToolUseCaller,
  WebFetchToolResultBlock,
  WebSearchToolResultBlock,
} from './content-server-tools.js';

export type {
  Base64ImageSource,
  Base64PdfSource,
  BrowserStateBlockParam,
  CacheControl,
  ContentBlockSource,
  DocumentBlockParam,
  FileSource,
  ImageBlockParam,
  MessageParam,
  PlainTextSource,
  RedactedThinkingBlockParam,
  SearchResultBlockParam,
  ServerToolUseBlockParam,
  TextBlockParam,
  TextCitationParam,
  ThinkingBlockParam,
  ToolReferenceBlockParam,
  ToolResultBlockParam,
  ToolResultContentParam,
  ToolUseBlockParam,
  UrlSource,
  UserContentBlock,
} from './content-params.js';
export type {
  AdvisorToolResultBlock,
  BashCodeExecutionToolResultBlock,
  CodeExecutionToolResultBlock,
  ContainerUploadBlock,
  McpToolListingBlock,
  McpToolUseBlock,
  ServerToolUseBlock,
  TextEditorCodeExecutionToolResultBlock,
  ToolSearchToolResultBlock,
  ToolUseCaller,
  WebFetchToolResultBlock,
  WebSearchToolResultBlock,
} from './content-server-tools.js';

type CitedDocument = {
  cited_text: string;
  document_index: number;
  document_title: string | null;
  file_id: string | null;
};

export type TextCitation =
  | (CitedDocument & { type: 'char_location'; start_char_index: number; end_char_index: number })
  | (CitedDocument & { type: 'page_location'; start_page_number: number; end_page_number: number })
  | (CitedDocument & { type: 'content_block_location'; start_block_index: number; end_block_index: number })
  | {
      type: 'web_search_result_location';
      cited_text: string;
      encrypted_index: string;
      title: string | null;
      url: string;
    }
  | {
      type: 'search_result_location';
      cited_text: string;
      search_result_index: number;
      source: string;
      start_block_index: number;
      end_block_index: number;
      title: string | null;
    };

export type TextBlock = { type: 'text'; text: string; citations: TextCitation[] | null };
export type ThinkingBlock = { type: 'thinking'; thinking: string; signature: string };
export type RedactedThinkingBlock = { type: 'redacted_thinking'; data: string };

export type McpToolResultBlock = {
  type: 'mcp_tool_result';
  tool_use_id: string;
  is_error: boolean;
  content: string | TextBlock[];
};

export type ToolUseBlock = {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
  caller?: ToolUseCaller;
  toolset_name?: string | null;
};

type ToolReference =
  | { type: 'tool_reference'; name: string }
  | { type: 'mcp_tool_reference'; name: string; server_name: string }
  | { type: 'mcp_toolset_reference'; server_name: string };

type ToolChange =
  | { type: 'tool_addition'; tool: ToolReference | { type: 'tool_definition'; definition: ToolDefinition } }
  | { type: 'tool_removal'; tool: ToolReference };

export type CompactionBlock = {
  type: 'compaction';
  content: string | null;
  encrypted_content: string | null;
  signature?: string | null;
  tool_changes?: ToolChange[] | null;
};

export type RefusalCategory =
  | 'cyber'
  | 'bio'
  | 'frontier_llm'
  | 'reasoning_extraction'
  | 'general_harms'
  | null;

export type FallbackBlock = {
  type: 'fallback';
  from: { model: string };
  to: { model: string };
  trigger: { type: 'refusal'; category: RefusalCategory };
};

export type AssistantContentBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ServerToolUseBlock
  | WebSearchToolResultBlock
  | WebFetchToolResultBlock
  | AdvisorToolResultBlock
  | CodeExecutionToolResultBlock
  | BashCodeExecutionToolResultBlock
  | TextEditorCodeExecutionToolResultBlock
  | ToolSearchToolResultBlock
  | McpToolUseBlock
  | McpToolResultBlock
  | McpToolListingBlock
  | ContainerUploadBlock
  | CompactionBlock
  | FallbackBlock;

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'compaction'
  | 'refusal'
  | 'model_context_window_exceeded';

export type StopDetails = {
  type: 'refusal';
  category: RefusalCategory;
  explanation: string | null;
  fallback_credit_token: string | null;
  fallback_has_prefill_claim: boolean | null;
  recommended_model: string | null;
};

export type CacheCreation = { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number };

type IterationUsage<Type extends string> = {
  type: Type;
  input_tokens: number;
  output_tokens: number;
  cache_creation: CacheCreation | null;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
};

export type UsageIteration =
  | (IterationUsage<'message'> & { model: string | null })
  | IterationUsage<'compaction'>
  | (IterationUsage<'advisor_message'> & { model: string })
  | (IterationUsage<'fallback_message'> & { model: string });

export type FallbackCredit = {
  status:
    | { type: 'redeemed' }
    | {
        type: 'not_applied';
        reason:
          | 'body_mismatch'
          | 'continuation_excluded'
          | 'continuation_only'
          | 'expired'
          | 'invalid_target_model'
          | 'not_enabled'
          | 'reprice_unavailable'
          | 'temporarily_unavailable'
          | 'variant_fields_present'
          | 'wrong_organization'
          | 'wrong_platform'
          | 'wrong_workspace';
        remove_to_redeem?: string[] | null;
      };
};

type CommonUsage = {
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  fallback_credit: FallbackCredit | null;
  iterations: UsageIteration[] | null;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: { web_fetch_requests: number; web_search_requests: number } | null;
};

export type Usage = CommonUsage & {
  input_tokens: number;
  cache_creation: CacheCreation | null;
  inference_geo: string | null;
  service_tier: 'standard' | 'priority' | 'batch' | null;
  speed: 'standard' | 'fast' | null;
};

export type Container = {
  id: string;
  expires_at: string;
  skills: { type: 'anthropic' | 'custom'; skill_id: string; version: string }[] | null;
};

export type ContextManagement = {
  applied_edits: (
    | { type: 'clear_tool_uses_20250919'; cleared_input_tokens: number; cleared_tool_uses: number }
    | { type: 'clear_thinking_20251015'; cleared_input_tokens: number; cleared_thinking_turns: number }
  )[];
};

export type CacheMissReason =
  | {
      type: 'model_changed' | 'system_changed' | 'tools_changed' | 'messages_changed';
      cache_missed_input_tokens: number;
    }
  | { type: 'previous_message_not_found' | 'unavailable' };

export type InputTransformation = {
  type: 'thinking_dropped' | 'thinking_mismatch_allowed';
  path: string;
  reason:
    | 'model_binding_mismatch'
    | 'prefix_binding_mismatch'
    | 'organization_binding_mismatch'
    | 'end_user_binding_mismatch';
};

/** A message of the Messages API. The agent sends one per content block, all with the same `id`. */
export type AssistantMessageBody = {
  id: string;
  type: 'message';
  role: 'assistant';
  model: string;
  content: AssistantContentBlock[];
  stop_reason: StopReason | null;
  stop_sequence: string | null;
  stop_details: StopDetails | null;
  usage: Usage;
  container: Container | null;
  context_management: ContextManagement | null;
  diagnostics: { cache_miss_reason: CacheMissReason | null } | null;
  input_transformations?: InputTransformation[] | null;
};

export type ContentDelta =
  | { type: 'text_delta'; text: string }
  | { type: 'input_json_delta'; partial_json: string }
  | { type: 'thinking_delta'; thinking: string; estimated_tokens: number | null }
  | { type: 'signature_delta'; signature: string }
  | { type: 'citations_delta'; citation: TextCitation }
  | { type: 'compaction_delta'; content: string | null; encrypted_content: string | null };

/**
 * What a provider wants back with a block of an answer (a signature, an item's id): kept with the block as
 * `provider_metadata`, returned to the model that sent it, and left out for all others.
 */
export type KeptMetadata = {
  /** Provider and model. */
  source: string;
  /** By provider. */
  metadata: Record<string, Record<string, unknown>>;
};

export type StreamEvent =
  | { type: 'message_start'; message: AssistantMessageBody }
  | { type: 'content_block_start'; index: number; content_block: AssistantContentBlock }
  | { type: 'content_block_delta'; index: number; delta: ContentDelta }
  | { type: 'content_block_stop'; index: number; provider_metadata?: KeptMetadata }
  | {
      type: 'message_delta';
      delta: {
        stop_reason: StopReason | null;
        stop_sequence: string | null;
        stop_details: StopDetails | null;
        container: Container | null;
      };
      usage: CommonUsage & { input_tokens: number | null };
      context_management: ContextManagement | null;
      input_transformations?: InputTransformation[] | null;
    }
  | { type: 'message_stop' };
