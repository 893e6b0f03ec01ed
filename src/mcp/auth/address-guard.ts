import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { TenonError } from '../../protocol/base/errors.js';
import { isLoopback, isPrivateHost } from './private-hosts.js';

/** Left as they are by `URL`, but not by a shell to which somebody hands the address of a browser. */
const SHELL_CHARACTERS = /[$`'"();|<>\\{}^!*[\]]/g;

const MOST_SHOWN = 200;

/**
 * Where a server may lead us. What it says about signing in is a stranger's word: it could name a program to
 * start, a service inside our network, or a site that reads the token on its way.
 */
export class AddressGuard {
  readonly #server: URL;

  constructor(server: URL) {
    this.#server = server;
  }

  /** Throws, with the address, if nothing may be sent there. */
  check(url: URL): void {
    const problem = this.#problemOf(url);
    if (problem === undefined) return;
    throw new TenonError(
      'SERVER_FAILED',
      `OAuth: the MCP server at ${this.#server.origin} leads to ${shown(url)}, which ${problem}. ` +
        'It has to authorize over https, or over http on this machine; ask whoever runs it, ' +
        'or give a token in `headers`.',
    );
  }

  /** The address for a person's browser. */
  authorizationUrl(url: URL): URL {
    this.check(url);
    const safe = new URL(url);
    safe.pathname = encoded(url.pathname);
    safe.search = encoded(url.search);
    safe.hash = encoded(url.hash);
    return safe;
  }

  /** The provider, except that it sends nobody anywhere before the address was checked. */
  guarded(provider: OAuthClientProvider): OAuthClientProvider {
    return new Proxy(provider, {
      get: (target, key) => {
        if (key === 'redirectToAuthorization') {
          return (url: URL) => target.redirectToAuthorization(this.authorizationUrl(url));
        }
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  #problemOf({ protocol, hostname, username, password }: URL): string | undefined {
    if (protocol !== 'https:' && protocol !== 'http:') return 'is not an address on the web';
    if (protocol === 'http:' && !isLoopback(hostname)) return 'is not encrypted';
    if (username !== '' || password !== '') return 'contains a user name or a password';
    if (!/^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostname)) return 'has no valid host';
    if (isPrivateHost(hostname) && !isPrivateHost(this.#server.hostname)) {
      return 'is a private address, while the server is not';
    }
    return undefined;
  }
}

function encoded(part: string): string {
  return part.replace(
    SHELL_CHARACTERS,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Without what may be secret in it. */
function shown(url: URL): string {
  const text = url.href.replace(/[?#].*$/, '').replace(/^([a-z]+:\/\/)[^/]*@/, '$1');
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
