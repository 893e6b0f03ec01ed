/** The newest revision of MCP that we speak, and the one that we ask for. */
export const LATEST_PROTOCOL_VERSION = '2025-11-25';

/** All revisions that we speak, as server and client: the parts we use are the same in each. */
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

/** MCP's rule: the requested version if we speak it, otherwise our newest. */
export function negotiateProtocolVersion(requested: unknown): string {
  return isKnownProtocolVersion(requested) ? requested : LATEST_PROTOCOL_VERSION;
}
