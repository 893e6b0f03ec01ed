import { type McpServerInstance, takesManyConnections } from '../../protocol/mcp.js';
import { DeferredConnection } from './deferred-connection.js';
import type { McpPeer, ServerConnection } from './server-connection.js';
import { SessionConnection } from './session-connection.js';

/**
 * A server of our own gets a session for this conversation; one of the MCP library shares its one connection, which takes
 * code that others need not load.
 */
export function connectServer(name: string, instance: McpServerInstance, peer: McpPeer): ServerConnection {
  return takesManyConnections(instance)
    ? new SessionConnection(name, instance, peer)
    : new DeferredConnection(async () => {
        const { SharedConnection } = await import('./shared-connection.js');
        return new SharedConnection(name, instance, peer);
      });
}
