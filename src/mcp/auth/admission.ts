import type { UpstreamAuth } from '../upstream/upstream-transport.js';
import { isOAuthProvider, type McpServerAuth } from './server-auth.js';
import type { StoredOAuthProvider } from './stored-oauth-provider.js';

/** Signs in to one server, across connection attempts. */
export class McpServerAdmission {
  readonly #server: string;
  readonly #auth: McpServerAuth;
  #provider: object | undefined;
  #stored: StoredOAuthProvider | undefined;
  #finish: ((callback: URLSearchParams) => Promise<void>) | undefined;

  constructor(server: string, auth: McpServerAuth) {
    this.#server = server;
    this.#auth = auth;
  }

  /** Where a person was last sent. */
  get authorizationUrl(): string | undefined {
    return this.#stored?.authorizationUrl;
  }

  /** For one attempt. */
  async auth(): Promise<UpstreamAuth> {
    const { headers, oauth } = this.#auth;
    if (oauth !== undefined) this.#provider ??= await this.#makeProvider(oauth);
    return {
      headers,
      provider: this.#provider,
      finishWith: (finish) => {
        this.#finish = finish;
      },
    };
  }

  /** A request was answered, so access was granted. */
  succeeded(): void {
    this.#stored?.succeeded();
  }

  /** Resolves with true once a person has granted access; undefined if nobody is being asked. */
  admitted(): Promise<boolean> | undefined {
    const callback = this.#stored?.callback;
    const finish = this.#finish;
    if (this.#stored === undefined || callback === undefined || finish === undefined) return undefined;
    this.#stored.callback = undefined;
    return callback.then(async (parameters) => {
      if (parameters === undefined) return false;
      await finish(parameters);
      return true;
    });
  }

  async #makeProvider(oauth: NonNullable<McpServerAuth['oauth']>): Promise<object> {
    if (isOAuthProvider(oauth)) return oauth;
    const { StoredOAuthProvider: Provider } = await import('./stored-oauth-provider.js');
    this.#stored = new Provider(this.#server, oauth);
    return this.#stored;
  }
}
