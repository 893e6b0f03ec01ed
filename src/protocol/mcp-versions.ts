/** The newest revision of MCP that we speak: the one that we ask for. */
export const LATEST_PROTOCOL_VERSION = '2025-11-25';

/** All that we speak, as a server and as a client: what we use of them is the same in each. */
const SUPPORTED: readonly unknown[] = [
  LATEST_PROTOCOL_VERSION,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

export function isKnownProtocolVersion(version: unknown): version is string {
  return SUPPORTED.includes(version);
}

/** MCP's rule: the version that was asked for where we speak it, else our newest. */
export function negotiateProtocolVersion(requested: unknown): string {
  return isKnownProtocolVersion(requested) ? requested : LATEST_PROTOCOL_VERSION;
}
