import { OptionError, TenonError } from '../index.js';
import { messageOf } from '../protocol/base/errors.js';
import { closest } from '../protocol/base/similar.js';
import { type Command, readArguments } from './arguments/command.js';
import { commandHelp, overview } from './arguments/help.js';
import { EXIT } from './exit-codes.js';
import { packageVersion } from './own-package.js';
import { hanging } from './terminal/harmless.js';
import { palette } from './terminal/palette.js';
import { print, printJson } from './terminal/print.js';

/** Each command is loaded only when it is called. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  run: async () => (await import('./run/command.js')).runCommand,
  dev: async () => (await import('./dev/command.js')).devCommand,
  tools: async () => (await import('./tools/command.js')).toolsCommand,
  call: async () => (await import('./call/command.js')).callCommand,
  inspect: async () => (await import('./inspect/command.js')).inspectCommand,
  replay: async () => (await import('./replay/command.js')).replayCommand,
  serve: async () => (await import('./serve.js')).serveCommand,
  doctor: async () => (await import('./doctor/command.js')).doctorCommand,
  mcp: async () => (await import('./mcp/command.js')).mcpCommand,
  new: async () => (await import('./new/command.js')).newCommand,
  'stand-in': async () => (await import('./stand-in/command.js')).standInCommand,
};

/** Runs the command line and resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  try {
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') return await help(rest);
    if (name === '--version' || name === '-v') {
      print(`${packageVersion()}\n`);
      return EXIT.ok;
    }
    const command = await commandNamed(name);
    if (asksForHelp(rest)) {
      print(commandHelp(command, palette(process.stdout)));
      return EXIT.ok;
    }
    return await command.execute(readArguments(command, rest));
  } catch (error) {
    return report(error, name, rest);
  }
}

/** After `--`, everything is an argument. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  return options.includes('--help') || options.includes('-h');
}

async function help([name]: readonly string[]): Promise<number> {
  const paint = palette(process.stdout);
  if (name !== undefined && !name.startsWith('-')) {
    print(commandHelp(await commandNamed(name), paint));
    return EXIT.ok;
  }
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  print(overview(commands, packageVersion(), paint));
  return EXIT.ok;
}

async function commandNamed(name: string): Promise<Command> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return load();
  const names = Object.keys(COMMANDS);
  const suggestion = closest(name, names);
  throw new OptionError(
    'command',
    name,
    `there is no command "${name}". ${suggestion === undefined ? `The commands are: ${names.join(', ')}.` : `Did you mean "${suggestion}"?`} ` +
      'See: tenon --help',
  );
}

/** Reports a failure: to a person on stderr, or to a script on stdout. */
function report(error: unknown, name: string | undefined, rest: readonly string[]): number {
  const code = TenonError.is(error) ? error.code : 'UNKNOWN';
  if (rest.includes('--json')) {
    printJson({ type: 'error', code, message: messageOf(error) });
  } else {
    const paint = palette(process.stderr);
    const prefix = name !== undefined && Object.hasOwn(COMMANDS, name) ? `tenon ${name}` : 'tenon';
    // Any other error is a bug in someone's code: the stack shows where.
    const text =
      TenonError.is(error) || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
    print(`${paint.red(`${prefix}:`)} ${hanging(text)}\n`, process.stderr);
  }
  return OptionError.is(error) ? EXIT.usage : EXIT.failed;
}
