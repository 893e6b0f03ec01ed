import { type ListedTool, OptionError } from '../../index.js';
import { mcpToolName } from '../../mcp/tool-names.js';
import { closest } from '../../protocol/base/similar.js';
import type { ListedServer } from '../tools-file/listed-servers.js';

export interface ChosenTool {
  readonly server: ListedServer;
  readonly tool: ListedTool;
}

/** By its own name, with its server's (`shop.stock`), or as the model calls it (`mcp__shop__stock`). */
export function chooseTool(
  servers: readonly ListedServer[],
  name: string | undefined,
  server: string | undefined,
): ChosenTool {
  const candidates = inServer(servers, server).flatMap((each) =>
    each.tools.map((tool) => ({ server: each, tool })),
  );
  if (name === undefined) {
    const names = candidates.map(({ tool }) => tool.name).join(', ');
    throw new OptionError(
      'tool',
      name,
      `a tool is required. ${names === '' ? 'There are none.' : `The tools are: ${names}.`}`,
    );
  }
  const found = candidates.filter((each) => namesOf(each).includes(name));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw unknownTool(candidates, name);
  const owners = found.map((each) => each.server.name).join(', ');
  throw new OptionError(
    'tool',
    name,
    `several servers have a tool "${name}": ${owners}. Choose one with --server.`,
  );
}

function namesOf({ server, tool }: ChosenTool): string[] {
  return [tool.name, `${server.name}.${tool.name}`, mcpToolName(server.name, tool.name)];
}

function inServer(servers: readonly ListedServer[], name: string | undefined): readonly ListedServer[] {
  if (name === undefined) return servers;
  const found = servers.filter((server) => server.name === name);
  if (found.length > 0) return found;
  const names = servers.map((server) => server.name);
  const suggestion = closest(name, names);
  const remedy =
    suggestion === undefined ? `The servers are: ${names.join(', ')}.` : `Did you mean ${suggestion}?`;
  throw new OptionError('--server', name, `--server "${name}": there is no such server. ${remedy}`);
}

function unknownTool(candidates: readonly ChosenTool[], name: string): OptionError {
  const names = candidates.map(({ tool }) => tool.name);
  const suggestion = closest(name, names) ?? closest(name, candidates.flatMap(namesOf));
  const remedy =
    suggestion !== undefined
      ? `Did you mean "${suggestion}"?`
      : names.length === 0
        ? 'There are no tools.'
        : `The tools are: ${names.join(', ')}.`;
  return new OptionError('tool', name, `there is no tool "${name}". ${remedy}`);
}
