import { OptionError } from '../../protocol/errors.js';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const EVERY_INTERFACE = ['0.0.0.0', '::', ''];

/** The names by which clients may call a server that listens on `host`. */
export function hostnamesOf(host: string, allowed: readonly string[] | undefined): string[] {
  if (allowed !== undefined) return allowed.map(hostnameOf);
  if (EVERY_INTERFACE.includes(host)) {
    throw new OptionError(
      'allowedHosts',
      allowed,
      `serveHttp: with the host "${host}" the server can be reached from other machines. ` +
        'Say in `allowedHosts` under which names, for example ["tools.example.com"].',
    );
  }
  const own = hostnameOf(host);
  return LOOPBACK.includes(own) || own.startsWith('127.') ? [...new Set([...LOOPBACK, own])] : [own];
}

/** Of a name, an address, or a whole origin such as `https://app.example.com:8443`. */
export function hostnameOf(given: string): string {
  if (/^\w[\w+.-]*:\/\/\*$/.test(given)) return given;
  if (given.includes('://')) return new URL(given).hostname;
  return given.includes(':') && !given.startsWith('[') ? `[${given}]` : given.toLowerCase();
}
