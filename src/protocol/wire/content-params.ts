// Content of messages to the model, and of tool results. Optional fields are exact, as in the API's own
// typings, so that values are assignable in both directions.

import type {
  BashCodeExecutionToolResultBlock,
  CodeExecutionToolResultBlock,
  ServerToolName,
  TextEditorCodeExecutionToolResultBlock,
  ToolSearchToolResultBlock,
  ToolUseCaller,
  WebFetchToolResultError,
  WebSearchToolResultBlock,
} from './content-server-tools.js';

export type CacheControl = { type: 'ephemeral'; ttl?: '5m' | '1h' };

type Cached = { cache_control?: CacheControl | null };

type Called = { caller?: ToolUseCaller };

type CitedDocument = { cited_text: string; document_index: number; document_title: string | null };

export type TextCitationParam =
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

export type TextBlockParam = Cached & {
  type: 'text';
  text: string;
  citations?: TextCitationParam[] | null;
};

export type Base64ImageSource = {
  type: 'base64';
  media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  data: string;
};
export type UrlSource = { type: 'url'; url: string };
export type FileSource = { type: 'file'; file_id: string };

export type ImageBlockParam = Cached & {
  type: 'image';
  source: Base64ImageSource | UrlSource | FileSource;
  transformations?: { oversized_image?: 'downsize' | 'error' } | null;
};

export type Base64PdfSource = { type: 'base64'; media_type: 'application/pdf'; data: string };
export type PlainTextSource = { type: 'text'; media_type: 'text/plain'; data: string };
export type ContentBlockSource = { type: 'content'; content: string | (TextBlockParam | ImageBlockParam)[] };

type CitationsParam = { enabled?: boolean };

export type DocumentBlockParam = Cached & {
  type: 'document';
  source: Base64PdfSource | PlainTextSource | ContentBlockSource | UrlSource | FileSource;
  citations?: CitationsParam | null;
  context?: string | null;
  title?: string | null;
};

export type SearchResultBlockParam = Cached & {
  type: 'search_result';
  source: string;
  title: string;
  content: TextBlockParam[];
  citations?: CitationsParam;
};

export type ThinkingBlockParam = { type: 'thinking'; thinking: string; signature: string };
export type RedactedThinkingBlockParam = { type: 'redacted_thinking'; data: string };

export type ToolUseBlockParam = Cached &
  Called & {
    type: 'tool_use';
    id: string;
    name: string;
    input: unknown;
    toolset_name?: string | null;
  };

export type ToolReferenceBlockParam = Cached & { type: 'tool_reference'; tool_name: string };

type Download<Type extends string> = { type: Type; download_id: string; url: string };

export type BrowserStateBlockParam = Cached & {
  type: 'browser_state';
  tabs: { tab_id: string; title: string; url: string; active?: boolean }[];
  state_changes?:
    | (
        | { type: 'tab_opened'; tab_id: string }
        | Download<'download_started'>
        | (Download<'download_completed'> & { path?: string | null; size_bytes?: number | null })
        | (Download<'download_failed'> & { error?: string | null })
      )[]
    | null;
};

export type ToolResultContentParam =
  | TextBlockParam
  | ImageBlockParam
  | SearchResultBlockParam
  | DocumentBlockParam
  | ToolReferenceBlockParam
  | BrowserStateBlockParam;

export type ToolResultBlockParam = Cached & {
  type: 'tool_result';
  tool_use_id: string;
  content?: string | ToolResultContentParam[];
  is_error?: boolean;
  toolset_name?: string | null;
};

export type ServerToolUseBlockParam = Cached &
  Called & {
    type: 'server_tool_use';
    id: string;
    name: Exclude<ServerToolName, 'advisor'>;
    input: unknown;
  };

/** Fields that are null in a response may be omitted in a request. */
type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { [K in keyof T as null extends T[K] ? never : K]: Loose<T[K]> } & {
        [K in keyof T as null extends T[K] ? K : never]?: Loose<T[K]>;
      }
    : T;

export type WebSearchToolResultBlockParam = Cached & Loose<WebSearchToolResultBlock>;
export type CodeExecutionToolResultBlockParam = Cached & Loose<CodeExecutionToolResultBlock>;
export type BashCodeExecutionToolResultBlockParam = Cached & Loose<BashCodeExecutionToolResultBlock>;
export type TextEditorCodeExecutionToolResultBlockParam = Cached &
  Loose<TextEditorCodeExecutionToolResultBlock>;
export type ToolSearchToolResultBlockParam = Cached & Loose<ToolSearchToolResultBlock>;

export type WebFetchToolResultBlockParam = Cached &
  Called & {
    type: 'web_fetch_tool_result';
    tool_use_id: string;
    content:
      | WebFetchToolResultError
      | {
          type: 'web_fetch_result';
          url: string;
          content: DocumentBlockParam;
          retrieved_at?: string | null;
        };
  };

export type ContainerUploadBlockParam = Cached & { type: 'container_upload'; file_id: string };

export type UserContentBlock =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | SearchResultBlockParam
  | ThinkingBlockParam
  | RedactedThinkingBlockParam
  | ToolUseBlockParam
  | ToolResultBlockParam
  | ServerToolUseBlockParam
  | WebSearchToolResultBlockParam
  | WebFetchToolResultBlockParam
  | CodeExecutionToolResultBlockParam
  | BashCodeExecutionToolResultBlockParam
  | TextEditorCodeExecutionToolResultBlockParam
  | ToolSearchToolResultBlockParam
  | ContainerUploadBlockParam;

export type MessageParam =
  | { role: 'user' | 'assistant'; content: string | UserContentBlock[] }
  | { role: 'system'; content: string | TextBlockParam[] };
