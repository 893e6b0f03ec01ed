import { SecretValues } from '../../protocol/base/secret-values.js';
import type { ProxiedServerConfig } from './upstream-transport.js';

/** The values a user gave a server as environment variables, headers or credentials. */
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
