import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { clock } from '../../protocol/base/clock.js';
import type { McpOAuth, McpStoredAuth } from './server-auth.js';

/** What the token store keeps. */
interface Kept {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
}

/** A server that refuses us whatever a person grants must not ask that person forever. */
const MOST_QUESTIONS = 3;

/** Implements the MCP library's provider interface with a token store and a callback. */
export class StoredOAuthProvider implements OAuthClientProvider {
  /** Where a person was last sent, and the outcome to come. */
  authorizationUrl: string | undefined;
  callback: Promise<URLSearchParams | undefined> | undefined;
  readonly clientMetadataUrl?: string;
  readonly #server: string;
  readonly #oauth: McpOAuth;
  #kept: Promise<Kept> | undefined;
  #questions = 0;
  #codeVerifier = '';
  #state = '';

  constructor(server: string, oauth: McpOAuth) {
    this.#server = server;
    this.#oauth = oauth;
    if (oauth.clientMetadataUrl !== undefined) this.clientMetadataUrl = oauth.clientMetadataUrl;
  }

  get redirectUrl(): string {
    return this.#oauth.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl, clientName = 'Tenon', clientSecret, clientId, scope } = this.#oauth;
    const isPublic = clientId !== undefined && clientSecret === undefined;
    return {
      redirect_uris: [redirectUrl],
      client_name: clientName,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(isPublic ? { token_endpoint_auth_method: 'none' } : {}),
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    this.#state = clock.uuid();
    return this.#state;
  }

  async clientInformation(): Promise<StoredOAuthClientInformation | undefined> {
    const { clientId, clientSecret } = this.#oauth;
    if (clientId === undefined) return (await this.#load()).client;
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
  }

  saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    return this.#keep({ client });
  }

  async tokens(): Promise<StoredOAuthTokens | undefined> {
    return (await this.#load()).tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.#keep({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url.href;
    this.#questions += 1;
    if (this.#questions > MOST_QUESTIONS) return;
    const state = this.#state;
    const { onAuthorizationUrl } = this.#oauth;
    // Not awaited: a person may take hours.
    this.callback = Promise.resolve()
      .then(() => onAuthorizationUrl(url, { server: this.#server }))
      .then((back) => (back === undefined ? undefined : parametersOf(back, state)));
    this.callback.catch(() => {});
  }

  /** It worked: earlier attempts no longer count. */
  succeeded(): void {
    this.#questions = 0;
  }

  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier;
  }

  codeVerifier(): string {
    return this.#codeVerifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    return this.#keep({ discovery });
  }

  async discoveryState(): Promise<OAuthDiscoveryState | undefined> {
    return (await this.#load()).discovery;
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'verifier' || scope === 'all') this.#codeVerifier = '';
    const { client, tokens, discovery } = await this.#load();
    const remaining: Kept = {
      ...(client === undefined || scope === 'client' || scope === 'all' ? {} : { client }),
      ...(tokens === undefined || scope === 'tokens' || scope === 'all' ? {} : { tokens }),
      ...(discovery === undefined || scope === 'discovery' || scope === 'all' ? {} : { discovery }),
    };
    this.#kept = Promise.resolve(remaining);
    const isEmpty = Object.keys(remaining).length === 0;
    await this.#oauth.tokenStore?.save(this.#server, isEmpty ? undefined : (remaining as McpStoredAuth));
  }

  #load(): Promise<Kept> {
    this.#kept ??= this.#read();
    return this.#kept;
  }

  async #read(): Promise<Kept> {
    try {
      return (await this.#oauth.tokenStore?.load(this.#server)) ?? {};
    } catch (error) {
      // The next attempt may find a store that answers.
      this.#kept = undefined;
      throw error;
    }
  }

  async #keep(part: Kept): Promise<void> {
    const kept = { ...(await this.#load()), ...part };
    this.#kept = Promise.resolve(kept);
    await this.#oauth.tokenStore?.save(this.#server, kept as McpStoredAuth);
  }
}

/** What the person brought back. A foreign `state` belongs to somebody else's request. */
function parametersOf(back: string | URL, state: string): URLSearchParams {
  const { searchParams } = new URL(back);
  if (searchParams.get('state') !== state) {
    throw new Error(
      'OAuth: the `state` in the redirect differs from the one that was sent. Pass on the exact URL that the person was redirected to.',
    );
  }
  return searchParams;
}
