import { SecretValues } from '../../protocol/secret-values.js';
import type { ProxiedServerConfig } from './upstream-transport.js';

/** What the user gave as environment, headers or credentials of a server. */
export function secretsOf(config: ProxiedServerConfig): SecretValues {
  const secrets = new SecretValues();
  secrets.add(config);
  if ('url' in config) {
    const { username, password, searchParams } = new URL(config.url);
    const inUrl = [username, password, ...searchParams.values()];
    secrets.addValues(inUrl.flatMap((value) => [value, encodeURIComponent(value)]));
  }
  return secrets;
}
