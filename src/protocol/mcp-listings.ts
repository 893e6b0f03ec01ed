// What MCP servers have beside tools, as the host is told of it: each entry says whose it is.

import type { ContentAnnotations, McpContentBlock, McpIcon } from './mcp.js';

type Listed = {
  /** The name of the server in `mcpServers`. */
  server: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  icons?: McpIcon[] | undefined;
  _meta?: Record<string, unknown> | undefined;
};

export type McpResource = Listed & {
  uri: string;
  mimeType?: string | undefined;
  size?: number | undefined;
  annotations?: ContentAnnotations | undefined;
};

/** Resources that are found by filling in the variables of a URI. */
export type McpResourceTemplate = Listed & {
  uriTemplate: string;
  mimeType?: string | undefined;
  annotations?: ContentAnnotations | undefined;
};

export type McpPrompt = Listed & {
  arguments?:
    | {
        name: string;
        title?: string | undefined;
        description?: string | undefined;
        required?: boolean | undefined;
      }[]
    | undefined;
};

/** `errors`: of all servers asked, those that did not answer, with the reason. A server asked by name fails the request. */
export type McpListResourcesResult = {
  resources: McpResource[];
  resourceTemplates: McpResourceTemplate[];
  errors: Record<string, string>;
};

export type McpListPromptsResult = { prompts: McpPrompt[]; errors: Record<string, string> };

export type McpGetPromptResult = {
  description?: string | undefined;
  messages: { role: 'user' | 'assistant'; content: McpContentBlock }[];
  _meta?: Record<string, unknown> | undefined;
};
