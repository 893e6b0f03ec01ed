import { OptionError } from '../../protocol/base/errors.js';
import { type ManyConnectionsServer, takesManyConnections } from '../types.js';

/** What can be served to other MCP clients: a value from `createSdkMcpServer()` or `proxyMcpServer()`, or its `instance`. */
export type ServableServer = ManyConnectionsServer | { readonly instance: ManyConnectionsServer };

export function instanceToServe(server: ServableServer, who: string): ManyConnectionsServer {
  const instance =
    typeof server === 'object' && server !== null && 'instance' in server ? server.instance : server;
  if (typeof instance === 'object' && instance !== null && takesManyConnections(instance)) return instance;
  throw new OptionError(
    'server',
    server,
    `${who}: expected a value of createSdkMcpServer() or proxyMcpServer(). ` +
      'Server objects of the MCP libraries are served with the transports of their own library.',
  );
}
