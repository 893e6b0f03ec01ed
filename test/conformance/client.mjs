/**
 * The program that the conformance suite runs as a client: an embedded runtime whose only MCP server is the one at the URL in
 * the last argument. The person who grants access is a `fetch`.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';
import { createSession } from '../../dist/index.js';
import { embedded } from '../../dist/runtime/index.js';
import { scriptedModel } from '../../dist/testing/index.js';

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');

/** Goes where a person would be sent, and comes back with the address that a browser would be sent to. */
async function visit(authorizationUrl) {
  const response = await fetch(authorizationUrl, { redirect: 'manual' });
  return response.headers.get('location') ?? undefined;
}

/** Of the scenarios without a person: those of the library's own providers. */
const PROVIDERS = {
  'auth/client-credentials-basic': () =>
    new ClientCredentialsProvider({ clientId: context.client_id, clientSecret: context.client_secret }),
  'auth/client-credentials-jwt': () =>
    new PrivateKeyJwtProvider({
      clientId: context.client_id,
      privateKey: context.private_key_pem,
      algorithm: context.signing_algorithm ?? 'ES256',
    }),
  'auth/cross-app-access-complete-flow': () =>
    new CrossAppAccessProvider({
      clientId: context.client_id,
      clientSecret: context.client_secret,
      assertion: async ({ authorizationServerUrl, resourceUrl, scope, fetchFn }) => {
        const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
          tokenEndpoint: context.idp_token_endpoint,
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: context.idp_id_token,
          clientId: context.idp_client_id,
          scope,
          fetchFn,
        });
        return jwtAuthGrant;
      },
    }),
};

function oauth() {
  const provider = PROVIDERS[scenario];
  if (provider !== undefined) return provider();
  return {
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientName: 'tenon-conformance',
    ...(context.client_id === undefined
      ? {}
      : { clientId: context.client_id, clientSecret: context.client_secret }),
    onAuthorizationUrl: visit,
  };
}

const isAuth = scenario.startsWith('auth/');
const session = createSession({
  mcpServers: { s: { type: 'http', url } },
  // All scenarios run at the same time, and a busy machine needs a minute to start so many programs.
  env: { ...process.env, MCP_TIMEOUT: '100000' },
  onElicitation: async () => ({ action: 'accept', content: {} }),
  runtime: embedded({ model: scriptedModel([]), mcpAuth: isAuth ? { s: { oauth: oauth() } } : {} }),
});

/** Waits until the server is connected; one that waits for a person may still become it. */
async function connected() {
  let last;
  let refused = 0;
  for (const end = Date.now() + 100_000; Date.now() < end && refused < 400; ) {
    [last] = await session.query.mcpServerStatus();
    if (last?.status === 'connected' || last?.status === 'failed') break;
    refused = last?.status === 'needs-auth' ? refused + 1 : 0;
    await wait(25);
  }
  if (last?.status !== 'connected') throw new Error(`not connected: ${JSON.stringify(last)}`);
  return last.tools.map(({ name }) => name);
}

const ARGUMENTS = { add_numbers: { a: 5, b: 3 } };

try {
  const tools = await connected();
  for (const tool of tools) {
    const call = () =>
      session.query.controlRequest('mcp_call', { tool: `mcp__s__${tool}`, arguments: ARGUMENTS[tool] ?? {} });
    // A call that needs more rights than were granted fails; with new ones it may be made again, but not for ever.
    for (let tries = 0; tries < 3; tries += 1) {
      try {
        console.log(JSON.stringify(await call()));
        break;
      } catch (error) {
        console.log(`The call failed: ${error.message}`);
        if ((await connected().catch(() => undefined)) === undefined) break;
      }
    }
  }
} finally {
  await session.close();
}
