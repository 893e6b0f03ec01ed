import type { McpServerConfig, Options } from '../../index.js';
import { OptionError } from '../../index.js';
import { mcpToolName, mcpToolPrefix } from '../../mcp/tool-names.js';
import type { Screen } from '../terminal/screen.js';
import type { FoundServer } from '../tools-file/load-tools.js';

/** The file may be another one than was asked for: a recording never overwrites anything. */
export function recording(
  record: string | undefined,
  screen: Screen,
  note: (text: string) => void,
): Pick<Options, 'record' | 'onDebug' | 'stderr'> {
  if (record === undefined) return {};
  return {
    record,
    onDebug: ({ kind, message }) => kind === 'record' && note(`${capitalised(message)}.`),
    // Warnings of Tenon itself; the agent's own words are not shown in a run.
    stderr: (text) => text.startsWith('tenon: ') && screen.note(screen.paint.yellow(text.trimEnd())),
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The servers of the files, and those of `--server`. */
export function addServers(
  found: readonly FoundServer[],
  others: Record<string, McpServerConfig>,
): Record<string, McpServerConfig> {
  for (const { name } of found) {
    if (!Object.hasOwn(others, name)) continue;
    throw new OptionError(
      '--server',
      name,
      `--server ${name}=…: the tools file already has a server of that name. Choose another name.`,
    );
  }
  return { ...Object.fromEntries(found.map(({ name, config }) => [name, config])), ...others };
}

/** `add` is short for `mcp__tools__add` if a file has a tool of that name. */
export function allowedTools(
  values: { allow?: readonly string[]; yes?: boolean },
  found: readonly FoundServer[],
  servers: readonly string[],
): string[] {
  const fullNames = new Map(
    found.flatMap(({ name, tools }) => tools.map((tool) => [tool, mcpToolName(name, tool)] as const)),
  );
  return [
    ...(values.allow ?? []).map((rule) => fullNames.get(rule) ?? rule),
    ...(values.yes === true ? servers.map((name) => `${mcpToolPrefix(name)}__*`) : []),
  ];
}
