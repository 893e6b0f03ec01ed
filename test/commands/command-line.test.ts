/** The command line itself: help, errors, exit codes, colour. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Command, readArguments } from '../../src/commands/arguments/command.js';
import { callCommand } from '../../src/commands/call/command.js';
import { devCommand } from '../../src/commands/dev/command.js';
import { doctorCommand } from '../../src/commands/doctor/command.js';
import { inspectCommand } from '../../src/commands/inspect/command.js';
import { main } from '../../src/commands/main.js';
import { mcpCommand } from '../../src/commands/mcp/command.js';
import { newCommand } from '../../src/commands/new/command.js';
import { replayCommand } from '../../src/commands/replay/command.js';
import { runCommand } from '../../src/commands/run/command.js';
import { serveCommand } from '../../src/commands/serve.js';
import { toolsCommand } from '../../src/commands/tools/command.js';
import { toolsFile } from './support/agent.js';
import { type Finished, program, tenon } from './support/tenon.js';

const COMMANDS = ['run', 'dev', 'tools', 'call', 'inspect', 'replay', 'serve', 'doctor', 'mcp', 'new'];
const ESCAPE = '\u001b';

/** What is refused before anything starts needs no process of its own. */
async function inThisProcess(args: readonly string[]): Promise<Finished> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += text;
      return true;
    }),
  );
  const { console } = globalThis;
  vi.stubEnv('NO_COLOR', '1');
  try {
    return { code: await main(args), ...written };
  } finally {
    // `run` takes the console for itself.
    globalThis.console = console;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}

describe('help', () => {
  it('lists every command, also without any argument', async () => {
    const [bare, asked] = await Promise.all([tenon([]), tenon(['--help'])]);
    expect(bare).toEqual(asked);
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    for (const command of COMMANDS) expect(asked.stdout).toContain(`tenon ${command} `);
  });

  it.each(COMMANDS)('of "%s" has its options and examples', async (command) => {
    const [flag, word] = await Promise.all([tenon([command, '--help']), tenon(['help', command])]);
    expect(flag).toEqual(word);
    expect(flag.code).toBe(0);
    expect(flag.stdout).toMatch(/^Options\n {2}--/m);
    expect(flag.stdout).toMatch(/^Examples\n {2}# .+\n {2}.*tenon /m);
  });

  it('has the version', async () => {
    expect((await tenon(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a wrong command line exits with 2 and names the option, the value and the remedy', () => {
  const cases: [args: string[], message: RegExp][] = [
    [['rum'], /there is no command "rum"\. Did you mean "run"\?/],
    [['dance'], /there is no command "dance"\. The commands are: run, /],
    [['run', 'x', '--tool', 'y'], /there is no option --tool\. Did you mean --tools\?/],
    [['run', 'x', '--runtime', 'bun'], /--runtime must be one of cli, embedded; it is "bun"/],
    [['run', 'x', '--tools'], /--tools needs a value: --tools <file>/],
    [['run', 'x', '--tools', '--yes'], /--tools needs a value/],
    [['run', 'x', '--yes=no'], /--yes does not take a value/],
    [['run', 'x', '--model', 'a', '--model', 'b'], /--model can be given only once/],
    [['run', 'What', 'is', 'this?'], /is one argument too many\. Put quotes around/],
    [['run', 'What', 'is'], /Put quotes around the prompt: tenon run "What is"/],
    [['run', '  '], /a prompt is required/],
    [['run', 'x', '--max-turns', '0'], /--max-turns must be a whole number of at least 1; it is "0"/],
    [['run', 'x', '--server', 'files'], /--server "files": it must have the form <name>=/],
    [['run', 'x', '--server', 'a=npx "b'], /a quote is not closed/],
    [['run', 'x', '--server', 'a={"type":'], /the JSON cannot be read/],
    [['run', 'x', '--server', 'a=http://['], /is not a URL/],
    [['run', 'x', '--tools', './absent.js'], /--tools "\.\/absent\.js": there is no such file/],
    [['run', 'x', '--tools', '.'], /is a folder; name a file in it/],
    [['run', 'x', '--tools', 'package.json'], /a tools file must be a JavaScript or TypeScript module/],
    [
      ['run', 'x', '--tools', toolsFile, '--tools', toolsFile],
      /another file already has a server named "tools"/,
    ],
    [['run', 'x', '--tools', toolsFile, '--server', 'tools=npx x'], /Choose another name/],
    [['run', 'x', '--inspect=contol'], /--inspect must stand alone, or be --inspect=control; it is "contol"/],
    [['run', 'x', '--resume', 'a', '--continue'], /choose one of --resume <session> and --continue/],
    [['dev'], /a tools file is required: tenon dev \.\/tools\.js/],
    [['dev', './absent.js', '--runtime', 'rehearsal'], /file "\.\/absent\.js": there is no such file/],
    [['dev', toolsFile, '--port', 'x'], /--port must be a port from 0 to 65535; it is "x"/],
    [['dev', toolsFile, '--replay', 'no.tape'], /--replay "no\.tape": there is no such file/],
    [['dev', toolsFile, '--replay', toolsFile, '--runtime', 'cli'], /--replay needs the embedded runtime/],
    [['dev', toolsFile, '--runtim', 'cli'], /there is no option --runtim\. Did you mean --runtime\?/],
    [['call'], /a tools file is required: tenon call/],
    [['replay'], /a recording is required: tenon replay run\.tape/],
    [['serve'], /a tools file is required/],
    [['serve', toolsFile], /either --stdio or --http <port>/],
    [['serve', toolsFile, '--stdio', '--http', '1'], /either --stdio or --http <port>/],
    [['serve', toolsFile, '--stdio', '--host', 'x'], /--host can be used only with --http/],
    [['serve', toolsFile, '--stdio', '--allow-host', 'x'], /--allow-host can be used only with --http/],
    [['serve', toolsFile, '--http', 'eighty'], /--http must be a port from 0 to 65535; it is "eighty"/],
    [['serve', toolsFile, '--http', '70000'], /it is "70000"/],
    [['serve', toolsFile, '--http', '0', '--name', 'x'], /has no such server\. It has: tools\./],
    [['serve', toolsFile, '--http', '0', '--host', '0.0.0.0'], /allowedHosts|--allow-host/],
    [['mcp'], /say what to show: tenon mcp list, or tenon mcp get <name>\./],
    [['mcp', 'lst'], /"lst" is neither/],
    [['mcp', 'get'], /a name is required: tenon mcp get <name>/],
    [['doctor', 'now'], /"now" is one argument too many\. This command takes only options/],
    [['doctor', '--timeout', 'soon'], /--timeout must be a number of seconds above 0; it is "soon"/],
    [['new'], /a folder is required: tenon new shop/],
  ];

  it.each(cases)('%j', async (args, message) => {
    const { code, stdout, stderr } = await inThisProcess(args);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^tenon( \w+)?: /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('also of the program itself', async () => {
    const { code, stdout, stderr } = await tenon(['run', 'x', '--tools', './absent.js']);
    expect(stderr).toMatch(/^tenon run: --tools "\.\/absent\.js": there is no such file/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('and is JSON on stdout for a script', async () => {
    const { code, stdout, stderr } = await tenon(['run', 'x', '--tools', 'absent.js', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', code: 'INVALID_OPTION' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
  });
});

describe('the commands that are written down', () => {
  const commands = [
    runCommand,
    devCommand,
    toolsCommand,
    callCommand,
    inspectCommand,
    replayCommand,
    serveCommand,
    doctorCommand,
    mcpCommand,
    newCommand,
  ];
  const guide = readFileSync(new URL('../../docs/guide/command-line.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
  const lines = [
    ...blocks.flatMap((block) => block.split('\n')),
    ...commands.flatMap(({ examples }) => examples.map(({ command }) => command)),
  ];
  /** Of a line with `npx tenon run "a b" > file && …   # comment`: run, a b. */
  const calls = lines.flatMap((line) =>
    line.split(' && ').flatMap((part) => {
      const words = part.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
      const end = words.findIndex((word) => /^(#|>|<|\|)/.test(word));
      const own = (end === -1 ? words : words.slice(0, end)).map((word) =>
        word.replaceAll(/^["']|["']$/g, ''),
      );
      const at = own.indexOf('tenon');
      return at === -1 ? [] : [own.slice(at + 1)];
    }),
  );

  it('are found by this test', () => {
    expect(calls.length).toBeGreaterThan(20);
    expect(new Set(calls.map(([name]) => name))).toEqual(new Set(['--help', ...COMMANDS]));
  });

  it.each(calls.filter(([name]) => name !== '--help'))('can be read: %s %s %s', (name, ...args) => {
    const command = commands.find((each) => each.name === name) as Command;
    if (args[0] !== '--help') expect(() => readArguments(command, args)).not.toThrow();
  });
});

it('imports the entries of the package and copies nothing of them that must exist once', () => {
  const folder = dirname(program);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const texts = files.map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(texts.some((text) => text.includes('from "tenon"'))).toBe(true);
  expect(
    files.filter((_, index) => /class \w+ extends|Symbol\.for\(|new WeakMap/.test(texts[index] ?? '')),
  ).toEqual([]);
});

describe('colour', () => {
  const PATH = process.env.PATH ?? '';

  it('is in a pipe only when FORCE_COLOR asks for it, and never with NO_COLOR', async () => {
    const [piped, forced, both, off] = await Promise.all([
      tenon(['--help'], { env: { PATH } }),
      tenon(['--help'], { env: { PATH, FORCE_COLOR: '1' } }),
      tenon(['--help'], { env: { PATH, FORCE_COLOR: '1', NO_COLOR: '1' } }),
      tenon(['--help'], { env: { PATH, FORCE_COLOR: '0' } }),
    ]);
    expect(forced.stdout).toContain(`${ESCAPE}[1m`);
    for (const { stdout } of [piped, both, off]) expect(stdout).not.toContain(ESCAPE);
  });
});
