// What is not on this machine: the web, MCP servers, design and project services.

export interface WebFetchInput {
  url: string;
  prompt: string;
  offset?: number;
}

export interface WebFetchOutput {
  bytes: number;
  code: number;
  codeText: string;
  result: string;
  durationMs: number;
  url: string;
  artifactRead?: { slug: string; ver?: string; seeded?: false };
}

export interface WebSearchInput {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
}

export interface WebSearchOutput {
  query: string;
  /** What was found, and what the model says about it. */
  results: ({ tool_use_id: string; content: { title: string; url: string; snippet?: string }[] } | string)[];
  durationSeconds: number;
  searchCount?: number;
}

/** Of a tool of an MCP server: whatever that takes. */
export interface McpInput {
  [key: string]: unknown;
}

export type McpOutput = string | { type: string; [key: string]: unknown }[] | { [key: string]: unknown };

export interface ListMcpResourcesInput {
  server?: string;
}

export type ListMcpResourcesOutput = {
  uri: string;
  name: string;
  mimeType?: string;
  description?: string;
  server: string;
}[];

export interface ReadMcpResourceInput {
  server: string;
  uri: string;
}

export interface ReadMcpResourceOutput {
  contents: { uri: string; mimeType?: string; text?: string; blobSavedTo?: string }[];
  error?: string;
}

export interface ReadMcpResourceDirInput {
  server: string;
  uri: string;
}

export interface ReadMcpResourceDirOutput {
  resources: { uri: string; name: string; mimeType?: string }[];
  error?: string;
}

export interface RefreshMcpToolsInput {
  server?: string;
}

export type RefreshMcpToolsOutput = {
  server: string;
  status: 'refreshed' | 'error' | 'not_connected';
  toolCount?: number;
  added?: string[];
  removed?: string[];
  error?: string;
}[];

export interface ClaudeDesignInput {
  operation: string;
  arguments: { [key: string]: unknown };
}

export interface ClaudeDesignOutput {
  operation: string;
  content: { [key: string]: unknown }[];
  isError?: boolean;
}

export interface ProjectsInput {
  method:
    | 'project_info'
    | 'project_read'
    | 'project_search'
    | 'project_write'
    | 'project_delete'
    | 'project_memory_list'
    | 'project_memory_read';
  path?: string;
  content?: string;
  local_path?: string;
  present_to_user?: boolean;
  query?: string;
  n?: number;
}

export type ProjectsOutput =
  | {
      method: 'project_info';
      notice?: string;
      local_file?: string;
      name: string;
      description: string;
      instructions: string;
      docs: { path: string; created_at: string | null }[];
      files?: { path: string; file_kind: string; created_at: string | null }[];
      sync_sources?: { type: string | null; config: { [key: string]: unknown } }[];
      knowledge: { knowledge_size: number; max_knowledge_size: number };
    }
  | {
      method: 'project_read';
      notice?: string;
      path: string;
      file_kind?: string;
      content?: string;
      local_file?: string;
      created_at: string | null;
    }
  | {
      method: 'project_search';
      notice?: string;
      rag: boolean;
      hits?: { name?: string; doc_uuid?: string; text?: string; image_attached?: boolean; page?: number }[];
      docs?: string[];
    }
  | {
      method: 'project_write';
      notice?: string;
      path: string;
      doc_uuid: string;
      replaced: boolean;
      present_to_user?: boolean;
      local_path?: string;
    }
  | { method: 'project_delete'; notice?: string; path: string; deleted: boolean }
  | {
      method: 'project_memory_list';
      notice?: string;
      files: { path: string; size_bytes: number; updated_at: string | null; truncated: boolean }[];
      truncated: boolean;
    }
  | {
      method: 'project_memory_read';
      notice?: string;
      path: string;
      content?: string;
      local_file?: string;
      size_bytes: number;
      updated_at: string | null;
      truncated: boolean;
    };
