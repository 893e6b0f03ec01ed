import { randomUUID } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { McpOAuth, McpStoredAuth } from './server-auth.js';

/** What is kept, by name. */
interface Kept {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  discovery?: OAuthDiscoveryState;
}

/** A server that lets nobody in, whatever a person grants, must not ask that person for ever. */
const MOST_QUESTIONS = 3;

/** The MCP library's provider interface on a token store and a callback. */
export class StoredOAuthProvider implements OAuthClientProvider {
  /** The last address that a person was sent to, and what will come of it. */
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
    this.#state = randomUUID();
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

  /** It was worth while: what was asked before does not count any more. */
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
    const left: Kept = {
      ...(client === undefined || scope === 'client' || scope === 'all' ? {} : { client }),
      ...(tokens === undefined || scope === 'tokens' || scope === 'all' ? {} : { tokens }),
      ...(discovery === undefined || scope === 'discovery' || scope === 'all' ? {} : { discovery }),
    };
    this.#kept = Promise.resolve(left);
    const isEmpty = Object.keys(left).length === 0;
    await this.#oauth.tokenStore?.save(this.#server, isEmpty ? undefined : (left as McpStoredAuth));
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

/** What the person brought back. A state that is not ours belongs to somebody else's request. */
function parametersOf(back: string | URL, state: string): URLSearchParams {
  const { searchParams } = new URL(back);
  if (searchParams.get('state') !== state) {
    throw new Error('OAuth: the address that came back has another `state` than the one that was sent.');
  }
  return searchParams;
}
