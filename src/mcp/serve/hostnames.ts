import { OptionError } from '../../protocol/base/errors.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_INTERFACE = ['0.0.0.0', '::', ''];

/** The names by which clients may address a server that listens on `host`. */
export function hostnamesOf(host: string, allowed: readonly string[] | undefined): string[] {
  if (allowed !== undefined) return allowed.map(hostnameOf);
  if (EVERY_INTERFACE.includes(host)) {
    throw new OptionError(
      'allowedHosts',
      allowed,
      `serveHttp: with the host "${host}" the server can be reached from other machines. ` +
        'List the names that clients use for it in `allowedHosts`, for example ["tools.example.com"].',
    );
  }
  const hostname = hostnameOf(host);
  return LOOPBACK.includes(hostname) || hostname.startsWith('127.')
    ? [...new Set([...LOOPBACK, hostname])]
    : [hostname];
}

/** The host name of a name, an address, or a whole origin such as `https://app.example.com:8443`. */
export function hostnameOf(name: string): string {
  if (/^\w[\w+.-]*:\/\/\*$/.test(name)) return name;
  if (name.includes('://')) return new URL(name).hostname;
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name.toLowerCase();
}
