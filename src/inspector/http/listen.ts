import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { messageOf, OptionError } from '../../protocol/base/errors.js';
import { LIMITS } from '../../protocol/base/limits.js';

const LOOPBACK = '127.0.0.1';
const EVERY_INTERFACE = ['0.0.0.0', '::'];

/** Refuses to be reached from other machines unless that was said. */
export function checkHost(host: string, allowRemote: boolean): void {
  if (host === LOOPBACK || (allowRemote && isIP(host) !== 0)) return;
  throw new OptionError(
    'host',
    host,
    isIP(host) === 0
      ? `The inspector listens on an address, such as 127.0.0.1; "${host}" is a name, which may mean another machine tomorrow.`
      : `The inspector listens only on ${LOOPBACK}: at ${host} others on the network could reach what your agent does. ` +
          'If that is what you want, say so: --allow-remote, or `allowRemote: true`.',
  );
}

/** Refuses to run where customers are. */
export function checkPlace(environment: string | undefined, force: boolean): void {
  if (environment !== 'production' || force) return;
  throw new OptionError(
    'NODE_ENV',
    environment,
    'The inspector shows everything that an agent sees and does, and NODE_ENV is "production". ' +
      'If you really want it here, say so: --force, or `force: true`.',
  );
}

export interface Listening {
  readonly port: number;
  /** What the `Host` header may say. */
  readonly hosts: ReadonlySet<string>;
  /** `http://127.0.0.1:4123` */
  readonly origin: string;
  /** The same for programs on this machine. */
  readonly localOrigin: string;
  readonly server: Server;
}

export async function listenOn(
  host: string,
  port: number,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Listening> {
  const server = createServer(
    {
      requestTimeout: LIMITS.inspectorRequestMs,
      headersTimeout: LIMITS.inspectorRequestMs,
      connectionsCheckingInterval: LIMITS.inspectorRequestMs,
    },
    handle,
  );
  server.maxConnections = LIMITS.maxInspectorConnections;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new OptionError(
      'port',
      port,
      `The inspector cannot listen on port ${port} of ${host}: ${messageOf(error)}`,
    );
  }
  const { port: actual } = server.address() as AddressInfo;
  const names = namesOf(host);
  const hosts = new Set(names.map((name) => `${name}:${actual}`));
  const origin = `http://${names[0] ?? host}:${actual}`;
  const localOrigin = EVERY_INTERFACE.includes(host) ? `http://${LOOPBACK}:${actual}` : origin;
  return { port: actual, hosts, origin, localOrigin, server };
}

/** By which names a page may reach it, the best first. Nobody can point an address at another machine. */
function namesOf(host: string): string[] {
  if (host === LOOPBACK) return [LOOPBACK, 'localhost'];
  if (!EVERY_INTERFACE.includes(host)) return [bracketed(host)];
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const [remote, local] = [
    addresses.filter(({ internal }) => !internal),
    addresses.filter(({ internal }) => internal),
  ];
  return [...[...remote, ...local].map(({ address }) => bracketed(address)), 'localhost'];
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
