import { OptionError } from '../../index.js';
import { type Arguments, defineCommand } from '../arguments/command.js';
import { EXIT } from '../exit-codes.js';
import { readServers } from '../run/server-option.js';
import { consoleTo } from '../terminal/own-console.js';
import { palette } from '../terminal/palette.js';
import { print, printJson } from '../terminal/print.js';
import { ListedServers } from '../tools-file/listed-servers.js';
import { loadTools } from '../tools-file/load-tools.js';
import { toolList } from './tool-list.js';

const options = {
  server: { type: 'string', value: '<name>=<command or URL>', multiple: true, help: 'another MCP server' },
  json: { type: 'boolean', help: 'print them as JSON, with their whole schemas' },
} as const;

export const toolsCommand = defineCommand({
  name: 'tools',
  usage: '<file> [options]',
  summary: 'Shows the tools of a file: what they are for, and what they take.',
  details: 'As an agent gets them from the server. Nothing is called, and no agent is started.',
  options,
  examples: [
    { command: 'tenon tools ./tools.js', does: 'the tools of a file' },
    { command: 'tenon tools ./tools.js --json', does: 'with their whole schemas, for a script' },
    {
      command: 'tenon tools --server wiki=https://wiki.example.com/mcp',
      does: 'the tools of another server',
    },
  ],
  maxPositionals: 1,
  execute: tools,
});

async function tools({ values, positionals: [file] }: Arguments<typeof options>): Promise<number> {
  const others = readServers(values.server ?? []);
  if (file === undefined && Object.keys(others).length === 0) {
    throw new OptionError('file', file, 'a tools file is required: tenon tools ./tools.js');
  }
  consoleTo((lines) => print(`${lines}\n`, process.stderr));
  const found = await loadTools(file === undefined ? [] : [file], 'file');
  const listed = await ListedServers.open(found, others);
  await listed[Symbol.asyncDispose]();
  if (values.json === true) {
    const facts = listed.servers.map(({ name, instructions, tools }) => ({ name, instructions, tools }));
    printJson({ servers: facts }, { indent: 2 });
  } else {
    const { isTTY, columns } = process.stdout;
    const layout = { paint: palette(process.stdout), columns: isTTY ? columns || 80 : undefined };
    print(toolList(listed.servers, layout));
  }
  return EXIT.ok;
}
