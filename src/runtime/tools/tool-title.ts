/** What people are shown of a tool, in the names of `tool_use_meta`. */
export interface ToolTitle {
  display_name: string;
  server_display_name?: string;
  tool_name?: string;
}

/** `get-env` is shown as `Get-Env`. */
export function titleFrom(name: string): string {
  return name.replaceAll(
    /(^|[^a-zA-Z0-9])([a-z])/g,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}

/** Of a tool that no server has: the model's own word for it. The agent's own tools need no title. */
export function titleOfUnknown(name: string): ToolTitle | undefined {
  const [, tool] = /^mcp__.+?__(.+)$/.exec(name) ?? [];
  return tool === undefined ? undefined : { display_name: titleFrom(tool) };
}
