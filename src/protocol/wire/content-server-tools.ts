// Blocks of tools that the API itself runs.

export type DirectCaller = { type: 'direct' };
export type ServerToolCaller = {
  type: 'code_execution_20250825';
  tool_id: string;
};
export type ServerToolCaller20260120 = {
  type: 'code_execution_20260120';
  tool_id: string;
};
export type ToolUseCaller = DirectCaller | ServerToolCaller | ServerToolCaller20260120;

export type ServerToolName =
  | 'advisor'
  | 'web_search'
  | 'web_fetch'
  | 'code_execution'
  | 'bash_code_execution'
  | 'text_editor_code_execution'
  | 'tool_search_tool_regex'
  | 'tool_search_tool_bm25';

export type ServerToolUseBlock = {
  type: 'server_tool_use';
  id: string;
  name: ServerToolName;
  input: { [key: string]: unknown };
  caller?: ToolUseCaller;
};

type Failure<Type extends string, Code extends string> = { type: Type; error_code: Code };

/** Codes that every server tool can fail with. */
type CommonCode = 'invalid_tool_input' | 'unavailable' | 'too_many_requests' | 'execution_time_exceeded';

export type WebSearchResultBlock = {
  type: 'web_search_result';
  url: string;
  title: string;
  page_age: string | null;
  encrypted_content: string;
};

export type WebSearchToolResultError = Failure<
  'web_search_tool_result_error',
  | 'invalid_tool_input'
  | 'unavailable'
  | 'max_uses_exceeded'
  | 'too_many_requests'
  | 'query_too_long'
  | 'request_too_large'
>;

export type WebSearchToolResultBlock = {
  type: 'web_search_tool_result';
  tool_use_id: string;
  content: WebSearchToolResultError | WebSearchResultBlock[];
  caller?: ToolUseCaller;
};

export type WebFetchToolResultError = Failure<
  'web_fetch_tool_result_error',
  | 'invalid_tool_input'
  | 'url_too_long'
  | 'url_not_allowed'
  | 'url_not_in_prior_context'
  | 'url_not_accessible'
  | 'unsupported_content_type'
  | 'too_many_requests'
  | 'max_uses_exceeded'
  | 'unavailable'
  | 'content_too_large'
>;

export type FetchedDocument = {
  type: 'document';
  title: string | null;
  citations: { enabled: boolean } | null;
  source:
    | { type: 'base64'; media_type: 'application/pdf'; data: string }
    | { type: 'text'; media_type: 'text/plain'; data: string };
};

export type WebFetchBlock = {
  type: 'web_fetch_result';
  url: string;
  retrieved_at: string | null;
  content: FetchedDocument;
};

export type WebFetchToolResultBlock = {
  type: 'web_fetch_tool_result';
  tool_use_id: string;
  content: WebFetchToolResultError | WebFetchBlock;
  caller?: ToolUseCaller;
};

export type AdvisorToolResultBlock = {
  type: 'advisor_tool_result';
  tool_use_id: string;
  content:
    | Failure<
        'advisor_tool_result_error',
        | 'max_uses_exceeded'
        | 'prompt_too_long'
        | 'too_many_requests'
        | 'overloaded'
        | 'unavailable'
        | 'execution_time_exceeded'
        | 'model_not_found'
      >
    | { type: 'advisor_result'; text: string; stop_reason: string | null }
    | { type: 'advisor_redacted_result'; encrypted_content: string; stop_reason: string | null };
};

type Ran<Type extends string, Output extends string> = {
  type: Type;
  stderr: string;
  return_code: number;
  content: { type: Output; file_id: string }[];
};

export type CodeExecutionToolResultBlock = {
  type: 'code_execution_tool_result';
  tool_use_id: string;
  content:
    | Failure<'code_execution_tool_result_error', CommonCode>
    | (Ran<'code_execution_result', 'code_execution_output'> & { stdout: string })
    | (Ran<'encrypted_code_execution_result', 'code_execution_output'> & { encrypted_stdout: string });
};

export type BashCodeExecutionToolResultBlock = {
  type: 'bash_code_execution_tool_result';
  tool_use_id: string;
  content:
    | Failure<'bash_code_execution_tool_result_error', CommonCode | 'output_file_too_large'>
    | (Ran<'bash_code_execution_result', 'bash_code_execution_output'> & { stdout: string });
};

export type TextEditorCodeExecutionToolResultBlock = {
  type: 'text_editor_code_execution_tool_result';
  tool_use_id: string;
  content:
    | (Failure<'text_editor_code_execution_tool_result_error', CommonCode | 'file_not_found'> & {
        error_message: string | null;
      })
    | {
        type: 'text_editor_code_execution_view_result';
        content: string;
        file_type: 'text' | 'image' | 'pdf';
        num_lines: number | null;
        start_line: number | null;
        total_lines: number | null;
      }
    | { type: 'text_editor_code_execution_create_result'; is_file_update: boolean }
    | {
        type: 'text_editor_code_execution_str_replace_result';
        lines: string[] | null;
        new_lines: number | null;
        new_start: number | null;
        old_lines: number | null;
        old_start: number | null;
      };
};

export type ToolSearchToolResultBlock = {
  type: 'tool_search_tool_result';
  tool_use_id: string;
  content:
    | (Failure<'tool_search_tool_result_error', CommonCode> & { error_message: string | null })
    | {
        type: 'tool_search_tool_search_result';
        tool_references: { type: 'tool_reference'; tool_name: string }[];
      };
};

export type McpToolUseBlock = {
  type: 'mcp_tool_use';
  id: string;
  name: string;
  server_name: string;
  input: unknown;
};

export type McpToolListingBlock = {
  type: 'mcp_tool_listing';
  mcp_server_name: string;
  tools: { name: string; description?: string; input_schema: { [key: string]: unknown } }[];
};

export type ContainerUploadBlock = { type: 'container_upload'; file_id: string };

type Dated<Name extends string, Type extends string> = { name: Name; type: Type };

type Display = { display_height_px: number; display_width_px: number };

/**
 * Tools named in a compaction. Only the required fields of each kind are listed, which is enough for values
 * to be assignable to and from the API's own typings.
 */
export type ToolDefinition =
  | {
      type?: 'custom' | null;
      name: string;
      description?: string;
      input_schema: {
        type: 'object';
        properties?: { [key: string]: unknown } | null;
        required?: string[] | null;
        [key: string]: unknown;
      };
    }
  | Dated<'bash', 'bash_20241022' | 'bash_20250124'>
  | Dated<
      'code_execution',
      | 'code_execution_20250522'
      | 'code_execution_20250825'
      | 'code_execution_20260120'
      | 'code_execution_20260521'
    >
  | (Dated<'computer', 'computer_20241022' | 'computer_20250124' | 'computer_20251124'> & Display)
  | Dated<'memory', 'memory_20250818'>
  | Dated<'str_replace_editor', 'text_editor_20241022' | 'text_editor_20250124'>
  | Dated<'str_replace_based_edit_tool', 'text_editor_20250429' | 'text_editor_20250728'>
  | Dated<'web_search', 'web_search_20250305' | 'web_search_20260209' | 'web_search_20260318'>
  | Dated<
      'web_fetch',
      'web_fetch_20250910' | 'web_fetch_20260209' | 'web_fetch_20260309' | 'web_fetch_20260318'
    >
  | (Dated<'advisor', 'advisor_20260301'> & { model: string })
  | Dated<'tool_search_tool_bm25', 'tool_search_tool_bm25_20251119' | 'tool_search_tool_bm25'>
  | Dated<'tool_search_tool_regex', 'tool_search_tool_regex_20251119' | 'tool_search_tool_regex'>
  | { type: 'browser_toolset_20260801' | 'computer_toolset_20260801' }
  | { type: 'mcp_toolset'; mcp_server_name: string };
