// What the agent reports about its MCP servers.

import type { McpServerStatusConfig } from './types.js';

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
  // The fields below are Tenon's own: its runtime sets them, the CLI does not.
  /** When it entered this state, as an ISO time. */
  since?: string;
  /** Attempts to connect since it was last connected, or since it was added. */
  attempts?: number;
  /** The end of its process's stderr, without the values of `env`. */
  lastStderr?: string;
  /** With `needs-auth`: what the server demands. */
  authChallenge?: McpAuthChallenge;
};

/** From an HTTP 401: what the server says about how to get access. */
export type McpAuthChallenge = {
  /** The `WWW-Authenticate` header, unchanged. */
  header?: string;
  scheme?: string;
  scope?: string;
  error?: string;
  errorDescription?: string;
  /** The server's document about who can grant access (RFC 9728). */
  resourceMetadataUrl?: string;
  /** Where a person can grant it, if OAuth is configured. */
  authorizationUrl?: string;
};

export type McpSetServersResult = {
  added: string[];
  removed: string[];
  errors: Record<string, string>;
};

export interface McpReadyOptions {
  /** Default: all servers of the agent. */
  servers?: readonly string[] | undefined;
  /** In milliseconds. Default: 65 s. */
  timeout?: number | undefined;
}

/** A server appeared, disappeared or changed state. If `previous` equals `status`, it was briefly in another state. */
export interface McpStatusChange {
  name: string;
  /** Undefined if the server is gone. */
  status: McpServerStatus['status'] | undefined;
  /** Undefined if the server is new. */
  previous: McpServerStatus['status'] | undefined;
  server: McpServerStatus | undefined;
}
