import { type McpServerInstance, takesManyConnections } from '../types.js';
import { AgentConnection, type McpHost } from './agent-connection.js';
import { DeferredServer } from './deferred-server.js';

/**
 * Connects a conversation to a server object. Ours take any number of connections; those of the MCP library share their
 * only one, with code that is loaded when needed.
 */
export function connectServer(name: string, instance: McpServerInstance, host: McpHost): AgentConnection {
  if (takesManyConnections(instance)) {
    return new AgentConnection(name, (client) => instance.open(client, 'claude-code'), host);
  }
  const loading = import('./shared-client.js');
  return new AgentConnection(
    name,
    (client) =>
      new DeferredServer(loading.then(({ SharedClient }) => new SharedClient(name, instance, client))),
    host,
  );
}
