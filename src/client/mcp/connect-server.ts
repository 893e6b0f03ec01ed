import { type McpServerInstance, takesManyConnections } from '../../protocol/mcp.js';
import type { McpPeer, ServerConnection } from './server-connection.js';
import { SessionConnection } from './session-connection.js';
import { SharedConnection } from './shared-connection.js';

/** A server of our own gets a session for this conversation; one of the MCP library shares its one connection. */
export function connectServer(name: string, instance: McpServerInstance, peer: McpPeer): ServerConnection {
  return takesManyConnections(instance)
    ? new SessionConnection(name, instance, peer)
    : new SharedConnection(name, instance, peer);
}
