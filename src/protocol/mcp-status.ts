// What the agent says about its MCP servers.

import type { McpServerStatusConfig } from './mcp.js';

export type McpServerStatus = {
  name: string;
  status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  serverInfo?: { name: string; version: string };
  error?: string;
  config?: McpServerStatusConfig;
  scope?: string;
  source?: string;
  /** Seen on the wire ("sdk", "stdio", …); not in the official typings. */
  transport?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
    _meta?: Record<string, unknown>;
  }[];
  // From here on Tenon's own: its runtime fills them in, the CLI does not.
  /** Since when it has been in this state, as an ISO time. */
  since?: string;
  /** How often it was tried to connect since it was last connected, or since it was added. */
  attempts?: number;
  /** The last of what its process wrote to stderr, without the values of `env`. */
  lastStderr?: string;
  /** With `needs-auth`: what the server asked for. */
  authChallenge?: McpAuthChallenge;
};

/** Of an HTTP 401: what a server says about the way to be let in. */
export type McpAuthChallenge = {
  /** The `WWW-Authenticate` header as it came. */
  header?: string;
  scheme?: string;
  scope?: string;
  error?: string;
  errorDescription?: string;
  /** Where the server says who can grant access (RFC 9728). */
  resourceMetadataUrl?: string;
  /** Where a person can grant it, when an OAuth provider is configured. */
  authorizationUrl?: string;
};

export type McpSetServersResult = {
  added: string[];
  removed: string[];
  errors: Record<string, string>;
};
