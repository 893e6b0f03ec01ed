/** Where a server's metadata may lead us when we sign in: never to a program of this machine, never into a network that is not its own (pain 54). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AddressGuard } from '../../../src/mcp/auth/address-guard.js';
import { openHub } from '../../runtime/mcp/support.js';
import { AuthorizationServer, type Claims } from '../../support/authorization-server.js';

const redirectUrl = 'http://localhost:3000/callback';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Where a person was sent, and what became of the server. */
async function signIn(claims: Claims, at: (server: AuthorizationServer) => string = (server) => server.url) {
  await using server = await AuthorizationServer.start(claims);
  const sent: string[] = [];
  const oauth = {
    redirectUrl,
    onAuthorizationUrl: (url: URL) => {
      sent.push(url.href);
      return undefined;
    },
  };
  const url = at(server);
  await using hub = openHub({ s: { type: 'http', url } }, { auth: { s: { oauth } } });
  await hub.hub.settled();
  return { sent, status: hub.status(), origin: server.origin };
}

describe('a person is sent', () => {
  it.each([
    'file:///etc/passwd',
    'ms-msdt:/id PCWDiagnostic',
    'ftp://example.com/authorize',
    'http://example.com/authorize',
    'https://user:geheim@example.com/authorize',
    'https://$(id).example.com/authorize',
  ])('nowhere when the server names %s, and the error has the address (pain 54)', async (address) => {
    const { sent, status } = await signIn({ metadata: { authorization_endpoint: address } });
    expect(sent).toEqual([]);
    expect(status).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('authorize over https'),
    });
    const shown = address.replace('user:geheim@', '').split(/[$ ]/)[0] ?? '';
    expect(status.error).toContain(shown);
    expect(status.error).not.toContain('geheim');
  });

  it('to an address in which a shell finds nothing to run (pain 54)', async () => {
    const address = "https://example.com/a$(x)`y`;z|'w'?q=$(v)&r=1";
    const { sent } = await signIn({ metadata: { authorization_endpoint: address } });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatch(/^https:\/\/example\.com\/a%24%28x%29/);
    expect(sent[0]).not.toMatch(/[$`()'";|<>\\{}!*^[\]]/);
    const { pathname, searchParams } = new URL(sent[0] ?? '');
    expect(decodeURIComponent(pathname)).toBe("/a$(x)`y`;z|'w'");
    expect(searchParams.get('q')).toBe('$(v)');
    expect(searchParams.get('r')).toBe('1');
  });

  it('to a loopback address over http, when the server is there, too', async () => {
    const { sent, origin } = await signIn({});
    expect(sent).toEqual([expect.stringContaining(`${origin}/authorize?`)]);
  });
});

describe('a server on the internet', () => {
  /** A program that must not hear of us. */
  async function internal() {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      heard,
      origin: `http://127.0.0.1:${port}`,
      [Symbol.asyncDispose]: () =>
        new Promise<void>((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    };
  }

  /** The server of the test, as if it were at `https://mcp.example.com`. */
  function onTheInternet(server: AuthorizationServer): string {
    const real = globalThis.fetch;
    vi.stubGlobal('fetch', (input: string | URL, init?: RequestInit) =>
      real(String(input).replace('https://mcp.example.com', server.origin), init),
    );
    return 'https://mcp.example.com/mcp';
  }

  const PUBLIC = 'https://mcp.example.com';
  const endpoints = (field: string, address: string) => ({
    resource: { resource: `${PUBLIC}/mcp`, authorization_servers: [PUBLIC] },
    metadata: {
      issuer: PUBLIC,
      authorization_endpoint: `${PUBLIC}/authorize`,
      token_endpoint: `${PUBLIC}/token`,
      registration_endpoint: `${PUBLIC}/register`,
      [field]: address,
    },
  });

  it.each<[string, (origin: string) => Claims]>([
    [
      'authorization server',
      (origin) => ({ resource: { resource: `${PUBLIC}/mcp`, authorization_servers: [origin] } }),
    ],
    ['registration', (origin) => endpoints('registration_endpoint', `${origin}/register`)],
    ['redirected metadata', (origin) => ({ ...endpoints('', ''), metadataAt: `${origin}/metadata` })],
  ])(
    'whose %s is on this machine leads us nowhere, and the error has the address (pain 54)',
    async (_, claims) => {
      await using program = await internal();
      const { sent, status } = await signIn(claims(program.origin), onTheInternet);
      expect(program.heard).toEqual([]);
      expect(sent).toEqual([]);
      expect(status).toMatchObject({ status: 'failed', error: expect.stringContaining(program.origin) });
      expect(status.error).toContain('private');
    },
  );

  it('sends nobody to an address of the private network (pain 54)', async () => {
    const { sent, status } = await signIn(
      endpoints('authorization_endpoint', 'https://192.168.0.1/authorize'),
      onTheInternet,
    );
    expect(sent).toEqual([]);
    expect(status).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('https://192.168.0.1/authorize'),
    });
  });

  it('that redirects a request elsewhere does not have our headers sent along (pain 54)', async () => {
    const seen: [string, string | null][] = [];
    vi.stubGlobal('fetch', async (input: string | URL, init: RequestInit = {}) => {
      const { origin } = new URL(input);
      seen.push([origin, new Headers(init.headers).get('x-key')]);
      if (origin === PUBLIC)
        return new Response(null, { status: 307, headers: { location: 'https://b.example' } });
      return new Response('no', { status: 500 });
    });
    await using hub = openHub({ s: { type: 'http', url: `${PUBLIC}/mcp`, headers: { 'x-key': 'secret' } } });
    await hub.hub.settled();
    expect(seen).toEqual([
      [PUBLIC, 'secret'],
      ['https://b.example', null],
    ]);
  });
});

describe('an address is private', () => {
  const outside = new AddressGuard(new URL('https://mcp.example.com/mcp'));
  const inside = new AddressGuard(new URL('http://10.1.2.3/mcp'));

  it.each([
    'https://localhost/',
    'https://a.localhost/',
    'https://printer.local/',
    'https://vault.internal/',
    'https://intranet/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://localhost./',
  ])('%s', (address) => {
    expect(() => outside.check(new URL(address))).toThrow('private');
    expect(() => inside.check(new URL(address))).not.toThrow();
  });

  it.each(['https://example.com/', 'https://8.8.8.8/', 'https://172.32.0.1/', 'https://[2606:4700::1]/'])(
    '%s is not',
    (address) => {
      expect(() => outside.check(new URL(address))).not.toThrow();
    },
  );
});
