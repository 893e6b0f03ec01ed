// What MCP servers have besides tools, as reported to the host: each entry names its server.

import type { ContentAnnotations, McpContentBlock, McpIcon } from './types.js';

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

/** A family of resources, addressed by filling in the variables of a URI. */
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

/** `errors` has the servers that did not answer, with the reason. If one server was asked by name, the request fails instead. */
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
