import { once } from 'node:events';
import { OptionError, type ServableServer, serveHttp, serveStdio } from '../index.js';
import { type Arguments, defineCommand, type Values } from './arguments/command.js';
import { EXIT } from './exit-codes.js';
import { consoleTo } from './terminal/own-console.js';
import { palette } from './terminal/palette.js';
import { print, printJson } from './terminal/print.js';
import { type FoundServer, loadTools } from './tools-file/load-tools.js';

const options = {
  stdio: { type: 'boolean', help: 'serve the program that starts this command, over stdin and stdout' },
  http: { type: 'string', value: '<port>', help: 'serve over HTTP; 0 takes a free port' },
  host: {
    type: 'string',
    value: '<address>',
    help: 'with --http: the address to listen on; default 127.0.0.1',
  },
  'allow-host': {
    type: 'string',
    value: '<name>',
    multiple: true,
    help: 'with --host: a name under which clients reach this machine',
  },
  name: { type: 'string', value: '<server>', help: 'which server, if the file has several' },
  json: { type: 'boolean', help: 'with --http: print the address as a line of JSON' },
} as const;

export const serveCommand = defineCommand({
  name: 'serve',
  usage: '<file> --stdio | --http <port>',
  summary: 'Serves the tools of a file to any MCP client.',
  details:
    'There is no login: anyone who can reach the port can use the tools. With --stdio, what the tools print with\n' +
    'console.log goes to stderr, because stdout belongs to the protocol. Ctrl-C stops it.',
  options,
  examples: [
    { command: 'tenon serve ./tools.js --http 3000', does: 'on this machine, at http://127.0.0.1:3000/mcp' },
    {
      command: 'claude mcp add shop -- npx tenon serve ./tools.js --stdio',
      does: 'let Claude Code start it',
    },
    { command: 'tenon serve ./tools.js --http 0 --json', does: 'on a free port, for a script' },
  ],
  maxPositionals: 1,
  execute: serve,
});

async function serve({ values, positionals }: Arguments<typeof options>): Promise<number> {
  const [file] = positionals;
  if (file === undefined) {
    throw new OptionError('file', file, 'a tools file is required: tenon serve ./tools.js --http 3000');
  }
  checkMode(values);
  const port = readPort(values.http);
  // Before the file is loaded: it may print while loading.
  if (port === undefined) consoleTo((lines) => print(`${lines}\n`, process.stderr));
  const server = chooseServer(await loadTools([file], 'file'), values.name, file);
  return port === undefined ? overStdio(server) : overHttp(server, port, values);
}

async function overStdio(server: FoundServer): Promise<number> {
  const serving = await serveStdio(servable(server));
  const stop = () => void serving.close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  await serving.closed;
  // The tools' timers and connections would keep alive a server that nobody can reach any more.
  process.exit(EXIT.ok);
}

async function overHttp(server: FoundServer, port: number, values: Values<typeof options>): Promise<number> {
  const serving = await serveHttp(servable(server), {
    port,
    host: values.host,
    allowedHosts: values['allow-host'],
  });
  const { url } = serving;
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')]);
  if (values.json === true) {
    const facts = { type: 'listening', url, port: serving.port, name: server.name, tools: server.tools };
    printJson(facts);
  } else {
    const paint = palette(process.stderr);
    const { length } = server.tools;
    print(
      `${paint.green('✓')} "${server.name}" with ${length} ${length === 1 ? 'tool' : 'tools'} is served at ${paint.bold(url)}\n` +
        `  ${paint.dim(`claude mcp add --transport http ${server.name} ${url}`)}\n` +
        `  ${paint.dim('Press Ctrl-C to stop.')}\n`,
      process.stderr,
    );
  }
  await stopped;
  await serving.close();
  process.exit(EXIT.ok);
}

/** Unchecked: the functions that serve it report what cannot be served. */
function servable({ config }: FoundServer): ServableServer {
  return config as unknown as ServableServer;
}

function checkMode({ stdio, http, host, 'allow-host': names, json }: Values<typeof options>): void {
  if ((stdio === true) === (http !== undefined)) {
    throw new OptionError(
      '--stdio',
      stdio,
      'choose how to serve: either --stdio or --http <port>. See: tenon serve --help',
    );
  }
  if (stdio !== true) return;
  for (const [option, value] of Object.entries({ '--host': host, '--allow-host': names })) {
    if (value === undefined) continue;
    throw new OptionError(option, value, `${option} can be used only with --http, not with --stdio.`);
  }
  if (json === true) {
    throw new OptionError(
      '--json',
      json,
      '--json can be used only with --http: with --stdio, stdout belongs to the protocol.',
    );
  }
}

function readPort(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new OptionError('--http', given, `--http must be a port from 0 to 65535; it is "${given}".`);
}

function chooseServer(servers: readonly FoundServer[], name: string | undefined, file: string): FoundServer {
  const names = servers.map((server) => server.name).join(', ');
  if (name === undefined) {
    const [only, ...more] = servers;
    if (only !== undefined && more.length === 0) return only;
    throw new OptionError('--name', name, `"${file}" has several servers: ${names}. Choose one with --name.`);
  }
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  throw new OptionError('--name', name, `--name "${name}": "${file}" has no such server. It has: ${names}.`);
}
