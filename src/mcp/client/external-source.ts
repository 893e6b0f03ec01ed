import type { SecretValues } from '../../protocol/base/secret-values.js';
import { redactConfig } from '../../protocol/base/secret-values.js';
import { StderrTail } from '../../protocol/transport/pipes.js';
import type { McpServerAdmission } from '../auth/admission.js';
import type { McpServerStatus } from '../status.js';
import { secretsOf } from '../upstream/secrets.js';
import { openUpstream } from '../upstream/upstream-link.js';
import { checkConfig, type ProxiedServerConfig, type StartProgram } from '../upstream/upstream-transport.js';
import type { McpServerSource, ServeRequest } from './server-source.js';

export interface ExternalSurroundings {
  readonly env: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd: string;
  /** The client capabilities that the server is told of. */
  readonly capabilities: object;
  readonly startProgram?: StartProgram | undefined;
  readonly serve: ServeRequest;
  readonly admission: McpServerAdmission | undefined;
}

/** An external server: a program started here, or one behind a URL. */
export function externalSource(
  name: string,
  config: ProxiedServerConfig,
  { capabilities, serve, admission, ...surroundings }: ExternalSurroundings,
): McpServerSource {
  checkConfig(config, `mcpServers: the server "${name}"`);
  const secrets = secretsOf(config);
  const stderr = new StderrTail();
  // Set by whoever read the configuration from a file.
  const { source = 'dynamic' } = config as { source?: string };
  return {
    name,
    transport: config.type ?? 'stdio',
    source,
    timeoutMs: config.timeout,
    policies: 'tools' in config ? (config.tools ?? []) : [],
    manifest: undefined,
    capabilities,
    serve,
    alwaysLoad: config.alwaysLoad,
    shownConfig: shown(config, secrets),
    lastStderr: () => secrets.hide(stderr.text),
    answered: () => admission?.succeeded(),
    admitted: () => admission?.admitted(),
    authorizationUrl: () => admission?.authorizationUrl,
    open: async (client, { onGone, signal, timeoutMs }) => {
      const auth = await admission?.auth();
      const wanted = { name, config, connectTimeoutMs: timeoutMs, signal, auth };
      const upstream = { ...wanted, ...surroundings, secrets, stderr };
      const link = await openUpstream(upstream, {
        message: (message) => client.receive(message),
        closed: (error) => onGone(error ?? new Error(`The MCP server "${name}" has ended.`)),
      });
      return { send: async (message) => link.send(message), close: async () => link.close() };
    },
  };
}

/** The configuration without secrets: the values of variables and headers, and any other occurrence of them. */
function shown(config: ProxiedServerConfig, secrets: SecretValues): NonNullable<McpServerStatus['config']> {
  // As the host receives it: only what is JSON.
  return secrets.hideIn(JSON.parse(JSON.stringify(redactConfig(config))));
}
