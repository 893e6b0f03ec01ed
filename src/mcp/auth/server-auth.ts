import type { OAuthClientProvider } from '@modelcontextprotocol/client';

/** How we identify ourselves to one remote server. */
export interface McpServerAuth {
  /** Headers in addition to those of the configuration. Called on every connect, and again when the server answers 401. */
  headers?: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** OAuth settings, or a provider of the MCP library that handles all of it. */
  oauth?: McpOAuth | OAuthClientProvider | undefined;
}

export interface McpOAuth {
  /** Where the authorization server sends the person back to. */
  redirectUrl: string;
  /**
   * Called with the URL where the person can grant access. Resolves with the URL they were redirected to, or `undefined`
   * if they decline. Meanwhile the server's status is `needs-auth`, and nothing waits for it.
   */
  onAuthorizationUrl(
    url: URL,
    context: { server: string },
  ): string | URL | undefined | Promise<string | URL | undefined>;
  /** Where tokens are kept from one conversation to the next. Default: nowhere. */
  tokenStore?: McpTokenStore | undefined;
  /** For a client already registered with the authorization server. Otherwise one is registered. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** A client id that is the URL of a metadata document, for authorization servers that support it. */
  clientMetadataUrl?: string | undefined;
  clientName?: string | undefined;
  scope?: string | undefined;
}

/** What is kept for one server. The provider decides what that is; all of it is secret. */
export type McpStoredAuth = Record<string, unknown>;

export interface McpTokenStore {
  load(server: string): McpStoredAuth | undefined | Promise<McpStoredAuth | undefined>;
  /** `undefined` deletes what is kept. */
  save(server: string, stored: McpStoredAuth | undefined): void | Promise<void>;
}

export function isOAuthProvider(oauth: McpOAuth | OAuthClientProvider): oauth is OAuthClientProvider {
  return 'tokens' in oauth && typeof oauth.tokens === 'function';
}
