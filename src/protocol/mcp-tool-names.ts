/** What a tool's name may not have; the CLI puts `_` in its place. */
const FOREIGN = /[^a-zA-Z0-9_-]/g;

/** What the names of all tools of a server begin with, and a rule about all of them is: `mcp__server`. */
export function mcpToolPrefix(server: string): string {
  return `mcp__${server}`.replace(FOREIGN, '_');
}

/** The name that the model sees of a server's tool. */
export function mcpToolName(server: string, tool: string): string {
  return `${mcpToolPrefix(server)}__${tool.replace(FOREIGN, '_')}`;
}
