import type { McpServerConfigForProcessTransport } from '../mcp/types.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable that is not set and has no default, and the field that needs it: `env.TOKEN`, `args[1]`. */
export interface MissingVariable {
  variable: string;
  field: string;
}

export interface ExpandedServer<Config> {
  config: Config;
  missing: MissingVariable[];
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** The fields in which `${VAR}` and `${VAR:-default}` are replaced. Elsewhere they are plain text. */
const PLACES = ['command', 'args', 'env', 'url', 'headers'] as const;

/** The server with its variables replaced. The value of a variable is not expanded again. */
export function expandServer<Config extends McpServerConfigForProcessTransport>(
  config: Config,
  env: Environment,
): ExpandedServer<Config> {
  const missing: MissingVariable[] = [];
  const expanded: Record<string, unknown> = { ...config };
  for (const place of PLACES) {
    if (place in expanded) expanded[place] = expandValue(expanded[place], place, env, missing);
  }
  return { config: expanded as Config, missing };
}

function expandValue(value: unknown, field: string, env: Environment, missing: MissingVariable[]): unknown {
  if (typeof value === 'string') return expandText(value, field, env, missing);
  if (Array.isArray(value)) {
    return value.map((item, index) => expandValue(item, `${field}[${index}]`, env, missing));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expandValue(item, `${field}.${key}`, env, missing)]),
  );
}

function expandText(text: string, field: string, env: Environment, missing: MissingVariable[]): string {
  return text.replace(VARIABLE, (written, variable: string, fallback: string | undefined) => {
    const value = env[variable] ?? fallback;
    if (value === undefined) missing.push({ variable, field });
    return value ?? written;
  });
}
