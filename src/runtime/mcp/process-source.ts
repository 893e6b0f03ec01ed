import { secretsOf } from '../../authoring/proxy/secrets.js';
import { openUpstream } from '../../authoring/proxy/upstream-link.js';
import { checkConfig, type ProxiedServerConfig } from '../../authoring/proxy/upstream-transport.js';
import type { McpServerStatus } from '../../protocol/mcp-status.js';
import { redactConfig } from '../../protocol/redact-config.js';
import type { SecretValues } from '../../protocol/secret-values.js';
import { StderrTail } from '../../protocol/stderr-tail.js';
import type { McpServerAdmission } from './auth/admission.js';
import type { McpServerSource } from './mcp-server-source.js';
import { EXTERNAL_CAPABILITIES, type ServeRequest } from './server-requests.js';

export interface ProcessSurroundings {
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd: string;
  readonly serve: ServeRequest;
  readonly admission: McpServerAdmission | undefined;
}

/** A server outside: a program that is started here, or one behind a URL. */
export function processSource(
  name: string,
  config: ProxiedServerConfig,
  { env, cwd, serve, admission }: ProcessSurroundings,
): McpServerSource {
  checkConfig(config, `mcpServers: the server "${name}"`);
  const secrets = secretsOf(config);
  const stderr = new StderrTail();
  // Whoever read the configuration may say where it was.
  const { source = 'dynamic' } = config as { source?: string };
  return {
    name,
    transport: config.type ?? 'stdio',
    source,
    timeoutMs: config.timeout,
    policies: 'tools' in config ? (config.tools ?? []) : [],
    manifest: undefined,
    capabilities: EXTERNAL_CAPABILITIES,
    serve,
    alwaysLoad: config.alwaysLoad,
    shownConfig: shown(config, secrets),
    lastStderr: () => secrets.hide(stderr.text),
    answered: () => admission?.succeeded(),
    admitted: () => admission?.admitted(),
    authorizationUrl: () => admission?.authorizationUrl,
    open: async (client, { gone, signal, timeoutMs }) => {
      const auth = await admission?.auth();
      const upstream = { name, config, connectTimeoutMs: timeoutMs, env, cwd, secrets, stderr, signal, auth };
      const link = await openUpstream(upstream, {
        message: (message) => client.receive(message),
        closed: (error) => gone(error ?? new Error(`The MCP server "${name}" has ended.`)),
      });
      return { send: async (message) => link.send(message), close: async () => link.close() };
    },
  };
}

/** The configuration without what is secret: values of variables and headers, and wherever else the same values are. */
function shown(config: ProxiedServerConfig, secrets: SecretValues): NonNullable<McpServerStatus['config']> {
  // As it is told to the host: without what is no JSON.
  return secrets.hideIn(JSON.parse(JSON.stringify(redactConfig(config))));
}
