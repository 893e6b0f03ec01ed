import {
  OptionError,
  type ResolvedMcpConfig,
  type ResolvedMcpServer,
  resolveMcpConfig,
} from '../../index.js';
import { closest } from '../../protocol/base/similar.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { oneLine } from '../terminal/harmless.js';
import { type Palette, palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import { widthOf } from '../terminal/text-width.js';
import { placeText, problemText, serverText, shortPath } from './server-text.js';

const options = {
  json: { type: 'boolean', help: 'print it as JSON; values of env and headers are hidden there too' },
} as const;

export const mcpCommand = defineCommand({
  name: 'mcp',
  usage: 'list | get <name>',
  summary: 'Shows which MCP servers are configured here, where, and which of two with the same name wins.',
  details:
    'Reads the files that an agent in this folder would read, without starting any server: tenon doctor starts them.\n' +
    'If two servers have the same name, the first of these places wins: local, project, user, policy.',
  options,
  examples: [
    { command: 'tenon mcp list', does: 'all servers, and what is wrong with the files' },
    { command: 'tenon mcp get github', does: 'one server, and why it is this one' },
    { command: 'tenon mcp list --json', does: 'for a script' },
  ],
  maxPositionals: 2,
  execute: showServers,
});

async function showServers({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const [what, name, ...more] = positionals;
  const config = resolveMcpConfig();
  const json = values.json === true;
  if (what === 'list' && name === undefined) return list(config, json);
  if (what === 'get' && name !== undefined && more.length === 0) return get(config, name, json);
  throw new OptionError(
    'mcp',
    what,
    what === 'get'
      ? 'a name is required: tenon mcp get <name>'
      : `say what to show: tenon mcp list, or tenon mcp get <name>${what === undefined ? '' : `; "${positionals.join(' ')}" is neither`}.`,
  );
}

function list(config: ResolvedMcpConfig, json: boolean): number {
  const servers = Object.values(config.servers);
  if (json) {
    printJson({ servers, problems: config.problems, files: config.files });
    return EXIT.ok;
  }
  const paint = palette(process.stdout);
  const width = Math.max(0, ...servers.map(({ name }) => widthOf(oneLine(name))));
  const lines = servers.flatMap((server) => {
    const { origin, shadows } = server;
    const name = oneLine(server.name);
    const padding = ' '.repeat(width - widthOf(name));
    const hides = shadows.length === 0 ? '' : `; wins over ${shadows.map(placeText).join(' and ')}`;
    return [
      `${mark(server, paint)} ${paint.bold(name)}${padding}  ${serverText(server)}`,
      `  ${' '.repeat(width)}  ${paint.dim(`${placeText(origin)}${hides}`)}`,
    ];
  });
  const empty = `No MCP servers are configured here. ${searchedFiles(config)}`;
  print(`${[...(servers.length === 0 ? [empty] : lines), ...problemLines(config, paint)].join('\n')}\n`);
  return EXIT.ok;
}

function get(config: ResolvedMcpConfig, name: string, json: boolean): number {
  const server = Object.hasOwn(config.servers, name) ? config.servers[name] : undefined;
  if (server === undefined) return notConfigured(config, name, json);
  if (json) {
    printJson(server);
    return EXIT.ok;
  }
  const paint = palette(process.stdout);
  const { origin, shadows, written, error, readByClaudeCode } = server;
  const rows: [string, string][] = [
    ['server', serverText(server)],
    ['from', placeText(origin)],
    ['read by', readByClaudeCode ? 'Claude Code itself' : 'Tenon, which passes it on to the agent'],
    ...names('env', written),
    ...names('headers', written),
    ...shadows.map((shadow): [string, string] => [
      'wins over',
      `${placeText(shadow)}: ${shadow.place === origin.place ? 'a file that is read later' : `"${origin.place}" takes precedence over "${shadow.place}"`}`,
    ]),
    ...(error === undefined ? [] : [['error', oneLine(error.message)] as [string, string]]),
  ];
  const lines = rows.map(([label, text]) => `  ${paint.dim(label.padEnd(9))}  ${text}`);
  print(`${[`${mark(server, paint)} ${paint.bold(oneLine(name))}`, ...lines].join('\n')}\n`);
  return EXIT.ok;
}

function notConfigured(config: ResolvedMcpConfig, name: string, json: boolean): number {
  const all = Object.keys(config.servers);
  const suggestion = closest(name, all);
  const others =
    all.length === 0 ? searchedFiles(config) : `The servers are: ${all.map(oneLine).join(', ')}.`;
  const message = `no server "${oneLine(name)}" is configured here. ${suggestion === undefined ? others : `Did you mean "${oneLine(suggestion)}"?`}`;
  if (json) printJson({ type: 'error', code: 'NOT_CONFIGURED', message });
  else print(`${palette(process.stderr).red('tenon mcp:')} ${message}\n`, process.stderr);
  return EXIT.failed;
}

function mark({ error }: ResolvedMcpServer, paint: Palette): string {
  return error === undefined ? paint.green('✓') : paint.red('✗');
}

/** Only the names: the values may be secret. */
function names(field: 'env' | 'headers', written: object): [string, string][] {
  const values = (written as Record<string, unknown>)[field];
  if (typeof values !== 'object' || values === null) return [];
  return [[field, oneLine(Object.keys(values).join(', '))]];
}

function problemLines({ problems }: ResolvedMcpConfig, paint: Palette): string[] {
  return problems.map((problem) => {
    const text = problemText(problem);
    return problem.severity === 'error' ? paint.red(`✗ ${text}`) : paint.yellow(`! ${text}`);
  });
}

function searchedFiles({ files }: ResolvedMcpConfig): string {
  const near = files
    .filter(({ place }) => place === 'project' || place === 'user')
    .map(({ path }) => shortPath(path));
  return `Looked for ${near.slice(0, 2).join(', ')} and others; see: tenon mcp list --json`;
}
