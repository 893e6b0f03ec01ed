import type { McpServerConfigForProcessTransport } from '../../mcp/types.js';
import { isRecord } from '../../protocol/base/kinds.js';

/**
 * Values that become variables. The CLI replaces `${NAME}` from its environment before it looks at anything
 * else, its policy included.
 */
class HiddenValues {
  readonly #names = new Map<string, string>();

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  hide(value: string): string {
    // A value that contains a variable is left for the CLI to expand: it expands only once.
    if (value.includes('${')) return value;
    const name = this.#names.get(value) ?? `TENON_MCP_VALUE_${this.#names.size}`;
    this.#names.set(value, name);
    return `\${${name}}`;
  }

  hideAll(values: Record<string, string>): Record<string, string> {
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, this.hide(value)]));
  }

  /** What the agent's environment has to contain. */
  get variables(): Record<string, string> {
    return Object.fromEntries([...this.#names].map(([value, name]) => [name, value]));
  }

  /** For the environment of a server, which would otherwise inherit the secrets of all the others. */
  get blanks(): Record<string, string> {
    return Object.fromEntries([...this.#names.values()].map((name) => [name, '']));
  }
}

/**
 * Servers without anything that may be secret, for a command line that others can see. The values are added
 * to the agent's environment.
 */
export function secretsToEnvironment(
  servers: Readonly<Record<string, McpServerConfigForProcessTransport>>,
  env: NodeJS.ProcessEnv,
): Record<string, McpServerConfigForProcessTransport> {
  const hidden = new HiddenValues();
  const shown = Object.entries(servers).map(([name, config]) => [name, shownServer(config, hidden)] as const);
  Object.assign(env, hidden.variables);
  if (hidden.isEmpty) return Object.fromEntries(shown);
  return Object.fromEntries(
    shown.map(([name, config]) => [
      name,
      'command' in config ? { ...config, env: { ...hidden.blanks, ...config.env } } : config,
    ]),
  );
}

function shownServer(
  config: McpServerConfigForProcessTransport,
  hidden: HiddenValues,
): McpServerConfigForProcessTransport {
  if ('command' in config) {
    const { args, env } = config;
    return {
      ...config,
      ...(args === undefined ? {} : { args: args.map((arg) => (isFlag(arg) ? arg : hidden.hide(arg))) }),
      ...(env === undefined ? {} : { env: hidden.hideAll(env) }),
    };
  }
  if (!('url' in config)) return config;
  const { url, headers } = config;
  const shown: typeof config = withoutClientSecret(config);
  return {
    ...shown,
    url: isBareOrigin(url) ? url : hidden.hide(url),
    ...(headers === undefined ? {} : { headers: hidden.hideAll(headers) }),
  };
}

function isFlag(arg: string): boolean {
  return /^--?[a-z][a-z-]*$/.test(arg);
}

/** A host and perhaps a port: nothing in it can be secret. */
function isBareOrigin(url: string): boolean {
  return /^https?:\/\/[\w.-]+(:\d+)?\/?$/.test(url);
}

/** The CLI reads no secret of a client from there, and would not replace a variable either. */
function withoutClientSecret<Config extends object>(config: Config): Config {
  if (!('oauth' in config) || !isRecord(config.oauth)) return config;
  const { clientSecret: _secret, ...oauth } = config.oauth;
  return { ...config, oauth };
}
