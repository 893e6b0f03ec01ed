/** The revisions of MCP whose messages an in-process server's methods are the same in. Newest first. */
const SUPPORTED = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;

export const LATEST_PROTOCOL_VERSION: string = SUPPORTED[0];

/** MCP's rule: the version that was asked for where we speak it, else our newest. */
export function negotiateProtocolVersion(requested: unknown): string {
  return SUPPORTED.find((version) => version === requested) ?? LATEST_PROTOCOL_VERSION;
}
