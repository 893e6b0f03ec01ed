/** The parts of a server's entry whose values are secret. */
export const SECRET_MAPS = ['env', 'headers'] as const;
export const REDACTED = '<redacted>';

/** A server's entry that is safe to show: the names in `env` and `headers`, not the values. */
export function redactConfig<Config extends object>(config: Config): Config {
  const shown: Record<string, unknown> = { ...(config as Record<string, unknown>) };
  for (const key of SECRET_MAPS) {
    const values = shown[key];
    if (typeof values === 'object' && values !== null) {
      shown[key] = Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]));
    } else if (values !== undefined) shown[key] = REDACTED;
  }
  return shown as Config;
}
