import type { OAuthClientProvider } from '@modelcontextprotocol/client';

/** How one remote server is told who asks. */
export interface McpServerAuth {
  /** Headers beside those of the configuration. Asked for on each connect, and once more when the server answers 401. */
  headers?: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** OAuth: by what is given here, or by a provider of the MCP library, which then has all of it in its hands. */
  oauth?: McpOAuth | OAuthClientProvider | undefined;
}

export interface McpOAuth {
  /** Where the authorization server sends the person back to. */
  redirectUrl: string;
  /**
   * Called with the place where the person can let us in. Resolves with the address that they came back to, or `undefined`
   * when they will not. Meanwhile the server is in the state `needs-auth`, and nothing waits for it.
   */
  onAuthorizationUrl(
    url: URL,
    context: { server: string },
  ): string | URL | undefined | Promise<string | URL | undefined>;
  /** Where tokens are kept from one conversation to the next. Default: nowhere. */
  tokenStore?: McpTokenStore | undefined;
  /** For a client that the authorization server knows already. Otherwise one is registered. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** A client id that is the address of a document about the client, for authorization servers that take such. */
  clientMetadataUrl?: string | undefined;
  clientName?: string | undefined;
  scope?: string | undefined;
}

/** What is kept for one server. Its content is the provider's business; all of it is secret. */
export type McpStoredAuth = Record<string, unknown>;

export interface McpTokenStore {
  load(server: string): McpStoredAuth | undefined | Promise<McpStoredAuth | undefined>;
  /** `undefined`: nothing is left to keep. */
  save(server: string, stored: McpStoredAuth | undefined): void | Promise<void>;
}

export function isOAuthProvider(oauth: McpOAuth | OAuthClientProvider): oauth is OAuthClientProvider {
  return 'tokens' in oauth && typeof oauth.tokens === 'function';
}
