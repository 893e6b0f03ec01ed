import type { Palette } from '../terminal/palette.js';
import type { Command, OptionSpec } from './command.js';

/** `tenon --help`. */
export function overview(commands: readonly Command[], version: string, paint: Palette): string {
  const rows = commands.map(({ name, usage, summary }) => [`tenon ${name} ${usage}`, summary] as const);
  return [
    `${paint.bold('tenon')} ${version}: an agent with your own functions as its tools, in the terminal.`,
    '',
    ...rows.flatMap(([usage, summary]) => [`  ${paint.bold(usage)}`, `      ${summary}`]),
    '',
    'tenon <command> --help shows the options of a command, with examples. tenon --version prints the version.',
    'Exit codes: 0 success; 1 the agent or a check failed; 2 invalid command line; 130 stopped by Ctrl-C.',
    '',
  ].join('\n');
}

/** `tenon <command> --help`. */
export function commandHelp(command: Command, paint: Palette): string {
  const options: [string, OptionSpec][] = [
    ...Object.entries(command.options),
    ['help', { type: 'boolean', help: 'show this help' }],
  ];
  const rows = options.map(([name, spec]) => [`--${name}${placeholder(spec)}`, describe(spec)] as const);
  const width = Math.max(...rows.map(([left]) => left.length));
  return [
    `${paint.bold(`tenon ${command.name}`)} ${command.usage}`,
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    '',
    paint.bold('Options'),
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
    paint.bold('Examples'),
    ...command.examples.flatMap(({ command: line, does }) => [`  ${paint.dim(`# ${does}`)}`, `  ${line}`]),
    '',
  ].join('\n');
}

function placeholder({ type, value, choices }: OptionSpec): string {
  if (type === 'boolean') return '';
  if (type === 'optional') return `[=${choices?.join('|') ?? value ?? '<value>'}]`;
  return ` ${choices?.join('|') ?? value ?? '<value>'}`;
}

function describe({ help, multiple }: OptionSpec): string {
  return multiple === true ? `${help} (may be repeated)` : help;
}
