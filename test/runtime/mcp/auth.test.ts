/** Who asks (issue 5, point 2): 401, headers that are asked for, OAuth with a person and a token store (pain 54). */
import { describe, expect, it } from 'vitest';
import { StoredOAuthProvider } from '../../../src/mcp/auth/stored-oauth-provider.js';
import type { McpStoredAuth, McpTokenStore } from '../../../src/runtime/index.js';
import { AuthorizationServer } from '../../support/authorization-server.js';
import { UnrulyServer } from '../../support/unruly-server.js';
import { openHub } from './support.js';

describe.each(['http', 'sse'] as const)('a server over %s that lets nobody in', (type) => {
  const config = (server: UnrulyServer) => ({ type, url: type === 'http' ? server.url : server.sseUrl });

  it('needs auth, and says what it asked for', async () => {
    await using server = await UnrulyServer.start({ token: 'Bearer sesame' });
    await using hub = openHub({ s: config(server) });
    await hub.hub.settled();
    expect(hub.status()).toMatchObject({
      status: 'needs-auth',
      authChallenge: {
        scheme: 'Bearer',
        scope: 'all of it',
        error: 'invalid_token',
        header: expect.stringContaining('realm="unruly"'),
      },
    });
    await expect(hub.call('do')).rejects.toThrow('is not connected (needs-auth)');
  });

  it('asks for headers on connecting, and once more after a 401', async () => {
    await using server = await UnrulyServer.start({ token: 'Bearer second' });
    const given = ['Bearer first', 'Bearer second', 'Bearer third'];
    let asked = 0;
    const headers = async () => ({ authorization: given[asked++] ?? 'Bearer none' });
    await using hub = openHub({ s: config(server) }, { auth: { s: { headers } } });
    await hub.until('connected');
    expect(asked).toBe(2);
    // The token runs out while it is connected: the call that meets it is let in with a new one.
    server.behave({ token: 'Bearer third' });
    expect(await hub.text('do', { id: 'a' })).toBe('a');
    expect(asked).toBe(3);
    expect(server.done).toEqual(['a']);
    // And when there is none any more, that is its state.
    server.behave({ token: 'Bearer fourth' });
    await expect(hub.call('do', { id: 'b' })).rejects.toThrow();
    expect(asked).toBe(4);
    expect(await hub.until('needs-auth')).toMatchObject({ authChallenge: { scheme: 'Bearer' } });
    expect(server.done).toEqual(['a']);
    expect(JSON.stringify(hub.status())).not.toMatch(/Bearer (first|second|third|none)/);
    server.behave({ token: 'Bearer none' });
    await hub.hub.reconnect('s');
    expect(await hub.text('do', { id: 'c' })).toBe('c');
  });

  it('and headers that cannot be had are the reason of the failure', async () => {
    await using server = await UnrulyServer.start();
    const headers = () => Promise.reject(new Error('the vault is locked'));
    await using hub = openHub({ s: config(server) }, { auth: { s: { headers } } });
    await hub.hub.settled();
    expect(hub.status()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('the vault is locked'),
    });
  });
});

class MemoryStore implements McpTokenStore {
  readonly kept = new Map<string, McpStoredAuth>();
  load(server: string) {
    return this.kept.get(server);
  }
  save(server: string, stored: McpStoredAuth | undefined) {
    if (stored === undefined) this.kept.delete(server);
    else this.kept.set(server, structuredClone(stored));
  }
}

describe('OAuth', () => {
  const redirectUrl = 'http://localhost:3000/callback';

  it('sends a person to the authorization server, and connects when they are back; the next conversation needs nobody', async () => {
    await using server = await AuthorizationServer.start();
    const tokenStore = new MemoryStore();
    const asked: string[] = [];
    let goBack = (): void => {};
    const back = new Promise<void>((resolve) => {
      goBack = resolve;
    });
    const onAuthorizationUrl = async (url: URL, context: { server: string }) => {
      asked.push(context.server);
      await back;
      return server.visit(url);
    };
    const auth = { s: { oauth: { redirectUrl, onAuthorizationUrl, tokenStore } } };
    {
      await using hub = openHub({ s: { type: 'http', url: server.url } }, { auth });
      // Nothing waits for the person.
      await hub.hub.settled();
      expect(hub.status()).toMatchObject({
        status: 'needs-auth',
        authChallenge: { authorizationUrl: expect.stringContaining('/authorize?') },
      });
      goBack();
      await hub.until('connected');
      expect(await hub.text('do', { id: 'a' })).toBe('a');
      expect(asked).toEqual(['s']);
      expect(tokenStore.kept.get('s')).toMatchObject({ tokens: { access_token: expect.any(String) } });
    }
    await using again = openHub({ s: { type: 'http', url: server.url } }, { auth });
    await again.until('connected');
    // Run out in the middle: refreshed, and nobody is asked.
    server.expireTokens();
    expect(await again.text('do', { id: 'b' })).toBe('b');
    expect(asked).toEqual(['s']);
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it("with an answer to somebody else's question, with none, or with an error, stays outside", async () => {
    await using server = await AuthorizationServer.start();
    const answers: Record<string, (url: URL) => string | undefined | Promise<string>> = {
      stranger: async () => `${redirectUrl}?code=stolen&state=another`,
      nobody: () => undefined,
      broken: () => Promise.reject(new Error('no browser here')),
    };
    for (const [name, onAuthorizationUrl] of Object.entries(answers)) {
      const auth = { s: { oauth: { redirectUrl, onAuthorizationUrl } } };
      await using hub = openHub({ s: { type: 'http', url: server.url } }, { auth });
      await hub.hub.settled();
      const error = {
        stranger: 'the `state` in the redirect differs',
        nobody: 'Unauthorized',
        broken: 'no browser here',
      }[name];
      await expect
        .poll(() => hub.status())
        .toMatchObject({
          status: 'needs-auth',
          error: expect.stringContaining(error as string),
        });
    }
    expect(server.grants).toEqual([]);
  });
});

it('a token store that has failed once is asked again', async () => {
  let isBusy = true;
  const tokens = { access_token: 'a', token_type: 'Bearer' };
  const tokenStore: McpTokenStore = {
    load: async () => {
      if (isBusy) throw new Error('The keychain is locked.');
      return { tokens };
    },
    save: () => {},
  };
  const oauth = { redirectUrl: 'http://localhost/', onAuthorizationUrl: () => undefined, tokenStore };
  const provider = new StoredOAuthProvider('s', oauth);
  await expect(provider.tokens()).rejects.toThrow('The keychain is locked.');
  isBusy = false;
  expect(await provider.tokens()).toEqual(tokens);
});
